// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import { createLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { configSchema } from './config.js';
import { startPaperExchange } from './index.js';

const logger = createLogger('paper-exchange');

await runProcess({
  logger,
  start: async () => {
    const { url, close } = await startPaperExchange(readConfig(configSchema));
    logger.info({ event: 'process.ready', url }, 'listening');
    return { stop: close };
  },
});
