import {
  type Delivery,
  type DeliveryStatus,
  DomainError,
  decodeId,
  encodeId,
  type QueryOf,
  type Webhook,
  type WebhookCreate,
  type WebhookReplay,
  type WebhookReplayAsked,
  type WebhookStats,
  type WebhookUpdate,
  type WebhookWithSecret,
  webhookOperations,
} from '@trading-automation/contracts';
import {
  allColumns,
  CallRefused,
  type CallTimes,
  callProcess,
  hydrate,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { lockUser } from '../access/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  conditions,
  decodeIdOrThrow,
  idNotFound,
  invalidState,
  type ListQuery,
  type ListReader,
  limitReached,
  loadByIds,
  type PageWithCursors,
  parseInstant,
  toDomainError,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { deadLetterDueDeliveries, lockWebhook } from './delivery.queries.js';
import { checkWebhookUrl } from './egress.js';
import { findEventType, isKnownEvent, latestRunStatus, replayEvent } from './replay.queries.js';
import { WebhookEntity } from './webhook.entity.js';
import { ATTEMPT_FROM, ATTEMPT_SELECT, type AttemptRow, deliveryView, webhookView } from './webhook.view.js';
import { newWebhookSecret, type WebhookSecrets, webhookSecretContext } from './webhook-secret.js';
import { readWebhookStats } from './webhook-stats.queries.js';
import {
  idFromBytes,
  idToBytes,
  WEBHOOK_TEST_CALL,
  WEBHOOK_TEST_LANE,
  WEBHOOK_TEST_TIMES,
} from './webhook-tests.service.js';

const WEBHOOKS_MAX = 50;

const COLUMNS = allColumns(WebhookEntity, 'w');
const SELECT_OWN = allColumns(
  WebhookEntity,
  'w',
  (columns) =>
    `SELECT ${columns} FROM webhooks w WHERE w.id = ANY ($1) AND w.user_id = $2 AND w.deleted_at IS NULL`,
);

/** Manages a user's webhooks. The dispatcher sends their deliveries. */
export class WebhooksService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
    private readonly secrets: WebhookSecrets,
    private readonly testTimes: CallTimes = WEBHOOK_TEST_TIMES,
  ) {}

  /**
   * Creates a webhook. Only this response contains the secret: it is stored sealed, and this process cannot open it.
   */
  async create(actor: Actor, input: WebhookCreate): Promise<WebhookWithSecret> {
    authorise(actor, webhookOperations.create.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      this.assertUrlAllowed(input.url);
      await assertBelowLimit(tx, actor.userId);
      const id = newUuid();
      const secret = newWebhookSecret();
      const secretSealed = await this.secrets.sealer.seal(secret, webhookSecretContext(id));
      await tx.query(
        `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [id, actor.userId, input.url, [...new Set(input.events)], input.description, secretSealed],
      );
      return { ...webhookView(await findOwnWebhook(tx, actor, id)), secret };
    });
  }

  async list(actor: Actor, query: ListQuery): Promise<PageWithCursors<Webhook>> {
    authorise(actor, webhookOperations.list.access);
    const source = {
      select: COLUMNS(this.platform.database),
      from: 'webhooks w',
      where: ['w.user_id = $1', 'w.deleted_at IS NULL'],
      params: [actor.userId],
      sorts: {
        created_at: { column: 'w.created_at', type: 'timestamptz' as const },
        updated_at: { column: 'w.updated_at', type: 'timestamptz' as const },
      },
      idColumn: 'w.id',
    };
    const page = await this.lists.page(webhookOperations.list, actor.userId, source, query);
    return { ...page, items: hydrate(this.platform.database, WebhookEntity, page.items).map(webhookView) };
  }

  async get(actor: Actor, id: string): Promise<Webhook> {
    authorise(actor, webhookOperations.get.access);
    return webhookView(
      await findOwnWebhook(this.platform.database.manager, actor, decodeIdOrThrow('whk', id)),
    );
  }

  /** Returns webhooks in input order; null for unknown ids. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Webhook | null)[]> {
    authorise(actor, webhookOperations.get.access);
    const { database } = this.platform;
    return loadByIds('whk', publicIds, async (ids) => {
      const rows = await queryPrepared(database.manager, SELECT_OWN(database), [ids, actor.userId]);
      return hydrate(database, WebhookEntity, rows).map(webhookView);
    });
  }

  /**
   * Updates a webhook; attempts that have not started use the new values. Deactivation moves its due deliveries to
   * the dead letters, as an automatic deactivation does. Activation resets its failures.
   */
  async update(actor: Actor, id: string, changes: WebhookUpdate): Promise<Webhook> {
    authorise(actor, webhookOperations.update.access);
    const uuid = decodeIdOrThrow('whk', id);
    return this.commands.run(actor.idempotency, async (tx) => {
      if (changes.url !== undefined) this.assertUrlAllowed(changes.url);
      if (Object.keys(changes).length > 0) await updateWebhook(tx, actor, uuid, changes);
      const webhook = await findOwnWebhook(tx, actor, uuid);
      // The URL may be older than a rule that refuses it.
      if (changes.is_active === true) this.assertUrlAllowed(webhook.url);
      return webhookView(webhook);
    });
  }

  /**
   * Replaces the secret; only this response contains the new one. All later attempts are signed with the new secret,
   * including those of pending deliveries.
   */
  async rotateSecret(actor: Actor, id: string): Promise<WebhookWithSecret> {
    authorise(actor, webhookOperations.rotateSecret.access);
    const uuid = decodeIdOrThrow('whk', id);
    return this.commands.run(actor.idempotency, async (tx) => {
      const secret = newWebhookSecret();
      const secretSealed = await this.secrets.sealer.seal(secret, webhookSecretContext(uuid));
      const [, count] = await tx.query(
        `UPDATE webhooks SET secret_sealed = $3, secret_last_rotated_at = clock_timestamp(),
           updated_at = clock_timestamp()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
        [uuid, actor.userId, secretSealed],
      );
      if (count === 0) throw new DomainError('not_found');
      return { ...webhookView(await findOwnWebhook(tx, actor, uuid)), secret };
    });
  }

  /** Deletes a webhook and its secret, and discards its due deliveries. No attempt starts after that. */
  async delete(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, webhookOperations.delete.access);
    const uuid = decodeIdOrThrow('whk', id);
    return this.commands.run(actor.idempotency, async (tx) => {
      const [, count] = await tx.query(
        `UPDATE webhooks SET deleted_at = now(), updated_at = now(), is_active = false, secret_sealed = NULL
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
        [uuid, actor.userId],
      );
      if (count === 0) throw new DomainError('not_found');
      await tx.query(
        `UPDATE webhook_deliveries SET status = 'DISCARDED', next_at = NULL, updated_at = clock_timestamp()
         WHERE webhook_id = $1 AND status = 'DUE'`,
        [uuid],
      );
      return { id: encodeId('whk', uuid), deleted: true };
    });
  }

  /** Lists the attempts of a webhook. @throws {DomainError} `not_found`, naming `event_id` if that is unknown */
  async deliveries(
    actor: Actor,
    id: string,
    query: ListQuery & QueryOf<typeof webhookOperations.deliveries>,
  ): Promise<PageWithCursors<Delivery>> {
    authorise(actor, webhookOperations.deliveries.access);
    const { manager } = this.platform.database;
    const webhook = await findOwnWebhook(manager, actor, decodeIdOrThrow('whk', id));
    const { where, params } = conditions([
      ['a.webhook_id =', webhook.id],
      ['a.event_type =', query.event_type],
      ['d.event_id =', query.event_id && (await resolveEventFilter(manager, webhook, query.event_id))],
      ['a.created_at >=', parseInstant(query.from)],
      ['a.created_at <', parseInstant(query.to)],
    ]);
    const source = {
      select: ATTEMPT_SELECT,
      from: ATTEMPT_FROM,
      where: query.status === undefined ? where : [...where, STATUS_CONDITIONS[query.status]],
      params,
      sorts: {
        created_at: { column: 'a.created_at', type: 'timestamptz' as const },
        attempted_at: { column: 'a.attempted_at', type: 'timestamptz' as const },
      },
      idColumn: 'a.id',
    };
    // Binds cursors to the webhook, as if it were a filter.
    const boundQuery = { ...query, webhook_id: webhook.id };
    const page = await this.lists.page<AttemptRow>(
      webhookOperations.deliveries,
      actor.userId,
      source,
      boundQuery,
    );
    return { ...page, items: page.items.map(deliveryView) };
  }

  async stats(actor: Actor, id: string): Promise<WebhookStats> {
    authorise(actor, webhookOperations.stats.access);
    const { manager } = this.platform.database;
    const webhook = await findOwnWebhook(manager, actor, decodeIdOrThrow('whk', id));
    return readWebhookStats(manager, webhook.id);
  }

  /**
   * Schedules a past event for the webhook, due now, for up to five attempts. The event may be of any age within the
   * retention time and of any type, even if the webhook does not subscribe to the type.
   *
   * @throws {DomainError} `not_found`, naming `event_id`, if the event is unknown or too old; `invalid_state` if the
   *   webhook is inactive, or a delivery of the event to the webhook is in progress
   */
  async replay(actor: Actor, id: string, { event_id }: WebhookReplayAsked): Promise<WebhookReplay> {
    authorise(actor, webhookOperations.replay.access);
    const [uuid, eventId] = [decodeIdOrThrow('whk', id), decodeId('evt', event_id)];
    return this.commands.run(actor.idempotency, async (tx) => {
      const webhook = await findOwnWebhook(tx, actor, uuid);
      const eventType = eventId === null ? undefined : await findEventType(tx, actor.userId, eventId);
      if (eventId === null || eventType === undefined) throw idNotFound('event_id', 'event');
      const { isActive, isDeleted } = await lockWebhook(tx, webhook.id);
      if (isDeleted) throw new DomainError('not_found');
      if (!isActive) throw webhookInactive();
      const run = await replayEvent(tx, webhook.id, { id: eventId, type: eventType });
      if (run === undefined) throw deliveryInProgress(await latestRunStatus(tx, webhook.id, eventId));
      return { event_id: encodeId('evt', eventId), event_type: eventType, run };
    });
  }

  /**
   * Sends one test event through the dispatcher and returns the attempt, even if it failed.
   *
   * @throws {DomainError} `service_unavailable` if no dispatcher responds
   */
  async test(actor: Actor, id: string): Promise<Delivery> {
    authorise(actor, webhookOperations.test.access);
    return this.commands.runPrepared(
      actor.idempotency,
      () => this.sendTest(actor, id),
      async (tx, attemptId) => deliveryView(await findAttempt(tx, attemptId)),
    );
  }

  private async sendTest(actor: Actor, id: string): Promise<string> {
    const { database, listener } = this.platform;
    const webhook = await findOwnWebhook(database.manager, actor, decodeIdOrThrow('whk', id));
    try {
      const reply = await callProcess({
        dataSource: database,
        listener,
        name: WEBHOOK_TEST_CALL,
        input: idToBytes(webhook.id),
        owner: { userId: actor.userId, accountId: webhook.id },
        lane: WEBHOOK_TEST_LANE.name,
        openCallsMax: WEBHOOK_TEST_LANE.openCallsMax,
        ...this.testTimes,
      });
      return idFromBytes(reply);
    } catch (error) {
      if (error instanceof CallRefused && error.code === 'not_found') throw new DomainError('not_found');
      throw toDomainError(error);
    }
  }

  private assertUrlAllowed(url: string): void {
    const check = checkWebhookUrl(url, {
      allowLoopback: this.secrets.allowLoopback,
      requireHttps: this.platform.world === 'live',
    });
    if ('url' in check) return;
    const { code, message } = check;
    throw new DomainError('validation_failed', undefined, [{ field: 'url', code, message }]);
  }
}

/** Takes the user's lock, so that two concurrent requests cannot both create the last allowed webhook. */
async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  await lockUser(tx, userId);
  const [{ count }] = await tx.query(
    'SELECT count(*)::int AS count FROM webhooks WHERE user_id = $1 AND deleted_at IS NULL',
    [userId],
  );
  if (count < WEBHOOKS_MAX) return;
  throw limitReached('webhooks', WEBHOOKS_MAX);
}

/** Updates the row. If the webhook is already inactive, `is_active: false` keeps the deactivation's time and reason. */
async function updateWebhook(tx: Tx, actor: Actor, id: string, changes: WebhookUpdate): Promise<void> {
  const { url, events, description, is_active } = changes;
  const [, count] = await tx.query(
    `UPDATE webhooks SET url = coalesce($3, url), events = coalesce($4, events),
       description = coalesce($5, description), is_active = coalesce($6, is_active),
       consecutive_failures = CASE WHEN $6 THEN 0 ELSE consecutive_failures END,
       consecutive_dead_letters = CASE WHEN $6 THEN 0 ELSE consecutive_dead_letters END,
       deactivated_at = CASE WHEN $6 THEN NULL WHEN is_active AND NOT $6 THEN clock_timestamp() ELSE deactivated_at END,
       deactivation_reason = CASE WHEN $6 THEN NULL WHEN is_active AND NOT $6 THEN 'user' ELSE deactivation_reason END,
       updated_at = clock_timestamp()
     WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
    [id, actor.userId, url, events && [...new Set(events)], description, is_active],
  );
  if (count === 0) throw new DomainError('not_found');
  if (is_active === false) await deadLetterDueDeliveries(tx, id);
}

/** SQL literals instead of a parameter, so that Postgres can use a partial index of failed attempts. */
const STATUS_CONDITIONS: Readonly<Record<DeliveryStatus, string>> = {
  SUCCEEDED: "a.status = 'SUCCEEDED'",
  FAILED: "a.status = 'FAILED'",
};

async function resolveEventFilter(tx: Tx, webhook: WebhookEntity, eventId: string): Promise<string> {
  const uuid = decodeId('evt', eventId);
  if (uuid === null || !(await isKnownEvent(tx, webhook, uuid))) throw idNotFound('event_id', 'event');
  return uuid;
}

/** Returns the error for deliveries to an inactive webhook. */
export function webhookInactive(): DomainError {
  return invalidState('The webhook is inactive. Update it with is_active: true first.', 'INACTIVE');
}

function deliveryInProgress(state: string): DomainError {
  return invalidState('A delivery of this event to this webhook is in progress. Wait for its result.', state);
}

/** Returns a webhook of the actor that is not deleted. @throws {DomainError} `not_found` */
export async function findOwnWebhook(tx: Tx, actor: Actor, id: string): Promise<WebhookEntity> {
  const webhook = await tx.findOneBy(WebhookEntity, { id, userId: actor.userId, deletedAt: IsNull() });
  if (webhook === null) throw new DomainError('not_found');
  return webhook;
}

async function findAttempt(tx: Tx, id: string): Promise<AttemptRow> {
  const [row] = await tx.query(`SELECT ${ATTEMPT_SELECT} FROM ${ATTEMPT_FROM} WHERE a.id = $1`, [id]);
  if (row === undefined) throw new DomainError('not_found');
  return row;
}
