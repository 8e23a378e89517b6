import { randomBytes } from 'node:crypto';
import type { Secrets } from '../profile/secrets.js';

/** What events are signed with here: made once, and the same for the profile from then on. */
export async function signingSecret(secrets: Pick<Secrets, 'get' | 'set'>): Promise<string> {
  const kept = await secrets.get('listen_secret');
  if (kept !== undefined) return kept;
  const made = `whsec_${randomBytes(32).toString('base64')}`;
  await secrets.set('listen_secret', made);
  return made;
}
