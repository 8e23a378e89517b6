import type { WebhookHeaders } from '@trading-automation/signed-request/webhooks';
import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { OperationClient } from '../core/operation-client.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Deleted,
  Delivery,
  Webhook,
  WebhookCreate,
  WebhookEvent,
  WebhookReplay,
  WebhookReplayAsked,
  WebhookStats,
  WebhooksDeliveriesQuery,
  WebhooksListQuery,
  WebhookUpdate,
  WebhookWithSecret,
} from '../generated/records.js';
import type { TestWebhook, VerifyOptions } from '../webhooks/webhook.js';
import { DeadLetters } from './dead-letters.js';

/** Loaded on first use, because most clients receive no webhooks. */
const loadVerifier = () => import('../webhooks/by-web-crypto.js');

/** Webhooks, their deliveries and their verification. */
export class Webhooks<D extends DecimalForm> extends Resource<D> {
  /** Deliveries whose attempts all failed. */
  readonly deadLetters: DeadLetters<D>;

  constructor(operations: OperationClient<D>) {
    super(operations);
    this.deadLetters = new DeadLetters(operations);
  }

  /**
   * Creates a webhook. Store the signing secret of the response: no later response contains it.
   *
   * @example
   * const { id, secret } = await client.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['trade.filled', 'trade.closed'],
   * });
   */
  create(body: WebhookCreate, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.operations.call('webhooks.create', { body }, options);
  }

  /**
   * Lists your webhooks.
   *
   * @example
   * for await (const { url, is_active } of client.webhooks.list()) console.log(url, is_active);
   */
  list(query: WebhooksListQuery = {}, options?: RequestOptions): PagePromise<Webhook> {
    return this.operations.list('webhooks.list', { query }, options);
  }

  /**
   * Returns one webhook.
   *
   * @example
   * const { events, consecutive_failures } = await client.webhooks.get(webhookId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.operations.call('webhooks.get', { params: { id } }, options);
  }

  /**
   * Updates a webhook. Pending deliveries use the new values from their next attempt on.
   *
   * @example
   * await client.webhooks.update(webhookId, { events: ['*'] });
   */
  update(id: string, body: WebhookUpdate, options?: RequestOptions): ApiPromise<Webhook> {
    return this.operations.call('webhooks.update', { params: { id }, body }, options);
  }

  /**
   * Deletes a webhook. Nothing more is sent to it.
   *
   * @example
   * await client.webhooks.delete(webhookId);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('webhooks.delete', { params: { id } }, options);
  }

  /**
   * Replaces the signing secret of a webhook. From now on, only the new secret is used for signing.
   *
   * @example
   * const { secret } = await client.webhooks.rotateSecret(webhookId);
   */
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.operations.call('webhooks.rotateSecret', { params: { id } }, options);
  }

  /**
   * Returns how many of a webhook's delivery attempts succeeded in the last 24 hours and 7 days, and how long they took.
   *
   * @example
   * const { last_24_hours } = await client.webhooks.stats(webhookId);
   * console.log(last_24_hours.success_rate, last_24_hours.p95_response_time_ms);
   */
  stats(id: string, options?: RequestOptions): ApiPromise<WebhookStats<D>> {
    return this.operations.call('webhooks.stats', { params: { id } }, options);
  }

  /**
   * Lists the delivery attempts of a webhook.
   *
   * @example
   * for await (const { event_type, status_code } of client.webhooks.deliveries(webhookId)) console.log(event_type, status_code);
   */
  deliveries(
    id: string,
    query: WebhooksDeliveriesQuery = {},
    options?: RequestOptions,
  ): PagePromise<Delivery> {
    return this.operations.list('webhooks.deliveries', { params: { id }, query }, options);
  }

  /**
   * Sends one test event to a webhook. Returns the delivery, even if the receiver does not accept the event.
   *
   * @example
   * const { status, response_time_ms } = await client.webhooks.test(webhookId);
   */
  test(id: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.operations.call('webhooks.test', { params: { id } }, options);
  }

  /**
   * Sends a past event to a webhook again, in up to five attempts, with the same event id and bytes.
   *
   * @example
   * await client.webhooks.replay(webhookId, { event_id: eventId });
   */
  replay(id: string, body: WebhookReplayAsked, options?: RequestOptions): ApiPromise<WebhookReplay> {
    return this.operations.call('webhooks.replay', { params: { id }, body }, options);
  }

  /**
   * Verifies a webhook and returns its event. Hashes with the runtime's Web Crypto instead of a library.
   * `constructEvent` of `@trading-automation/sdk/webhooks` does the same synchronously, with a library, and needs no
   * client.
   *
   * @example
   * const event = await client.webhooks.constructEvent(await request.text(), request.headers, secret);
   * if (event.type === 'trade.filled') console.log(event.data.id, event.data.average_price);
   *
   * @param payload the raw request body; JSON that was parsed and serialized again fails verification
   * @param secret `whsec_…`; pass the old and the new secret during a rotation
   * @throws {WebhookVerificationError} if the signature, the timestamp or a header is invalid
   * @throws {TypeError} if the payload is not a raw body or the secret is invalid
   */
  async constructEvent(
    payload: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    const { constructEvent } = await loadVerifier();
    return constructEvent(payload, headers, secret, options);
  }

  /**
   * Verifies a webhook without parsing its payload.
   *
   * @example
   * await client.webhooks.verify(await request.text(), request.headers, secret, { tolerance: 60 });
   *
   * @throws {WebhookVerificationError} if the signature, the timestamp or a header is invalid
   * @throws {TypeError} if the payload is not a raw body or the secret is invalid
   */
  async verify(
    payload: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<void> {
    const { verify } = await loadVerifier();
    await verify(payload, headers, secret, options);
  }

  /**
   * Returns the headers that the platform would send with a payload. For tests of a receiver.
   *
   * @example
   * const payload = JSON.stringify({ event_id: 'evt_1', type: 'trade.filled', data: {} });
   * const headers = await client.webhooks.generateTestHeaders({ payload, secret });
   * await fetch('http://127.0.0.1:8080/hook', { method: 'POST', body: payload, headers });
   *
   * @throws {TypeError} if the secret is invalid
   */
  async generateTestHeaders(webhook: TestWebhook): Promise<Record<string, string>> {
    const { generateTestHeaders } = await loadVerifier();
    return generateTestHeaders(webhook);
  }
}
