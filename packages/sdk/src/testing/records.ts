/** Returns records for tests, one of each type, with the caller's changes. Ids and timestamps are always the same. */
import type { DecimalForm, DecimalOf } from '../core/decimals.js';
import { eventDataOf, FIXTURE_AT, FIXTURE_EVENT_ID, fixturesOf } from '../generated/fixtures.js';
import type { OperationId } from '../generated/operations.js';
import type { EventData, OperationTypes, WebhookEventOf } from '../generated/records.js';
import { generateTestHeaders } from '../webhooks/index.js';

/**
 * The API key of test clients. It gives no access. It is built at run time, so that secret scanners do not report it.
 */
export const TEST_API_KEY = `svc_test_${'0'.repeat(32)}`;
/** The default signing secret of test webhooks. */
export const TEST_WEBHOOK_SECRET = `whsec_${btoa('known to tests, and opens nothing')}`;

type DataOf<Id extends OperationId, D extends DecimalForm> = OperationTypes<D>[Id]['data'];

/**
 * Returns the test record of an operation; for a list, one item. `changes` replaces fields of the record.
 *
 * @example
 * import { fixture } from '@trading-automation/sdk/testing';
 *
 * const trade = fixture('trades.get', { status: 'CANCELLED', cancel_reason: 'USER' });
 * console.log(trade.id, trade.status);
 *
 * @param decimals the form of decimals, as in the client option `decimals`. Default: `number`.
 */
export function fixture<Id extends OperationId, D extends DecimalForm = 'number'>(
  id: Id,
  changes: Partial<DataOf<Id, D>> = {},
  decimals?: D,
): DataOf<Id, D> {
  const fixtures = fixturesOf<D>(decimalAs<D>(decimals), {
    apiKey: TEST_API_KEY,
    webhook: TEST_WEBHOOK_SECRET,
  });
  return { ...fixtures[id], ...changes };
}

/** The id and the timestamp of a test event. */
export interface EventHead {
  /** Id of the event. Default: a fixed id, the same in every run. */
  readonly event_id?: string;
  /** Time of the event. Default: a fixed time, the same in every run. */
  readonly timestamp?: string;
}

/**
 * Returns an event, as webhooks and `client.events` deliver it. `changes` replaces fields of its record.
 *
 * @example
 * import { webhookEvent } from '@trading-automation/sdk/testing';
 *
 * const event = webhookEvent('trade.filled', { symbol: 'ETH/USDT' }, { event_id: 'evt_2' });
 * console.log(event.event_id, event.data.symbol);
 */
export function webhookEvent<Type extends keyof EventData>(
  type: Type,
  changes: Partial<EventData[Type]> = {},
  { event_id = FIXTURE_EVENT_ID, timestamp = FIXTURE_AT }: EventHead = {},
): WebhookEventOf<Type> {
  const data = { ...eventDataOf(decimalAs<'number'>('number'))[type], ...changes };
  return { event_id, type, timestamp, data };
}

/** A webhook as a receiver gets it. */
export interface SignedWebhook {
  /** The raw body. */
  readonly payload: string;
  /** The headers, including the signature. */
  readonly headers: Record<string, string>;
  /** The secret with which a receiver verifies the webhook. */
  readonly secret: string;
}

/**
 * Returns the body and the headers that the platform would send for an event. For tests of a receiver.
 *
 * @example
 * import { signedWebhook, webhookEvent } from '@trading-automation/sdk/testing';
 *
 * const { payload, headers } = signedWebhook(webhookEvent('trade.filled'), { secret });
 * await fetch('http://127.0.0.1:8080/hook', { method: 'POST', body: payload, headers });
 */
export function signedWebhook(
  event: { readonly event_id: string },
  { secret = TEST_WEBHOOK_SECRET, sentAt }: { readonly secret?: string; readonly sentAt?: Date } = {},
): SignedWebhook {
  const payload = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'x-svc-attempt': '1',
    ...generateTestHeaders({ payload, secret, ...(sentAt === undefined ? {} : { sentAt }) }),
  };
  return { payload, headers, secret };
}

function decimalAs<D extends DecimalForm>(decimals: D | undefined): (text: string) => DecimalOf<D> {
  const convert = decimals === 'string' ? (text: string) => text : Number;
  return convert as (text: string) => DecimalOf<D>;
}
