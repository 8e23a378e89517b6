/**
 * Verifies webhooks according to the public Standard Webhooks specification, and signs them for tests of receivers.
 * Synchronous, with noble, on every JavaScript runtime. For the invariants see ./webhook-message.ts.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  checkSignatures,
  prepareWebhook,
  type ReceivedWebhook,
  readWebhook,
  type SentWebhook,
  type SignedWebhookHeaders,
  type VerifiedWebhook,
  webhookHeadersOf,
} from './webhook-message.js';

export {
  type ReceivedWebhook,
  type SentWebhook,
  type SignedWebhookHeaders,
  type VerifiedWebhook,
  WEBHOOK_TOLERANCE_SECONDS,
  type WebhookHeaders,
  type WebhookRefusalCode,
  WebhookVerificationError,
} from './webhook-message.js';

/**
 * Verifies a webhook and returns its id and time.
 *
 * @throws {WebhookVerificationError} if verification fails
 * @throws {TypeError} if the payload is not a raw body or the secret is invalid: an error of the caller, not the sender
 */
export function verifyWebhook(received: ReceivedWebhook): VerifiedWebhook {
  const read = readWebhook(received);
  return checkSignatures(
    read,
    read.keys.map((key) => hmac(sha256, key, read.message)),
  );
}

/**
 * Signs a webhook and returns its three headers. For tests of receivers.
 *
 * @throws {TypeError} if the secret, the id or the time is invalid
 */
export function signWebhook(sent: SentWebhook): SignedWebhookHeaders {
  const prepared = prepareWebhook(sent);
  return webhookHeadersOf(prepared, hmac(sha256, prepared.key, prepared.message));
}
