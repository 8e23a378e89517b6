// Must be first: the other imports may throw.
import '@trading-automation/runtime/early';
import { migrate } from '@trading-automation/core';
import { createLogger, failStart, readConfig } from '@trading-automation/runtime';
import { configSchema } from './config.js';

const logger = createLogger('migrator');
try {
  const { DATABASE_URL, WORLD } = readConfig(configSchema);
  logger.info(
    { event: 'schema.migrated', migrations: await migrate(DATABASE_URL, WORLD) },
    'The schema is up to date.',
  );
} catch (error) {
  failStart('schema.migration_failed', error, 'Could not migrate the schema; it is unchanged.');
}
