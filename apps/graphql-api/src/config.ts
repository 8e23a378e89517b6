import { decimalGiven, WORLDS } from '@trading-automation/contracts';
import { serverKeysSetting } from '@trading-automation/core';
import { rateLimitsSchema, rateLimitsSetting } from '@trading-automation/core/access';
import { sealingKeySetting } from '@trading-automation/core/sealing';
import { passkeysSetting, signInProvidersSetting } from '@trading-automation/core/sign-in';
import { flag, port } from '@trading-automation/runtime';
import { corsOriginsSetting, isOrigin, proxiesSetting } from '@trading-automation/runtime/http';
import { z } from 'zod';

/** The environment of the process. */
export const configSchema = z
  .object({
    HOST: z.string().min(1).default('127.0.0.1'),
    /** 0 takes a free port; the `ready` line tells which. */
    PORT: port.default(0),
    WORLD: z.enum(WORLDS),
    DATABASE_URL: z.string().min(1),
    REDIS_URL: z.string().min(1),
    /** The first seals; the others still open. Those of the REST API: a cursor of one is good at the other. */
    SERVER_KEYS: serverKeysSetting,
    /** Public key of the trading worker. */
    EXCHANGE_SEALING_KEY: sealingKeySetting,
    /** Public key of the webhook dispatcher. */
    WEBHOOK_SEALING_KEY: sealingKeySetting,
    /** The origin at which clients reach the REST API: links in mails lead there. */
    REST_PUBLIC_URL: origin().optional(),
    /** The origin at which clients reach this API: it issues access tokens by this name. Unset: where it listens. */
    PUBLIC_URL: origin().optional(),
    OPEN_REGISTRATION: flag.default(false),
    /** Lets webhooks go to this machine: for development alone. */
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
    /** Whose `X-Forwarded-For` is believed: nobody's unless named. */
    TRUSTED_PROXIES: proxiesSetting.default([]),
    /** Pages that may read answers: none unless named. */
    CORS_ORIGINS: corsOriginsSetting.default([]),
    RATE_LIMITS: rateLimitsSetting.default(() => rateLimitsSchema.parse({})),
    /** In reward tokens; taken out of each withdrawal. */
    WITHDRAWAL_FEE: decimalGiven('non_negative').default('0'),
    /** Deprecated ways of signing in, each offered where it is named. It may hold a secret. */
    SIGN_IN_PROVIDERS: signInProvidersSetting.default({}),
    /** Where passkeys are good; not offered unless set. */
    PASSKEYS: passkeysSetting.optional(),
    /** Serves GraphiQL at /graphql to browsers: for development alone. */
    GRAPHIQL: flag.default(false),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
    COMMIT: z.string().default('unknown'),
  })
  .superRefine(({ WORLD, WEBHOOK_ALLOW_LOOPBACK, GRAPHIQL, PUBLIC_URL, REST_PUBLIC_URL }, context) => {
    if (WORLD !== 'live') return;
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (WEBHOOK_ALLOW_LOOPBACK) refuse('WEBHOOK_ALLOW_LOOPBACK', 'must be off in the live world');
    if (GRAPHIQL) refuse('GRAPHIQL', 'must be off in the live world');
    if (PUBLIC_URL === undefined) refuse('PUBLIC_URL', 'is required in the live world');
    if (REST_PUBLIC_URL === undefined) refuse('REST_PUBLIC_URL', 'is required in the live world');
  });

export type Config = z.output<typeof configSchema>;

function origin() {
  return z.string().refine(isOrigin, { error: 'expected an origin, like https://api.example.com' });
}
