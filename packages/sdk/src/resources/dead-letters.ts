import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  DeadLetter,
  DeadLetterDetail,
  DeadLetterRetry,
  DeadLetterRetryAsked,
  DeadLetterStats,
  DeadLettersListQuery,
  Deleted,
} from '../generated/records.js';

/** The dead letters of webhooks: deliveries whose attempts all failed. */
export class DeadLetters<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the dead letters of a webhook: deliveries whose attempts all failed.
   *
   * @example
   * for await (const { event_type, last_error } of client.webhooks.deadLetters.list(webhookId)) console.log(event_type, last_error);
   */
  list(
    webhookId: string,
    query: DeadLettersListQuery = {},
    options?: RequestOptions,
  ): PagePromise<DeadLetter> {
    return this.operations.list('deadLetters.list', { params: { id: webhookId }, query }, options);
  }

  /**
   * Returns how many dead letters of a webhook are pending, retried and discarded.
   *
   * @example
   * const { pending, retried, discarded } = await client.webhooks.deadLetters.stats(webhookId);
   */
  stats(webhookId: string, options?: RequestOptions): ApiPromise<DeadLetterStats> {
    return this.operations.call('deadLetters.stats', { params: { id: webhookId } }, options);
  }

  /**
   * Returns one dead letter with its payload.
   *
   * @example
   * const { payload, attempts } = await client.webhooks.deadLetters.get(webhookId, deadLetterId);
   */
  get(webhookId: string, id: string, options?: RequestOptions): ApiPromise<DeadLetterDetail<D>> {
    return this.operations.call('deadLetters.get', { params: { id: webhookId, dlq_id: id } }, options);
  }

  /**
   * Delivers a pending dead letter again, in up to five attempts, with the same event id and bytes.
   *
   * @example
   * await client.webhooks.deadLetters.retry(webhookId, deadLetterId);
   */
  retry(webhookId: string, id: string, options?: RequestOptions): ApiPromise<DeadLetterDetail<D>> {
    return this.operations.call('deadLetters.retry', { params: { id: webhookId, dlq_id: id } }, options);
  }

  /**
   * Delivers pending dead letters of a webhook again: all, those of a time range, or those of an event type.
   *
   * @example
   * await client.webhooks.deadLetters.retryMany(webhookId, { event_type: 'trade.filled' });
   */
  retryMany(
    webhookId: string,
    body: DeadLetterRetryAsked,
    options?: RequestOptions,
  ): ApiPromise<DeadLetterRetry> {
    return this.operations.call('deadLetters.retryMany', { params: { id: webhookId }, body }, options);
  }

  /**
   * Discards a pending dead letter. It remains readable.
   *
   * @example
   * await client.webhooks.deadLetters.discard(webhookId, deadLetterId);
   */
  discard(webhookId: string, id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('deadLetters.discard', { params: { id: webhookId, dlq_id: id } }, options);
  }
}
