import { port } from '@trading-automation/runtime';
import { z } from 'zod';

/** The settings of the process. README.md documents each of them. */
export const configSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  /** 0 selects a free port; the `listening` log line contains the port. */
  PORT: port.default(0),
  DATA_DIR: z.string().min(1),
  SEED: z.coerce.number().int().min(0).default(1),
  ADMIN_TOKEN: z.string().min(16).optional(),
  MARKET: z.enum(['on', 'off']).default('on'),
  /** Whether fundings and the interest of margin loans are paid by the clock, and not only by admin calls. */
  SCHEDULED_PAYMENTS: z.enum(['on', 'off']).default('on'),
  /** The fee, in millionths of the amount received. */
  FEE_PPM: z.coerce.number().int().min(0).max(100_000).default(1_000),
  /** The maximum request weight per IP address and minute. The next two limit the accepted orders of an account. */
  WEIGHT_PER_MINUTE: z.coerce.number().int().min(1).default(6_000),
  ORDERS_PER_10S: z.coerce.number().int().min(1).default(100),
  ORDERS_PER_DAY: z.coerce.number().int().min(1).default(200_000),
  /** The fees of futures, in millionths of the notional. */
  FUTURES_MAKER_PPM: z.coerce.number().int().min(0).max(100_000).default(200),
  FUTURES_TAKER_PPM: z.coerce.number().int().min(0).max(100_000).default(500),
  FUTURES_WEIGHT_PER_MINUTE: z.coerce.number().int().min(1).default(2_400),
  FUTURES_ORDERS_PER_10S: z.coerce.number().int().min(1).default(300),
  FUTURES_ORDERS_PER_MINUTE: z.coerce.number().int().min(1).default(1_200),
});

export type Config = z.infer<typeof configSchema>;
