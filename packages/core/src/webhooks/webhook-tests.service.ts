import { webhook as webhookSchema } from '@trading-automation/contracts';
import { CallRefused, inTransaction, newUuid, serveCalls } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { eventPayload } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { insertAttempt, type OutgoingEvent } from './delivery.queries.js';
import { WebhookEntity } from './webhook.entity.js';
import { webhookView } from './webhook.view.js';
import type { AttemptResult } from './webhook-deliveries.service.js';

/**
 * The name of the call from an API to the dispatcher. The input is a webhook's id, and the reply is the attempt's id.
 * The attempt's row contains the result.
 */
export const WEBHOOK_TEST_CALL = 'webhook.test';
/** An attempt takes at most 30 s; the other 5 s are for the call itself. */
export const WEBHOOK_TEST_TIMEOUT_MS = 35_000;
export const idToBytes = (id: string): Uint8Array => Buffer.from(id, 'utf8');
export const idFromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export interface ServeTestsOptions {
  readonly send: (event: OutgoingEvent) => Promise<AttemptResult>;
  readonly onError: (error: unknown) => void;
}

/** High enough that a few receivers that hang for 30 s do not block other tests. */
const CONCURRENCY = 32;

/**
 * Sends test events. A test event has one attempt, which is never retried and never counts as a failure of the webhook.
 * The event is not in the outbox, so no other webhook receives it. Its delivery is stored after the attempt.
 */
export class WebhookTestsService {
  constructor(private readonly platform: Platform) {}

  /** Serves the calls of the APIs until stopped. */
  serve({ send, onError }: ServeTestsOptions): { stop(): Promise<void> } {
    const { database, listener } = this.platform;
    return serveCalls({
      dataSource: database,
      listener,
      name: WEBHOOK_TEST_CALL,
      handle: async (input, { signal }) => idToBytes(await this.run(idFromBytes(input), send, signal)),
      onError,
      concurrency: CONCURRENCY,
    });
  }

  private async run(
    webhookId: string,
    send: ServeTestsOptions['send'],
    signal: AbortSignal,
  ): Promise<string> {
    const event = await this.createTestEvent(webhookId);
    // If the caller's deadline has passed, the caller has received an error, and the event must not be sent any more.
    signal.throwIfAborted();
    const result = await send(event);
    return this.record(event, result);
  }

  private async createTestEvent(webhookId: string): Promise<OutgoingEvent> {
    const webhook = await this.platform.database.manager.findOneBy(WebhookEntity, {
      id: webhookId,
      deletedAt: IsNull(),
    });
    if (webhook === null || webhook.secretSealed === null)
      throw new CallRefused('not_found', 'the webhook is deleted');
    const [{ now }] = await this.platform.database.query('SELECT clock_timestamp() AS now');
    const eventId = newUuid();
    return {
      eventId,
      webhookId,
      url: webhook.url,
      secretSealed: webhook.secretSealed,
      payload: Buffer.from(eventPayload(eventId, 'webhook.test', webhookSchema, webhookView(webhook))),
      attempt: 1,
      attemptedAt: now,
    };
  }

  private async record(event: OutgoingEvent, result: AttemptResult): Promise<string> {
    const deliveryId = newUuid();
    const status = result.error === undefined ? 'SUCCEEDED' : 'FAILED';
    return inTransaction(this.platform.database, async (tx) => {
      await tx.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, status, attempts)
         VALUES ($1, $2, $3, 'webhook.test', $4, $5, 1)`,
        [deliveryId, event.webhookId, event.eventId, event.payload, status],
      );
      return insertAttempt(tx, { ...event, ...result, deliveryId });
    });
  }
}
