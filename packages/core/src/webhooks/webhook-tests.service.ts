import { webhook as webhookSchema } from '@trading-automation/contracts';
import {
  CallRefused,
  type CallTimes,
  inTransaction,
  newUuid,
  type SlotLimits,
  serveCalls,
} from '@trading-automation/persistence';
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
/** The maximum duration of one attempt of a delivery or a test event, in ms. */
export const ATTEMPT_TIMEOUT_MAX_MS = 30_000;
/** A test event has the time of a whole attempt once it is started, and the call 35 s in all. */
export const WEBHOOK_TEST_TIMES: CallTimes = { startWithinMs: 3_000, operationMs: ATTEMPT_TIMEOUT_MAX_MS };
/** Tests use slots of their own. A webhook counts as an account. */
export const WEBHOOK_TEST_LANE = { name: 'webhook_test', openCallsMax: 16 } as const;
export const idToBytes = (id: string): Uint8Array => Buffer.from(id, 'utf8');
export const idFromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

export interface ServeTestsOptions {
  readonly send: (event: OutgoingEvent) => Promise<AttemptResult>;
  readonly onError: (error: unknown) => void;
}

/** Receivers may hang for 30 s, so a user occupies only an eighth of the slots. */
const SLOTS: SlotLimits = { total: 32, perUser: 4, perAccount: 2 };

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
      handlers: {
        [WEBHOOK_TEST_CALL]: async (input, { signal }) =>
          idToBytes(await this.run(idFromBytes(input), send, signal)),
      },
      onError,
      slots: SLOTS,
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
      return insertAttempt(tx, { ...event, ...result, error: result.reason ?? result.error, deliveryId });
    });
  }
}
