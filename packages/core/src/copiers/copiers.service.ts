import {
  type Copier,
  type CopierCreate,
  type CopierStart,
  type CopierStop,
  type CopierUpdate,
  copierOperations,
  copier as copierSchema,
  type Decision,
  DomainError,
  decodeId,
  encodeId,
  type QueryOf,
  type StoppedCopier,
} from '@trading-automation/contracts';
import { allColumns, hydrate, newUuid, type Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { lockUser } from '../access/index.js';
import {
  lockAccountShared,
  lockOwnAccountShared,
  lockWallets,
  resolveAccountFilter,
  syncIfNeverSynced,
} from '../exchange-accounts/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  decodeIdOrThrow,
  emitEvent,
  idNotFound,
  invalidState,
  type ListQuery,
  type ListReader,
  limitReached,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { lockStrategyShared, lockStrategyToFollow, resolveStrategyFilter } from '../strategies/index.js';
import { CopierEntity } from './copier.entity.js';
import {
  type CopierLink,
  conflictingPairs,
  copierColumns,
  multiplierFields,
  type PairLists,
} from './copier.rules.js';
import { countCopiersOfUser, markDeleted } from './copiers.queries.js';
import { noBookMids, readBookMidsAtStart } from './copying/book-mids-at-start.js';
import { assertNotOverDailyLoss } from './copying/copier-risk-monitor.service.js';
import { DECISION_COLUMNS, type DecisionRow, viewDecision } from './copying/decision.view.js';
import { checkMinCopyEquity, resyncExits, startFollowing } from './copying/start-copying.js';
import { assertMayFollow, assertMayMultiply, assertNotOwnAccount } from './follow-checks.js';
import { assertPairsExist } from './pair-checks.js';
import { stopCopier } from './stop-copiers.js';
import { viewCopiers, viewCopierWithStats, viewOwnCopiers, viewStoppedCopier } from './view-copiers.js';

const COPIERS_MAX = 1_000;

const columnsOf = allColumns(CopierEntity, 'c');

/**
 * The use cases of copiers. `lockUser` makes changes to one user's copiers run one after another. Rows are locked in
 * the order user, strategy, account, copier.
 */
export class CopiersService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(
    actor: Actor,
    query: ListQuery & QueryOf<typeof copierOperations.list>,
  ): Promise<PageWithCursors<Copier>> {
    authorise(actor, copierOperations.list.access);
    const { database } = this.platform;
    const where = ['c.user_id = $1', 'c.deleted_at IS NULL'];
    const params: unknown[] = [actor.userId];
    const filter = (column: string, value: string | undefined) => {
      if (value !== undefined) where.push(`c.${column} = $${params.push(value)}`);
    };
    filter('status', query.status);
    if (query.strategy_id !== undefined) {
      filter('strategy_id', await resolveStrategyFilter(database.manager, actor, query.strategy_id));
    }
    if (query.exchange_account_id !== undefined) {
      const accountId = await resolveAccountFilter(database.manager, actor, query.exchange_account_id);
      filter('exchange_account_id', accountId);
    }
    const source = {
      select: columnsOf(database),
      from: 'copiers c',
      where,
      params,
      sorts: {
        created_at: { column: 'c.created_at', type: 'timestamptz' },
        name: { column: 'c.name', type: 'text' },
      },
      idColumn: 'c.id',
    } as const;
    const page = await this.lists.page(copierOperations.list, actor.userId, source, query);
    const copiers = hydrate(database, CopierEntity, page.items);
    return { ...page, items: await viewCopiers(database.manager, copiers) };
  }

  async get(actor: Actor, publicId: string): Promise<Copier> {
    authorise(actor, copierOperations.get.access);
    const { manager } = this.platform.database;
    return viewCopierWithStats(manager, await findOwn(manager, actor, publicId));
  }

  /** Loads copiers in input order; null for unknown ids. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Copier | null)[]> {
    authorise(actor, copierOperations.get.access);
    const { manager } = this.platform.database;
    return loadByIds('cpr', publicIds, (ids) => viewOwnCopiers(manager, actor.userId, ids));
  }

  async create(actor: Actor, input: CopierCreate): Promise<Copier> {
    authorise(actor, copierOperations.create.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const settings = copierColumns(input);
      assertNoContradiction({ allowedPairs: null, blockedPairs: null, ...settings });
      const { strategy_id } = input;
      const strategy =
        strategy_id === undefined ? null : await lockStrategyToFollow(tx, actor, strategy_id, 'strategy_id');
      const account = await lockOwnAccountShared(tx, actor, input.exchange_account_id);
      const copier = { exchangeAccountId: account.id };
      if (strategy !== null) {
        const { sizing, overrides } = input;
        const link = { ...copier, userId: actor.userId, sizingMode: sizing.mode, overrides };
        await assertMayFollow(tx, strategy, [
          {
            field: 'exchange_account_id',
            sizingField: 'sizing.mode',
            overridesField: 'overrides',
            copier: link,
          },
        ]);
      }
      await assertPairsExist(tx, account.id, input);
      await assertBelowLimit(tx, actor.userId);
      const id = newUuid();
      await tx.insert(CopierEntity, {
        ...settings,
        ...copier,
        id,
        userId: actor.userId,
        strategyId: strategy?.id ?? null,
        status: 'PAUSED',
      });
      return viewCopierWithStats(tx, await tx.findOneByOrFail(CopierEntity, { id }));
    });
  }

  async update(actor: Actor, publicId: string, input: CopierUpdate): Promise<Copier> {
    authorise(actor, copierOperations.update.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const unlocked = await findOwn(tx, actor, publicId);
      const newStrategyId = await this.strategyToLink(tx, actor, unlocked, input);
      const copier = await lockCopier(tx, unlocked.id);
      if (newStrategyId !== undefined && copier.status !== 'PAUSED') throw notPaused(copier, 'strategy_id');
      const changes = {
        ...copierColumns(input),
        ...(newStrategyId === undefined ? {} : { strategyId: newStrategyId, ...NOT_FOLLOWED_YET }),
      };
      assertNoContradiction({ ...copier, ...changes });
      await assertPairsExist(tx, copier.exchangeAccountId, input);
      if (Object.keys(changes).length === 0) return viewCopierWithStats(tx, copier);
      await tx.update(CopierEntity, { id: copier.id }, changes);
      return viewCopierWithStats(tx, await tx.findOneByOrFail(CopierEntity, { id: copier.id }));
    });
  }

  async delete(actor: Actor, publicId: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, copierOperations.delete.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const copier = await lockCopier(tx, (await findOwn(tx, actor, publicId)).id);
      if (copier.status !== 'PAUSED') throw notPaused(copier);
      await markDeleted(tx, copier.id);
      return { id: encodeId('cpr', copier.id), deleted: true };
    });
  }

  /**
   * Starts copying the lots that the strategy opens from now on. An active copier does not change, except that `resync`
   * makes it sell the amounts of the exits that it missed. If the account's balances were never read, reads them first,
   * because copies cannot spend unknown balances.
   */
  async start(actor: Actor, publicId: string, input: CopierStart = {}): Promise<Copier> {
    authorise(actor, copierOperations.start.access);
    const { commands, platform } = this;
    const readBeforeStart = async () => {
      const copier = await findOwn(platform.database.manager, actor, publicId);
      if (copier.strategyId === null) return noBookMids();
      await syncIfNeverSynced(platform, actor, encodeId('exa', copier.exchangeAccountId));
      const copiesExisting = copier.status !== 'ACTIVE' && (input.copy_existing ?? copier.copyExisting);
      return copiesExisting ? readBookMidsAtStart(platform, copier) : noBookMids();
    };
    return commands.runPrepared(actor.idempotency, readBeforeStart, async (tx, bookMids) => {
      await lockUser(tx, actor.userId);
      const unlocked = await findOwn(tx, actor, publicId);
      const error = await checkStartable(tx, unlocked);
      const copier = await lockCopier(tx, unlocked.id);
      if (copier.status === 'ACTIVE') {
        if (input.resync !== undefined) await resyncExits(tx, copier);
        return readCopier(tx, copier.id);
      }
      if (error !== undefined) throw error;
      await assertNotOverDailyLoss(tx, copier);
      const drift = await startFollowing(tx, copier, input, bookMids);
      const record = await readCopier(tx, copier.id);
      const event = { userId: actor.userId, schema: copierSchema, record };
      await emitEvent(tx, { ...event, type: 'copier.started' });
      if (drift.length > 0) await emitEvent(tx, { ...event, type: 'copier.drift' });
      return record;
    });
  }

  /** Stops the copier. A copier that is paused or already in the requested mode does not change. */
  async stop(actor: Actor, publicId: string, input?: CopierStop): Promise<StoppedCopier> {
    authorise(actor, copierOperations.stop.access);
    const status = input?.mode ?? 'PAUSED';
    return this.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      const copier = await lockCopier(tx, (await findOwn(tx, actor, publicId)).id);
      if (copier.status === 'PAUSED' || copier.status === status) return viewStoppedCopier(tx, copier);
      return viewStoppedCopier(tx, await stopCopier(tx, copier.id, { status, reason: 'USER' }));
    });
  }

  /** Lists the copier's decisions on signals, even if the copier is deleted. */
  async decisions(
    actor: Actor,
    publicId: string,
    query: ListQuery & QueryOf<typeof copierOperations.decisions>,
  ): Promise<PageWithCursors<Decision>> {
    authorise(actor, copierOperations.decisions.access);
    const copier = await findOwnIncludingDeleted(this.platform.database.manager, actor, publicId);
    const where = ['d.copier_id = $1'];
    const params: unknown[] = [copier.id];
    if (query.outcome === 'PENDING') where.push('d.settled_at IS NULL');
    else if (query.outcome !== undefined)
      where.push(`d.outcome = $${params.push(query.outcome)} AND d.settled_at IS NOT NULL`);
    if (query.signal_id !== undefined) {
      const signalId = await resolveSignalFilter(this.platform.database.manager, copier, query.signal_id);
      where.push(`d.signal_id = $${params.push(signalId)}`);
    }
    const source = {
      select: DECISION_COLUMNS,
      from: 'decisions d',
      where,
      params,
      sorts: {
        created_at: { column: 'd.created_at', type: 'timestamptz' as const },
        sequence: { column: 'd.sequence', type: 'bigint' as const },
      },
      idColumn: 'd.id',
    };
    // The copier counts as a filter to which a cursor is bound, so that the cursor is invalid for another copier.
    const queryOfCopier = { ...query, copier_id: copier.id };
    const page = await this.lists.page<DecisionRow & Record<string, unknown>>(
      copierOperations.decisions,
      actor.userId,
      source,
      queryOfCopier,
    );
    return { ...page, items: page.items.map(viewDecision) };
  }

  /** Returns the uuid of the strategy that the update links to; null if it unlinks; undefined if nothing changes. */
  private async strategyToLink(
    tx: Tx,
    actor: Actor,
    copier: CopierEntity,
    input: CopierUpdate,
  ): Promise<string | null | undefined> {
    const { strategy_id: publicId, sizing, overrides } = input;
    const isKept =
      publicId === undefined ||
      (publicId !== null && copier.strategyId !== null && decodeId('str', publicId) === copier.strategyId);
    if (isKept) {
      await assertMayChangeSizing(tx, copier, input);
      return undefined;
    }
    if (publicId === null) return copier.strategyId === null ? undefined : null;
    const strategy = await lockStrategyToFollow(tx, actor, publicId, 'strategy_id');
    await assertMayFollow(tx, strategy, [
      { field: 'strategy_id', ...resizedLink(copier, { sizing, overrides }) },
    ]);
    return strategy.id;
  }
}

