// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import { readFileSync } from 'node:fs';
import { createLogger, readConfig, runProcess } from '@trading-automation/runtime';
import { configSchema } from './config.js';
import { startGraphqlApi } from './graphql-api.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const logger = createLogger('graphql-api');

await runProcess({
  logger,
  start: async () => {
    const config = readConfig(configSchema);
    logger.level = config.LOG_LEVEL;
    const { url, stop } = await startGraphqlApi(config, version, logger);
    logger.info({ event: 'process.ready', url }, 'ready');
    return { stop };
  },
});
