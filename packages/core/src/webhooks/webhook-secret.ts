import { randomBytes } from 'node:crypto';
import type { Sealer } from '../sealing/index.js';

/** What an API needs to take webhooks: the dispatcher's public key, and where calls may go. */
export class WebhookSecrets {
  constructor(
    readonly sealer: Sealer,
    /** Takes loopback URLs too: development alone. */
    readonly allowLoopback: boolean,
  ) {}
}

const PREFIX = 'whsec_';
const LENGTH_BYTES = 32;

/** A new signing secret, `whsec_<base64 of 32 random bytes>`. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(LENGTH_BYTES).toString('base64')}`;
}

/** The key that a secret's text stands for. @throws where it is no secret of ours */
export function webhookSecretBytes(secret: string): Buffer {
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || bytes.length !== LENGTH_BYTES)
    throw new TypeError('not a webhook secret');
  return bytes;
}

/** The place that a webhook's sealed secret is bound to. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook/${webhookId}`;
}