/**
 * Returns an error if the copier cannot be started. `start` ignores the error if the copier is already active. Locks
 * the copier's strategy and account until the transaction ends.
 */
async function checkStartable(tx: Tx, copier: CopierEntity): Promise<DomainError | undefined> {
  if (copier.strategyId === null) {
    return invalidState('The copier does not follow a strategy. Set its strategy_id first.', 'NO_STRATEGY');
  }
  const strategy = await lockStrategyShared(tx, copier.strategyId);
  if (strategy.isDeleted) {
    return invalidState('The strategy was removed. Set strategy_id to another strategy.', 'STRATEGY_REMOVED');
  }
  if (strategy.status === 'ARCHIVED') {
    return invalidState(
      'The strategy is archived. Set strategy_id to another strategy.',
      'STRATEGY_ARCHIVED',
    );
  }
  // A start may place orders immediately, so it takes the same lock on the account as placing an order.
  await lockWallets(tx, [copier.exchangeAccountId]);
  const account = await lockAccountShared(tx, copier.exchangeAccountId);
  if (account.isRemoved) {
    return invalidState(
      'The exchange account was removed. Create a copier on another account.',
      'ACCOUNT_REMOVED',
    );
  }
  if (!account.isActive) {
    const message = 'The exchange rejected the credentials of the account. Update them first.';
    return invalidState(message, 'ACCOUNT_INACTIVE');
  }
  if (copier.status !== 'ACTIVE')
    await assertNotOwnAccount(tx, strategy, [{ field: 'exchange_account_id', copier }]);
  return checkMinCopyEquity(tx, copier.strategyId, account.id, copier.quoteAliases);
}

