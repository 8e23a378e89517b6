import { z } from 'zod';

const ConfigSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 takes a free port; the `listening` line tells which. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  DATA_DIR: z.string().min(1),
  SEED: z.coerce.number().int().min(0).default(1),
  ADMIN_TOKEN: z.string().min(16).optional(),
  MARKET: z.enum(['on', 'off']).default('on'),
  FEE_PPM: z.coerce.number().int().min(0).max(100_000).default(1_000),
  /** Request weight a minute and address. */
  WEIGHT_LIMIT: z.coerce.number().int().positive().default(120_000),
});

export type Config = z.infer<typeof ConfigSchema>;

/** @throws an error that names the bad variables and their rules, never their values. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = ConfigSchema.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
}
