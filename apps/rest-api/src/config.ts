import { WORLDS } from '@trading-automation/contracts';
import { sealingKeySetting } from '@trading-automation/core/sealing';
import { flag, port } from '@trading-automation/runtime';
import { z } from 'zod';

const SERVER_KEY_BYTES = 32;

/** A comma-separated list; empty where the text is. */
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const serverKeys = list.transform((texts, context): readonly [Uint8Array, ...Uint8Array[]] => {
  const [first, ...others] = texts.map((text) => Buffer.from(text, 'base64url'));
  if (first !== undefined && [first, ...others].every(({ length }) => length === SERVER_KEY_BYTES))
    return [first, ...others];
  context.addIssue({
    code: 'custom',
    message: `expected keys of ${SERVER_KEY_BYTES} bytes in base64url, separated by commas`,
  });
  return z.NEVER;
});

const proxies = list.pipe(
  z.array(
    z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
      error: 'expected addresses and CIDR ranges, separated by commas',
    }),
  ),
);

/** The environment of the process. */
export const configSchema = z
  .object({
    HOST: z.string().min(1).default('127.0.0.1'),
    /** 0 takes a free port; the `ready` line tells which. */
    PORT: port.default(0),
    WORLD: z.enum(WORLDS),
    DATABASE_URL: z.string().min(1),
    REDIS_URL: z.string().min(1),
    /** The first seals; the others still open. */
    SERVER_KEYS: serverKeys,
    /** Public key of the trading worker. */
    EXCHANGE_SEALING_KEY: sealingKeySetting,
    /** Public key of the webhook dispatcher. */
    WEBHOOK_SEALING_KEY: sealingKeySetting,
    OPEN_REGISTRATION: flag.default(false),
    /** Lets webhooks go to this machine: for development alone. */
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
    /** Whose `X-Forwarded-For` is believed: nobody's unless named. */
    TRUSTED_PROXIES: proxies.default([]),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
    COMMIT: z.string().default('unknown'),
  })
  .superRefine(({ WORLD, WEBHOOK_ALLOW_LOOPBACK }, context) => {
    if (WORLD !== 'live' || !WEBHOOK_ALLOW_LOOPBACK) return;
    context.addIssue({
      code: 'custom',
      path: ['WEBHOOK_ALLOW_LOOPBACK'],
      message: 'must be off in the live world',
    });
  });

export type Config = z.output<typeof configSchema>;
