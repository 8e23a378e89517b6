/** Defines the configuration of sign-in providers. By default no provider is offered. */
import { DomainError } from '@trading-automation/contracts';
import { z } from 'zod';
import { jsonSetting } from '../../platform/index.js';
import { parseUrl } from '../../values/index.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** HTTPS, or plain HTTP to a loopback address. */
const address = z.string().refine(
  (text) => {
    const url = parseUrl(text);
    if (url === undefined || url.username !== '' || url.password !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
  },
  { error: 'expected an https URL' },
);

const issuer = address.refine((text) => !/[/?#]$/.test(text) && !/[?#]/.test(text), {
  error: 'expected a URL without a query, a fragment or a trailing slash',
});

const clientIds = z.array(z.string().min(1).max(255)).min(1);

const signInProvidersSchema = z.strictObject({
  google: z.strictObject({ clientIds, issuer: issuer.default('https://accounts.google.com') }).optional(),
  apple: z.strictObject({ clientIds, issuer: issuer.default('https://appleid.apple.com') }).optional(),
  x: z
    .strictObject({
      clientId: z.string().min(1).max(255),
      /** For a confidential client. */
      clientSecret: z.string().min(16).optional(),
      /** The addresses to which X may return a user. */
      redirectUris: z.array(address).min(1),
      tokenUrl: address.default('https://api.x.com/2/oauth2/token'),
      userInfoUrl: address.default('https://api.x.com/2/users/me'),
    })
    .optional(),
  telegram: z
    .strictObject({ botToken: z.string().regex(/^\d+:[\w-]+$/, 'expected <bot id>:<secret>') })
    .optional(),
});

export type SignInProviders = z.output<typeof signInProvidersSchema>;

/**
 * The schema of an environment variable with JSON such as `{"google": {"clientIds": ["…"]}}`. The JSON may contain
 * a secret.
 */
export const signInProvidersSetting = jsonSetting(signInProvidersSchema);

/** Returns the error for a sign-in method that this deployment does not offer. */
export function notOffered(method: string): DomainError {
  return new DomainError('permission_denied', `Sign-in by ${method} is not offered by this deployment.`);
}
