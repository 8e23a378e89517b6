// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import { createLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { configSchema } from './config.js';
import { startDispatcher } from './dispatcher.js';

const logger = createLogger('webhook-dispatcher');

await runProcess({
  logger,
  start: async () => {
    const config = readConfig(configSchema);
    logger.level = config.LOG_LEVEL;
    const dispatcher = await startDispatcher(config, logger);
    logger.info({ event: 'process.ready', concurrency: config.DELIVERY_CONCURRENCY }, 'ready');
    return dispatcher;
  },
});
