import { apiSettings } from '@trading-automation/core/api';
import {
  passkeysSetting,
  type SignInProviders,
  signInProvidersSetting,
} from '@trading-automation/core/sign-in';
import { missingLiveSettings } from '@trading-automation/core/withdrawals';
import { flag } from '@trading-automation/runtime';
import { edgeSettings, isSecureOrigin, originSetting } from '@trading-automation/runtime/http';
import { z } from 'zod';

/** Settings of the process, from environment variables. */
export const configSchema = z
  .object({
    ...edgeSettings,
    ...apiSettings,
    /** The origin at which clients reach the REST API; links in e-mails use it. */
    REST_PUBLIC_URL: originSetting.optional(),
    /** The origin at which clients reach this API, and the issuer of its access tokens. Default: the listening URL. */
    PUBLIC_URL: originSetting.optional(),
    OPEN_REGISTRATION: flag.default(false),
    /** Allows webhooks to loopback addresses; for development only. */
    WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
    /** The enabled deprecated sign-in providers. May contain a secret. */
    SIGN_IN_PROVIDERS: signInProvidersSetting.default({}),
    /** The relying party of passkeys. If unset, passkeys are disabled. */
    PASSKEYS: passkeysSetting.optional(),
    /** Serves GraphiQL at /graphql to browsers; for development only. */
    GRAPHIQL: flag.default(false),
  })
  .superRefine((config, context) => {
    const { WEBHOOK_ALLOW_LOOPBACK, GRAPHIQL, PUBLIC_URL, REST_PUBLIC_URL, PASSKEYS } = config;
    if (config.WORLD !== 'live') return;
    const addIssue = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (WEBHOOK_ALLOW_LOOPBACK) addIssue('WEBHOOK_ALLOW_LOOPBACK', 'must be off in the live world');
    if (GRAPHIQL) addIssue('GRAPHIQL', 'must be off in the live world');
    for (const [name, message] of missingLiveSettings(config)) addIssue(name, message);
    for (const [name, origin] of Object.entries({ PUBLIC_URL, REST_PUBLIC_URL })) {
      if (origin === undefined) addIssue(name, 'is required in the live world');
      else if (!isSecureOrigin(origin)) addIssue(name, 'must be https in the live world');
    }
    if (PASSKEYS?.origins.every(isSecureOrigin) === false)
      addIssue('PASSKEYS', 'origins must be https in the live world');
    if (hasInsecureProvider(config.SIGN_IN_PROVIDERS))
      addIssue('SIGN_IN_PROVIDERS', 'URLs must be https in the live world');
  });

/** Returns whether a URL of a provider is plain http, which only tests use. */
function hasInsecureProvider(providers: SignInProviders): boolean {
  return Object.values(providers)
    .flatMap((provider): unknown[] => Object.values(provider ?? {}))
    .some((value) => typeof value === 'string' && value.startsWith('http:'));
}

export type Config = z.output<typeof configSchema>;
