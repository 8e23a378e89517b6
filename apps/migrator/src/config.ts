import { z } from 'zod';

/** The settings of the process. */
export const configSchema = z.object({ DATABASE_URL: z.url('expected a URL') });
