import { migrate } from '@trading-automation/core';
import { createLogger, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const logger = createLogger('migrator');
try {
  const { DATABASE_URL, WORLD } = readConfig(configSchema);
  logger.info(
    { event: 'schema.migrated', migrations: await migrate(DATABASE_URL, WORLD) },
    'The schema is up to date.',
  );
} catch (error) {
  logger.fatal(
    { event: 'schema.migration_failed', err: error },
    'Could not migrate the schema; it is unchanged.',
  );
  process.exitCode = 1;
}
