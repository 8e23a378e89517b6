// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import { createLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { configSchema } from './config.js';
import { startDashboard } from './process/dashboard.js';

const logger = createLogger('dashboard');

await runProcess({
  logger,
  start: async () => {
    const config = readConfig(configSchema);
    logger.level = config.LOG_LEVEL;
    const { url, stop } = await startDashboard(config, logger);
    logger.info({ event: 'process.ready', url }, 'ready');
    return { stop };
  },
});
