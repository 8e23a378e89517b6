import { decodeId, type EventType, encodeId } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import type { Actor } from '../../operations/index.js';

import { generateSealingKeyPair, Opener, Sealer } from '../../sealing/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { DeadLettersService } from '../dead-letters.service.js';
import type { ClaimedAttempt } from '../delivery.queries.js';
import { DeliverySettings, WebhookDeliveriesService } from '../webhook-deliveries.service.js';
import { WebhookSecrets, webhookSecretContext } from '../webhook-secret.js';
import { WebhooksService } from '../webhooks.service.js';

export interface EventFixture {
  readonly type?: EventType;
  readonly data?: string;
}

/** The test environment of webhooks: the services of a webhook's owner and of a dispatcher on one database. */
export class WebhooksUnderTest {
  private constructor(
    readonly core: CoreUnderTest,
    readonly webhooks: WebhooksService,
    readonly deadLetters: DeadLettersService,
    readonly deliveries: WebhookDeliveriesService,
    private readonly opener: Opener,
  ) {}

  static async open(): Promise<WebhooksUnderTest> {
    const core = await CoreUnderTest.open();
    const { platform, lists, commands } = core;
    const keys = await generateSealingKeyPair();
    return new WebhooksUnderTest(
      core,
      new WebhooksService(platform, lists, commands, new WebhookSecrets(await Sealer.for(keys), false)),
      new DeadLettersService(platform, lists, commands),
      new WebhookDeliveriesService(platform, new DeliverySettings(60_000)),
      await Opener.with([keys]),
    );
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** Creates a webhook and returns its public id. */
  async createWebhook(actor: Actor, events: readonly string[] = ['*']): Promise<string> {
    const { id } = await this.webhooks.create(actor, {
      url: 'https://example.com/hook',
      events: [...events],
      description: '',
    });
    return id;
  }

  /** Appends an event of the user to the outbox without fanning it out. */
  async emit(
    actor: Actor,
    { type = 'trade.created', data = '{}' }: EventFixture = {},
  ): Promise<{ id: string; uuid: string; payload: Buffer }> {
    const uuid = newUuid();
    const id = encodeId('evt', uuid);
    const payload = Buffer.from(
      `{"event_id":"${id}","type":"${type}","timestamp":"2026-01-31T12:00:00.000Z","data":${data}}`,
    );
    await inTransaction(this.core.platform.database, (tx) =>
      appendEvent(tx, { id: uuid, userId: actor.userId, type, payload }),
    );
    return { id, uuid, payload };
  }

  /** Inserts a due delivery of a new event and returns its uuid. */
  async createDueDelivery(actor: Actor, webhookId: string, event: EventFixture = {}): Promise<string> {
    const id = newUuid();
    const { uuid } = await this.emit(actor, event);
    await this.core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
       VALUES ($1, $2, $3, $4, 'DUE', clock_timestamp())`,
      id,
      decodeId('whk', webhookId),
      uuid,
      event.type ?? 'trade.created',
    );
    return id;
  }

  /** Claims an attempt in the lane of its webhook. @throws if it cannot be claimed */
  async claimAttempt(deliveryId: string, attempt = 1): Promise<ClaimedAttempt> {
    const main = await this.deliveries.claim(deliveryId, attempt);
    const claim = main.kind === 'slow' ? await this.deliveries.claim(deliveryId, attempt, 'slow') : main;
    if (claim.kind !== 'send') throw new Error(`claim: ${claim.kind}`);
    return claim.attempt;
  }

  /** Records a failure of each of the delivery's five attempts, without waiting between them. */
  async failAllAttempts(deliveryId: string): Promise<void> {
    const failure = { statusCode: 503, error: 'http_status', responseTimeMs: 1 } as const;
    for (let attempt = 1; attempt <= 5; attempt++) {
      await this.core.rows(
        "UPDATE webhook_deliveries SET next_at = clock_timestamp() WHERE id = $1 AND status = 'DUE'",
        deliveryId,
      );
      await this.deliveries.record(await this.claimAttempt(deliveryId, attempt), failure);
    }
  }

  /** Creates a pending dead letter of a new event. */
  async createDeadLetter(
    actor: Actor,
    webhookId: string,
    event?: EventFixture,
  ): Promise<{ id: string; uuid: string }> {
    const uuid = await this.createDueDelivery(actor, webhookId, event);
    await this.failAllAttempts(uuid);
    // Without this reset, the failures of several dead letters together would deactivate the webhook.
    await this.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
    return { uuid, id: encodeId('dlq', uuid) };
  }

  /** Returns the secret that signs an attempt. */
  secretOf({ secretSealed, webhookId }: Pick<ClaimedAttempt, 'secretSealed' | 'webhookId'>): Promise<string> {
    return this.opener.open(secretSealed, webhookSecretContext(webhookId));
  }
}
