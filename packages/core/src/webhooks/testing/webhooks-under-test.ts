import { decodeId, type EventType, encodeId } from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import type { Actor } from '../../access/index.js';
import { generateSealingKeyPair, Opener, Sealer } from '../../sealing/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { DeadLettersService } from '../dead-letters.service.js';
import type { ClaimedAttempt } from '../delivery.queries.js';
import { DeliverySettings, WebhookDeliveries } from '../webhook-deliveries.service.js';
import { WebhookSecrets, webhookSecretContext } from '../webhook-secret.js';
import { WebhooksService } from '../webhooks.service.js';

/** What an owner and a dispatcher do with webhooks, on one database. */
export class WebhooksUnderTest {
  private constructor(
    readonly core: CoreUnderTest,
    readonly webhooks: WebhooksService,
    readonly deadLetters: DeadLettersService,
    readonly deliveries: WebhookDeliveries,
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
      new WebhookDeliveries(platform, new DeliverySettings(60_000)),
      await Opener.with([keys]),
    );
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** A new webhook, by its public id. */
  async hook(actor: Actor): Promise<string> {
    const { id } = await this.webhooks.create(actor, {
      url: 'https://example.com/hook',
      events: ['*'],
      description: '',
    });
    return id;
  }

  /** A delivery that is due, of a new event; by its uuid. */
  async owe(
    actor: Actor,
    webhookId: string,
    { type = 'trade.created', data = '{}' }: { type?: EventType; data?: string } = {},
  ): Promise<string> {
    const [id, eventId] = [newUuid(), newUuid()];
    const payload = Buffer.from(
      `{"event_id":"${encodeId('evt', eventId)}","type":"${type}","timestamp":"2026-01-31T12:00:00.000Z","data":${data}}`,
    );
    await inTransaction(this.core.platform.database, async (tx) => {
      await appendEvent(tx, { id: eventId, userId: actor.userId, type, payload });
      await tx.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
         VALUES ($1, $2, $3, $4, 'DUE', clock_timestamp())`,
        [id, decodeId('whk', webhookId), eventId, type],
      );
    });
    return id;
  }

  /** An attempt that the dispatcher has begun. */
  async claimed(deliveryId: string, attempt = 1): Promise<ClaimedAttempt> {
    const claim = await this.deliveries.claim(deliveryId, attempt);
    if (claim.kind !== 'send') throw new Error(`claim: ${claim.kind}`);
    return claim.attempt;
  }

  /** Lets the delivery's remaining attempts fail, without their waits. */
  async failAll(deliveryId: string): Promise<void> {
    const failure = { statusCode: 503, error: 'http_status', responseTimeMs: 1 } as const;
    for (let attempt = 1; attempt <= 5; attempt++) {
      await this.core.rows(
        "UPDATE webhook_deliveries SET next_at = clock_timestamp() WHERE id = $1 AND status = 'DUE'",
        deliveryId,
      );
      await this.deliveries.record(await this.claimed(deliveryId, attempt), failure);
    }
  }

  /** A pending dead letter of a new event. */
  async deadLetter(
    actor: Actor,
    webhookId: string,
    event?: { type?: EventType; data?: string },
  ): Promise<{ id: string; uuid: string }> {
    const uuid = await this.owe(actor, webhookId, event);
    await this.failAll(uuid);
    // One outage is what is looked at; the next must not deactivate the webhook.
    await this.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
    return { uuid, id: encodeId('dlq', uuid) };
  }

  /** The secret that an attempt is signed with. */
  secretOf({ secretSealed, webhookId }: Pick<ClaimedAttempt, 'secretSealed' | 'webhookId'>): Promise<string> {
    return this.opener.open(secretSealed, webhookSecretContext(webhookId));
  }
}
