import { randomBytes } from 'node:crypto';
import type { Sealer } from '../sealing/index.js';

/** Holds what an API needs to accept webhooks: the sealer for the dispatcher's key, and whether loopback is allowed. */
export class WebhookSecrets {
  constructor(
    readonly sealer: Sealer,
    /** Accepts loopback URLs; for development only. */
    readonly allowLoopback: boolean,
  ) {}
}

const PREFIX = 'whsec_';
const LENGTH_BYTES = 32;

/** Generates a signing secret, `whsec_<base64 of 32 random bytes>`. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(LENGTH_BYTES).toString('base64')}`;
}

/** Decodes a signing secret to its key. @throws {TypeError} if it is not a webhook secret */
export function webhookSecretBytes(secret: string): Buffer {
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (!secret.startsWith(PREFIX) || bytes.length !== LENGTH_BYTES)
    throw new TypeError('not a webhook secret');
  return bytes;
}

/** Returns the context to which a webhook's sealed secret is bound. */
export function webhookSecretContext(webhookId: string): string {
  return `webhook/${webhookId}`;
}
