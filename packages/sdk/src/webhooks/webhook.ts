/**
 * Defines what the two implementations of webhook verification share: their inputs, and the parsing of events.
 * `client.webhooks` uses ./by-web-crypto.ts; ./index.ts needs no client. This module contains no hashing.
 */
import type {
  ReceivedWebhook,
  SentWebhook,
  WebhookHeaders,
} from '@trading-automation/signed-request/webhooks';
import type { WebhookEvent } from '../generated/records.js';

/** Options of webhook verification. */
export interface VerifyOptions {
  /** Maximum difference between the timestamp of the webhook and now, in seconds. Default: 300. */
  readonly tolerance?: number;
}

/** A webhook to sign in a test of a receiver. */
export interface TestWebhook {
  /** The raw body. */
  readonly payload: string;
  /** The signing secret, `whsec_…`. */
  readonly secret: string;
  /** Id of the event. Default: `event_id` of the payload, or else `evt_test`. */
  readonly id?: string;
  /** Time of sending. Default: now. */
  readonly sentAt?: Date;
}

/** Returns the input of the verifier. */
export function verificationInput(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance }: VerifyOptions = {},
): ReceivedWebhook {
  return { payload, headers, secret, ...(tolerance === undefined ? {} : { toleranceSeconds: tolerance }) };
}

/** Returns the input of the signer, with the defaults of a test webhook. */
export function signingInput({ payload, secret, id, sentAt = new Date() }: TestWebhook): SentWebhook {
  return { id: id ?? parseEventId(payload) ?? 'evt_test', payload, secret, nowMs: sentAt.getTime() };
}

/** Parses the event of a payload. Its decimals are numbers, regardless of the client option `decimals`. */
export function parseEvent(payload: string | Uint8Array): WebhookEvent {
  return JSON.parse(
    typeof payload === 'string' ? payload : new TextDecoder().decode(payload),
  ) as WebhookEvent;
}

/** Returns `event_id` of a payload; undefined if the payload is not JSON or has no such string. */
function parseEventId(payload: string): string | undefined {
  try {
    const { event_id } = JSON.parse(payload) as { event_id?: unknown };
    return typeof event_id === 'string' ? event_id : undefined;
  } catch {
    return undefined;
  }
}
