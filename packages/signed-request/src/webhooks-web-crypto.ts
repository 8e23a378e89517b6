/**
 * As ./webhooks.ts, hashed by the runtime's Web Crypto: in promises, and without a library. What is promised is said in
 * ./webhook-message.ts.
 */
import {
  type Bytes,
  judgeWebhook,
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
 * Tells a genuine webhook.
 *
 * @throws {WebhookVerificationError} where it is not
 * @throws {TypeError} where the payload is no raw body, or the secret no secret: the caller's fault, not the sender's
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<VerifiedWebhook> {
  const read = readWebhook(received);
  return judgeWebhook(read, await Promise.all(read.keys.map((key) => macOf(read.message, key))));
}

/**
 * The three headers of a webhook as a sender signs it: for the tests of receivers.
 *
 * @throws {TypeError} where the secret is none, or a receiver would not take the id or the time
 */
export async function signWebhook(sent: SentWebhook): Promise<SignedWebhookHeaders> {
  const prepared = prepareWebhook(sent);
  return webhookHeadersOf(prepared, await macOf(prepared.message, prepared.key));
}

async function macOf(message: Bytes, key: Bytes): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign(HMAC, imported, message));
}
