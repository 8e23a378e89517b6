import { randomBytes } from 'node:crypto';
import type { Secrets } from '../profile/secrets.js';

/** Returns the signing secret of the profile for `svc listen`; creates and stores it on first use. */
export async function signingSecret(secrets: Pick<Secrets, 'get' | 'set'>): Promise<string> {
  const stored = await secrets.get('listen_secret');
  if (stored !== undefined) return stored;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await secrets.set('listen_secret', secret);
  return secret;
}