/** Returns the copier with a new sizing, and the fields of the request that contain it. */
function resizedLink(
  { exchangeAccountId, userId, sizingMode, overrides }: CopierEntity,
  changed: Pick<CopierUpdate, 'sizing' | 'overrides'>,
): Omit<CopierLink, 'field'> {
  return {
    ...(changed.sizing === undefined ? {} : { sizingField: 'sizing.mode' }),
    ...(changed.overrides === undefined ? {} : { overridesField: 'overrides' }),
    copier: {
      exchangeAccountId,
      userId,
      sizingMode: changed.sizing?.mode ?? sizingMode,
      overrides: changed.overrides ?? overrides,
    },
  };
}

/**
 * Checks a new sizing of a copier that keeps its strategy. The copier, and each pair, may keep the mode MULTIPLIER, but what
 * has another mode may not change to it.
 */
async function assertMayChangeSizing(tx: Tx, copier: CopierEntity, input: CopierUpdate): Promise<void> {
  const link = { field: 'sizing.mode', ...resizedLink(copier, input), kept: copier };
  if (copier.strategyId === null || multiplierFields(link).length === 0) return;
  assertMayMultiply(await lockStrategyShared(tx, copier.strategyId), [link]);
}

/** The state of a copier that has not followed its strategy yet. */
const NOT_FOLLOWED_YET = { followedSequence: null, startedSequence: '0', resumedSequence: '0', drift: [] };

