import { z } from 'zod';

/** The settings of the process. */
export const configSchema = z.object({
  /** The world of the database: a new database takes it, and a database of the other world is not migrated. */
  WORLD: z.enum(['test', 'live'], 'expected test or live'),
  DATABASE_URL: z.url('expected a URL'),
});
