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
  WebhooksDeliveriesQuery,
  WebhooksListQuery,
  WebhookUpdate,
  WebhookWithSecret,
} from '../generated/records.js';
import type { TestWebhook, VerifyOptions } from '../webhooks/webhook.js';
import { DeadLetters } from './dead-letters.js';

/** Loaded with the first webhook: most clients receive none. */
const receiving = () => import('../webhooks/by-web-crypto.js');

export class Webhooks<D extends DecimalForm> extends Resource<D> {
  /** Deliveries that were given up. */
  readonly deadLetters: DeadLetters<D>;

  constructor(caller: OperationClient<D>) {
    super(caller);
    this.deadLetters = new DeadLetters(caller);
  }

  /**
   * Registers a receiver; the answer alone carries its signing secret.
   *
   * @example
   * const { id, secret } = await client.webhooks.create({
   *   url: 'https://example.com/hooks',
   *   events: ['trade.filled', 'trade.closed'],
   * });
   */
  create(body: WebhookCreate, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.caller.call('webhooks.create', { body }, options);
  }

  /**
   * Your webhooks.
   *
   * @example
   * for await (const { url, is_active } of client.webhooks.list()) console.log(url, is_active);
   */
  list(query: WebhooksListQuery = {}, options?: RequestOptions): PagePromise<Webhook> {
    return this.caller.list('webhooks.list', { query }, options);
  }

  /**
   * One webhook.
   *
   * @example
   * const { events, consecutive_failures } = await client.webhooks.get(webhookId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.caller.call('webhooks.get', { params: { id } }, options);
  }

  /**
   * Changes a webhook; the next attempt of what is owed to it uses what it says then.
   *
   * @example
   * await client.webhooks.update(webhookId, { events: ['*'] });
   */
  update(id: string, body: WebhookUpdate, options?: RequestOptions): ApiPromise<Webhook> {
    return this.caller.call('webhooks.update', { params: { id }, body }, options);
  }

  /**
   * Removes a webhook; nothing more is sent to it.
   *
   * @example
   * await client.webhooks.delete(webhookId);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.caller.call('webhooks.delete', { params: { id } }, options);
  }

  /**
   * Gives a webhook a new signing secret; the old one signs nothing any more.
   *
   * @example
   * const { secret } = await client.webhooks.rotateSecret(webhookId);
   */
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<WebhookWithSecret> {
    return this.caller.call('webhooks.rotateSecret', { params: { id } }, options);
  }

  /**
   * The attempts made for a webhook.
   *
   * @example
   * for await (const { event_type, status_code } of client.webhooks.deliveries(webhookId)) console.log(event_type, status_code);
   */
  deliveries(
    id: string,
    query: WebhooksDeliveriesQuery = {},
    options?: RequestOptions,
  ): PagePromise<Delivery> {
    return this.caller.list('webhooks.deliveries', { params: { id }, query }, options);
  }

  /**
   * Sends a test event once, and answers with that delivery whatever the receiver said.
   *
   * @example
   * const { status, response_time_ms } = await client.webhooks.test(webhookId);
   */
  test(id: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.caller.call('webhooks.test', { params: { id } }, options);
  }

  /**
   * Sends a past event to a webhook: up to five attempts, with the same event id and bytes.
   *
   * @example
   * await client.webhooks.replay(webhookId, { event_id: eventId });
   */
  replay(id: string, body: WebhookReplayAsked, options?: RequestOptions): ApiPromise<WebhookReplay> {
    return this.caller.call('webhooks.replay', { params: { id }, body }, options);
  }

  /**
   * The event of a genuine webhook. As `constructEvent` of the entry `webhooks`, which needs no client and answers at
   * once; this one hashes by the runtime's Web Crypto, and so brings no library along.
   *
   * @example
   * const event = await client.webhooks.constructEvent(await request.text(), request.headers, secret);
   * if (event.type === 'trade.filled') console.log(event.data.id, event.data.average_price);
   *
   * @param payload the raw body as it came: JSON that was parsed and written again is not what was signed
   * @param secret `whsec_…`; several while a rotation is under way
   * @throws {WebhookVerificationError} where it is not genuine
   * @throws {TypeError} where the payload is no raw body, or the secret none
   */
  async constructEvent(
    payload: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    const { constructEvent } = await receiving();
    return constructEvent(payload, headers, secret, options);
  }

  /**
   * Tells a genuine webhook, and reads nothing else of it.
   *
   * @example
   * await client.webhooks.verify(await request.text(), request.headers, secret, { tolerance: 60 });
   *
   * @throws {WebhookVerificationError} where it is not genuine
   * @throws {TypeError} where the payload is no raw body, or the secret none
   */
  async verify(
    payload: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<void> {
    const { verify } = await receiving();
    await verify(payload, headers, secret, options);
  }

  /**
   * The headers that the platform would send with a body: for tests of a receiver.
   *
   * @example
   * const payload = JSON.stringify({ event_id: 'evt_1', type: 'trade.filled', data: {} });
   * const headers = await client.webhooks.generateTestHeaders({ payload, secret });
   * await fetch('http://127.0.0.1:8080/hook', { method: 'POST', body: payload, headers });
   *
   * @throws {TypeError} where the secret is none
   */
  async generateTestHeaders(webhook: TestWebhook): Promise<Record<string, string>> {
    const { generateTestHeaders } = await receiving();
    return generateTestHeaders(webhook);
  }
}
