/** What receivers hand in and get back, whether they verify at once or by a client; the hashing is not here. */
import type {
  ReceivedWebhook,
  SentWebhook,
  WebhookHeaders,
} from '@trading-automation/signed-request/webhooks';
import type { WebhookEvent } from '../generated/records.js';

/** How strictly a webhook is judged. */
export interface VerifyOptions {
  /** How old, or how early, a webhook may be, in seconds. Default: 300. */
  readonly tolerance?: number;
}

/** What a test of a receiver sends. */
export interface TestWebhook {
  /** The raw body. */
  readonly payload: string;
  /** `whsec_…` */
  readonly secret: string;
  /** The event's id. Default: the payload's `event_id`, or one of no event. */
  readonly id?: string;
  /** When it is sent. Default: now. */
  readonly sentAt?: Date;
}

export function receivedOf(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance }: VerifyOptions = {},
): ReceivedWebhook {
  return { payload, headers, secret, ...(tolerance === undefined ? {} : { toleranceSeconds: tolerance }) };
}

export function sentOf({ payload, secret, id, sentAt = new Date() }: TestWebhook): SentWebhook {
  return { id: id ?? eventIdIn(payload) ?? 'evt_test', payload, secret, nowMs: sentAt.getTime() };
}

/** The event that a body is. Its decimals are numbers, whatever a client reads those of answers as. */
export function eventIn(payload: string | Uint8Array): WebhookEvent {
  return JSON.parse(
    typeof payload === 'string' ? payload : new TextDecoder().decode(payload),
  ) as WebhookEvent;
}

function eventIdIn(payload: string): string | undefined {
  try {
    const { event_id } = JSON.parse(payload) as { event_id?: unknown };
    return typeof event_id === 'string' ? event_id : undefined;
  } catch {
    return undefined;
  }
}
