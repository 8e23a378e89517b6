/**
 * Verifies webhooks for `client.webhooks`: as ./index.ts does, but with the runtime's Web Crypto instead of a library.
 * It is a separate module, so that a client loads it only when it verifies its first webhook.
 */
import type { WebhookHeaders } from '@trading-automation/signed-request/webhooks';
import { signWebhook, verifyWebhook } from '@trading-automation/signed-request/webhooks-web-crypto';
import type { WebhookEvent } from '../generated/records.js';
import {
  parseEvent,
  signingInput,
  type TestWebhook,
  type VerifyOptions,
  verificationInput,
} from './webhook.js';

export async function constructEvent(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  await verify(payload, headers, secret, options);
  return parseEvent(payload);
}

export async function verify(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<void> {
  await verifyWebhook(verificationInput(payload, headers, secret, options));
}

export async function generateTestHeaders(webhook: TestWebhook): Promise<Record<string, string>> {
  return signWebhook(signingInput(webhook));
}
