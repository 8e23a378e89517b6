/**
 * The asynchronous variant of ./webhooks.ts. It hashes with the runtime's Web Crypto and imports no library. For the
 * invariants see ./webhook-message.ts.
 */
import {
  type Bytes,
  checkSignatures,
  prepareWebhook,
  type ReceivedWebhook,
  readWebhook,
  type SentWebhook,
  type SignedWebhookHeaders,
  type VerifiedWebhook,
  webhookHeadersOf,
} from './webhook-message.js';

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/**
 * Verifies a webhook and returns its id and time.
 *
 * @throws {WebhookVerificationError} if verification fails
 * @throws {TypeError} if the payload is not a raw body or the secret is invalid: an error of the caller, not the sender
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<VerifiedWebhook> {
  const read = readWebhook(received);
  return checkSignatures(read, await Promise.all(read.keys.map((key) => macOf(read.message, key))));
}

/**
 * Signs a webhook and returns its three headers. For tests of receivers.
 *
 * @throws {TypeError} if the secret, the id or the time is invalid
 */
export async function signWebhook(sent: SentWebhook): Promise<SignedWebhookHeaders> {
  const prepared = prepareWebhook(sent);
  return webhookHeadersOf(prepared, await macOf(prepared.message, prepared.key));
}

async function macOf(message: Bytes, key: Bytes): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(HMAC, imported, message));
}
