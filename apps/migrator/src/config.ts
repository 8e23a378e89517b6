import { z } from 'zod';

/** The environment of the process. */
export const configSchema = z.object({ DATABASE_URL: z.url('expected a URL') });
