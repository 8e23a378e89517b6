import {
  DEAD_LETTERS_RETRIED_MAX,
  type DeadLetter,
  type DeadLetterDetail,
  type DeadLetterRetry,
  type DeadLetterRetryAsked,
  type DeadLetterStats,
  DomainError,
  deadLetterOperations,
  encodeId,
  type QueryOf,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

import {
  type Actor,
  authorise,
  type CommandRunner,
  conditions,
  decodeIdOrThrow,
  invalidState,
  type ListQuery,
  type ListReader,
  type PageWithCursors,
  parseInstant,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import {
  countDeadLetters,
  DEAD_LETTER_FROM,
  DEAD_LETTER_SELECT,
  deadLetterStatus,
  discardDeadLetter,
  hasPending,
  readDeadLetter,
  retryDeadLetter,
  retryDeadLetters,
} from './dead-letter.queries.js';
import { lockWebhook } from './delivery.queries.js';
import { type DeadLetterRow, deadLetterDetailView, deadLetterView } from './webhook.view.js';
import { findOwnWebhook, webhookInactive } from './webhooks.service.js';

/** Lists, retries and discards the dead letters of a user's webhooks. */
export class DeadLettersService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(
    actor: Actor,
    webhookId: string,
    query: ListQuery & QueryOf<typeof deadLetterOperations.list>,
  ): Promise<PageWithCursors<DeadLetter>> {
    authorise(actor, deadLetterOperations.list.access);
    const webhook = await findOwnWebhook(
      this.platform.database.manager,
      actor,
      decodeIdOrThrow('whk', webhookId),
    );
    const source = {
      select: DEAD_LETTER_SELECT,
      from: DEAD_LETTER_FROM,
      ...conditions([
        ['l.webhook_id =', webhook.id],
        ['l.status =', query.status],
        ['l.event_type =', query.event_type],
        ['l.created_at >=', parseInstant(query.from)],
        ['l.created_at <', parseInstant(query.to)],
      ]),
      sorts: {
        created_at: { column: 'l.created_at', type: 'timestamptz' as const },
        updated_at: { column: 'l.updated_at', type: 'timestamptz' as const },
      },
      idColumn: 'l.id',
    };
    // Binds cursors to the webhook, as if it were a filter.
    const boundQuery = { ...query, webhook_id: webhook.id };
    const page = await this.lists.page<DeadLetterRow>(
      deadLetterOperations.list,
      actor.userId,
      source,
      boundQuery,
    );
    return { ...page, items: page.items.map(deadLetterView) };
  }

  async stats(actor: Actor, webhookId: string): Promise<DeadLetterStats> {
    authorise(actor, deadLetterOperations.stats.access);
    const { database } = this.platform;
    const webhook = await findOwnWebhook(database.manager, actor, decodeIdOrThrow('whk', webhookId));
    return countDeadLetters(database, webhook.id);
  }

  async get(actor: Actor, webhookId: string, id: string): Promise<DeadLetterDetail> {
    authorise(actor, deadLetterOperations.get.access);
    const { manager } = this.platform.database;
    const webhook = await findOwnWebhook(manager, actor, decodeIdOrThrow('whk', webhookId));
    return readDetail(manager, webhook.id, decodeIdOrThrow('dlq', id));
  }

  /**
   * Schedules the event for the webhook again, for at most five attempts with the same event id and bytes.
   *
   * @throws {DomainError} `invalid_state` if the dead letter is already resolved, or its webhook is inactive
   */
  async retry(actor: Actor, webhookId: string, id: string): Promise<DeadLetterDetail> {
    authorise(actor, deadLetterOperations.retry.access);
    const [uuid, webhookUuid] = [decodeIdOrThrow('dlq', id), decodeIdOrThrow('whk', webhookId)];
    return this.commands.run(actor.idempotency, async (tx) => {
      const webhook = await findOwnWebhook(tx, actor, webhookUuid);
      const { isActive, isDeleted } = await lockWebhook(tx, webhook.id);
      if (isDeleted) throw new DomainError('not_found');
      const isRetried = isActive && (await retryDeadLetter(tx, webhook.id, uuid));
      if (!isRetried) throw await resolutionErrorOf(tx, webhook.id, uuid);
      return readDetail(tx, webhook.id, uuid);
    });
  }

  /**
   * Schedules the events of many pending dead letters again, each as {@link retry} does. Concurrent retries and
   * discards resolve every dead letter once.
   *
   * @throws {DomainError} `invalid_state` if the webhook is inactive
   */
  async retryMany(actor: Actor, webhookId: string, input: DeadLetterRetryAsked): Promise<DeadLetterRetry> {
    authorise(actor, deadLetterOperations.retryMany.access);
    const webhookUuid = decodeIdOrThrow('whk', webhookId);
    const filter = {
      from: parseInstant(input.from),
      to: parseInstant(input.to),
      eventType: input.event_type,
    };
    return this.commands.run(actor.idempotency, async (tx) => {
      const webhook = await findOwnWebhook(tx, actor, webhookUuid);
      const { isActive, isDeleted } = await lockWebhook(tx, webhook.id);
      if (isDeleted) throw new DomainError('not_found');
      if (!isActive) throw webhookInactive();
      const retried = await retryDeadLetters(tx, webhook, filter, DEAD_LETTERS_RETRIED_MAX);
      return { retried, has_more: await hasPending(tx, webhook.id, filter) };
    });
  }

  /**
   * Discards a dead letter, which stays readable as DISCARDED. @throws {DomainError} `invalid_state` if it is
   * already resolved
   */
  async discard(actor: Actor, webhookId: string, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, deadLetterOperations.discard.access);
    const [uuid, webhookUuid] = [decodeIdOrThrow('dlq', id), decodeIdOrThrow('whk', webhookId)];
    return this.commands.run(actor.idempotency, async (tx) => {
      const webhook = await findOwnWebhook(tx, actor, webhookUuid);
      if (!(await discardDeadLetter(tx, webhook.id, uuid)))
        throw await resolutionErrorOf(tx, webhook.id, uuid);
      return { id: encodeId('dlq', uuid), deleted: true };
    });
  }
}

async function readDetail(tx: Tx, webhookId: string, id: string): Promise<DeadLetterDetail> {
  const row = await readDeadLetter(tx, webhookId, id);
  if (row === undefined) throw new DomainError('not_found');
  return deadLetterDetailView(row);
}

/** Returns why a dead letter could not be resolved. If it is still pending, its webhook is inactive. */
async function resolutionErrorOf(tx: Tx, webhookId: string, id: string): Promise<DomainError> {
  const status = await deadLetterStatus(tx, webhookId, id);
  if (status === undefined) return new DomainError('not_found');
  if (status === 'PENDING') return webhookInactive();
  return invalidState(
    `Only a pending dead letter can be retried or discarded; this one is ${status}.`,
    status,
  );
}
