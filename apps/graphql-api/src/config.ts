import { apiSettings } from '@trading-automation/core/api';
import { passkeysSetting, signInProvidersSetting } from '@trading-automation/core/sign-in';
import { flag } from '@trading-automation/runtime';
import { edgeSettings, originSetting } from '@trading-automation/runtime/http';
import { z } from 'zod';

/** The environment of the process. */
export const configSchema = z
  .object({
    ...edgeSettings,
    ...apiSettings,
    /** The origin at which clients reach the REST API: links in mails lead there. */
    REST_PUBLIC_URL: originSetting.optional(),
    /** The origin at which clients reach this API: it issues access tokens by this name. Unset: where it listens. */
    PUBLIC_URL: originSetting.optional(),
    OPEN_REGISTRATION: flag.default(false),
    /** Lets webhooks go to this machine: for development alone. */
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
    /** Deprecated ways of signing in, each offered where it is named. It may hold a secret. */
    SIGN_IN_PROVIDERS: signInProvidersSetting.default({}),
    /** Where passkeys are good; not offered unless set. */
    PASSKEYS: passkeysSetting.optional(),
    /** Serves GraphiQL at /graphql to browsers: for development alone. */
    GRAPHIQL: flag.default(false),
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