async function readCopier(tx: Tx, id: string): Promise<Copier> {
  return viewCopierWithStats(tx, await tx.findOneByOrFail(CopierEntity, { id }));
}

/** Like `findOwn`, but also finds deleted copiers. */
async function findOwnIncludingDeleted(tx: Tx, actor: Actor, publicId: string): Promise<CopierEntity> {
  const copier = await tx.findOneBy(CopierEntity, {
    id: decodeIdOrThrow('cpr', publicId),
    userId: actor.userId,
  });
  if (copier === null) throw new DomainError('not_found');
  return copier;
}

/**
 * Returns the uuid of a signal of the copier's strategy, or of a signal on which the copier made a decision.
 * @throws {DomainError} `not_found`
 */
async function resolveSignalFilter(tx: Tx, copier: CopierEntity, publicId: string): Promise<string> {
  const [signal] = await tx.query(
    `SELECT id FROM signals s WHERE id = $1 AND (strategy_id = $2
       OR EXISTS (SELECT FROM decisions d WHERE d.signal_id = s.id AND d.copier_id = $3))`,
    [decodeId('sig', publicId), copier.strategyId, copier.id],
  );
  if (signal === undefined) throw idNotFound('signal_id', 'signal');
  return signal.id;
}

async function findOwn(tx: Tx, actor: Actor, publicId: string): Promise<CopierEntity> {
  const id = decodeId('cpr', publicId);
  const copier =
    id === null ? null : await tx.findOneBy(CopierEntity, { id, userId: actor.userId, deletedAt: IsNull() });
  if (copier === null) throw new DomainError('not_found');
  return copier;
}

/**
 * Locks the copier and returns its current state. It cannot have been deleted, because the caller has locked the user.
 */
function lockCopier(tx: Tx, id: string): Promise<CopierEntity> {
  return tx.findOneOrFail(CopierEntity, { where: { id }, lock: { mode: 'for_no_key_update' } });
}

function notPaused({ status }: CopierEntity, field?: string): DomainError {
  return invalidState(`The copier is ${status}. Stop it with mode PAUSED first.`, status, field);
}

function assertNoContradiction(lists: PairLists): void {
  const symbols = conflictingPairs(lists);
  if (symbols.length === 0) return;
  const message = `Pairs are both allowed and blocked: ${symbols.slice(0, 5).join(', ')}. Remove them from one list.`;
  throw new DomainError('validation_failed', undefined, [
    { field: 'limits.blocked_pairs', code: 'contradiction', message },
  ]);
}

async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  if ((await countCopiersOfUser(tx, userId)) < COPIERS_MAX) return;
  throw limitReached('copiers', COPIERS_MAX);
}
