/**
 * Verifies webhooks, as the public Standard Webhooks specification signs them, and signs them for the tests of
 * receivers: at once, by noble, wherever JavaScript runs. What is promised is said in ./webhook-message.ts.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  judgeWebhook,
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
 * Tells a genuine webhook.
 *
 * @throws {WebhookVerificationError} where it is not
 * @throws {TypeError} where the payload is no raw body, or the secret no secret: the caller's fault, not the sender's
 */
export function verifyWebhook(received: ReceivedWebhook): VerifiedWebhook {
  const read = readWebhook(received);
  return judgeWebhook(
    read,
    read.keys.map((key) => hmac(sha256, key, read.message)),
  );
}

/**
 * The three headers of a webhook as a sender signs it: for the tests of receivers.
 *
 * @throws {TypeError} where the secret is none, or a receiver would not take the id or the time
 */
export function signWebhook(sent: SentWebhook): SignedWebhookHeaders {
  const prepared = prepareWebhook(sent);
  return webhookHeadersOf(prepared, hmac(sha256, prepared.key, prepared.message));
}
