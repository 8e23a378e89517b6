import { migrate } from '@trading-automation/core';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const logger = createLogger('migrator');
try {
  const { DATABASE_URL } = readConfig(configSchema);
  logger.info({ migrations: await migrate(DATABASE_URL) }, 'the schema is that of this release');
} catch (error) {
  logger.fatal({ err: error }, 'the schema was not changed');
  process.exitCode = 1;
}
