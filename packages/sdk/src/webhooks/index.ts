/**
 * Verifies webhooks according to the public Standard Webhooks specification, and types their events. Needs no client and
 * runs on every JavaScript runtime.
 */
import { signWebhook, verifyWebhook, type WebhookHeaders } from '@trading-automation/signed-request/webhooks';
import type { WebhookEvent } from '../generated/records.js';
import {
  parseEvent,
  signingInput,
  type TestWebhook,
  type VerifyOptions,
  verificationInput,
} from './webhook.js';

export {
  WEBHOOK_TOLERANCE_SECONDS,
  type WebhookHeaders,
  type WebhookRefusalCode,
  WebhookVerificationError,
} from '@trading-automation/signed-request/webhooks';
export type { EventData, WebhookEvent, WebhookEventOf } from '../generated/records.js';
export type { TestWebhook, VerifyOptions } from './webhook.js';

/**
 * Verifies a webhook and returns its event. The `event_id` is the same in every delivery attempt:
 * ignore an event whose id you have already processed.
 *
 * @example
 * import { constructEvent } from '@trading-automation/sdk/webhooks';
 *
 * export async function POST(request: Request) {
 *   const event = constructEvent(await request.text(), request.headers, process.env.SVC_WEBHOOK_SECRET!);
 *   if (event.type === 'trade.filled') console.log(event.data.id, event.data.average_price);
 *   return new Response(null, { status: 204 });
 * }
 *
 * @param payload the raw request body; JSON that was parsed and serialized again fails verification
 * @param secret `whsec_…`; pass the old and the new secret during a rotation
 * @throws {WebhookVerificationError} if the signature, the timestamp or a header is invalid
 * @throws {TypeError} if the payload is not a raw body or the secret is invalid
 */
export function constructEvent(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): WebhookEvent {
  verify(payload, headers, secret, options);
  return parseEvent(payload);
}

/**
 * Verifies a webhook without parsing its payload.
 *
 * @example
 * import { verify } from '@trading-automation/sdk/webhooks';
 *
 * verify(await request.text(), request.headers, secret, { tolerance: 60 });
 *
 * @param payload the raw request body; JSON that was parsed and serialized again fails verification
 * @param secret `whsec_…`; pass the old and the new secret during a rotation
 * @throws {WebhookVerificationError} if the signature, the timestamp or a header is invalid
 * @throws {TypeError} if the payload is not a raw body or the secret is invalid
 */
export function verify(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): void {
  verifyWebhook(verificationInput(payload, headers, secret, options));
}

/**
 * Returns the headers that the platform would send with a payload. For tests of a receiver.
 *
 * @example
 * import { generateTestHeaders } from '@trading-automation/sdk/webhooks';
 *
 * const payload = JSON.stringify({ event_id: 'evt_1', type: 'trade.filled', data: {} });
 * const headers = generateTestHeaders({ payload, secret });
 * await fetch('http://127.0.0.1:8080/hook', { method: 'POST', body: payload, headers });
 *
 * @throws {TypeError} if the secret is invalid
 */
export function generateTestHeaders(webhook: TestWebhook): Record<string, string> {
  return signWebhook(signingInput(webhook));
}
