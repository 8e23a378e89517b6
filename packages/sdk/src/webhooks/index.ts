/**
 * Receives webhooks: verifies them as the public Standard Webhooks specification signs them, and types what they tell.
 * It needs no client, and runs wherever JavaScript does.
 */
import { signWebhook, verifyWebhook, type WebhookHeaders } from '@trading-automation/signed-request/webhooks';
import type { WebhookEvent } from '../generated/records.js';
import { eventIn, receivedOf, sentOf, type TestWebhook, type VerifyOptions } from './webhook.js';

export {
  WEBHOOK_TOLERANCE_SECONDS,
  type WebhookHeaders,
  type WebhookRefusalCode,
  WebhookVerificationError,
} from '@trading-automation/signed-request/webhooks';
export type { EventData, WebhookEvent, WebhookEventOf } from '../generated/records.js';
export type { TestWebhook, VerifyOptions } from './webhook.js';

/**
 * The event of a genuine webhook. Its `event_id` is the same at every attempt to deliver it: who has seen it before has
 * nothing more to do.
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
 * @param payload the raw body as it came: JSON that was parsed and written again is not what was signed
 * @param secret `whsec_…`; several while a rotation is under way
 * @throws {WebhookVerificationError} where it is not genuine
 * @throws {TypeError} where the payload is no raw body, or the secret none
 */
export function constructEvent(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): WebhookEvent {
  verify(payload, headers, secret, options);
  return eventIn(payload);
}

/**
 * Tells a genuine webhook, and reads nothing else of it.
 *
 * @example
 * import { verify } from '@trading-automation/sdk/webhooks';
 *
 * verify(await request.text(), request.headers, secret, { tolerance: 60 });
 *
 * @param payload the raw body as it came: JSON that was parsed and written again is not what was signed
 * @param secret `whsec_…`; several while a rotation is under way
 * @throws {WebhookVerificationError} where it is not genuine
 * @throws {TypeError} where the payload is no raw body, or the secret none
 */
export function verify(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): void {
  verifyWebhook(receivedOf(payload, headers, secret, options));
}

/**
 * The headers that the platform would send with a body: for tests of a receiver.
 *
 * @example
 * import { generateTestHeaders } from '@trading-automation/sdk/webhooks';
 *
 * const payload = JSON.stringify({ event_id: 'evt_1', type: 'trade.filled', data: {} });
 * const headers = generateTestHeaders({ payload, secret });
 * await fetch('http://127.0.0.1:8080/hook', { method: 'POST', body: payload, headers });
 *
 * @throws {TypeError} where the secret is none
 */
export function generateTestHeaders(webhook: TestWebhook): Record<string, string> {
  return signWebhook(sentOf(webhook));
}
