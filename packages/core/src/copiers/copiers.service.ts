import {
  type Copier,
  type CopierCreate,
  type CopierStop,
  type CopierUpdate,
  copierOperations,
  copier as copierSchema,
  DomainError,
  decodeId,
  encodeId,
  type QueryOf,
  type StoppedCopier,
} from '@trading-automation/contracts';
import { hydrate, newUuid, type Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { type Actor, authorise, lockUser } from '../access/index.js';
import { announce } from '../announce.js';
import type { Commands } from '../commands.js';
import { accountOfFilter, holdAccount, holdOwnAccount } from '../exchange-accounts/index.js';
import type { ListQuery, Lists, Page } from '../lists.js';
import type { Platform } from '../platform.js';
import { limitReached, stateRefused } from '../refusals.js';
import { holdStrategy, strategyOfFilter, strategyToFollow } from '../strategies/index.js';
import { CopierEntity } from './copier.entity.js';
import { contradictions, type PairLists, settingsOf } from './copier.rules.js';
import { viewCopier, viewStoppedCopier } from './copier.view.js';
import { stopCopier } from './copier-stops.service.js';
import { countCopiersOfUser, markDeleted, markStarted } from './copiers.queries.js';
import { assertMayFollow } from './strategy-links.service.js';

const COPIERS_MAX = 1_000;

/**
 * What a user does with copiers. Whatever changes the copiers of one user happens one after the other (`lockUser`);
 * rows are locked in the order user, strategy, account, copier.
 */
export class CopiersService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: Lists,
    private readonly commands: Commands,
  ) {}

  async list(actor: Actor, query: ListQuery & QueryOf<typeof copierOperations.list>): Promise<Page<Copier>> {
    authorise(actor, copierOperations.list.access);
    const { database } = this.platform;
    const where = ['c.user_id = $1', 'c.deleted_at IS NULL'];
    const params: unknown[] = [actor.userId];
    const filter = (column: string, value: string | undefined) => {
      if (value !== undefined) where.push(`c.${column} = $${params.push(value)}`);
    };
    filter('status', query.status);
    if (query.strategy_id !== undefined) {
      filter('strategy_id', await strategyOfFilter(database.manager, actor, query.strategy_id));
    }
    if (query.exchange_account_id !== undefined) {
      const accountId = await accountOfFilter(database.manager, actor, query.exchange_account_id);
      filter('exchange_account_id', accountId);
    }
    const source = {
      select: 'c.*',
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
    return { ...page, items: hydrate(database, CopierEntity, page.items).map(viewCopier) };
  }

  async get(actor: Actor, publicId: string): Promise<Copier> {
    authorise(actor, copierOperations.get.access);
    return viewCopier(await findOwn(this.platform.database.manager, actor, publicId));
  }

  async create(actor: Actor, input: CopierCreate): Promise<Copier> {
    authorise(actor, copierOperations.create.access);
    return this.commands.run(actor.once, async (tx) => {
      await lockUser(tx, actor.userId);
      const settings = settingsOf(input);
      assertNoContradiction({ allowedPairs: null, blockedPairs: null, ...settings });
      const { strategy_id } = input;
      const strategy =
        strategy_id === undefined ? null : await strategyToFollow(tx, actor, strategy_id, 'strategy_id');
      const account = await holdOwnAccount(tx, actor, input.exchange_account_id);
      const copier = { exchangeAccountId: account.id };
      if (strategy !== null) await assertMayFollow(tx, strategy, [{ field: 'exchange_account_id', copier }]);
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
      return viewCopier(await tx.findOneByOrFail(CopierEntity, { id }));
    });
  }

  async update(actor: Actor, publicId: string, input: CopierUpdate): Promise<Copier> {
    authorise(actor, copierOperations.update.access);
    return this.commands.run(actor.once, async (tx) => {
      await lockUser(tx, actor.userId);
      const seen = await findOwn(tx, actor, publicId);
      const link = await this.changedLink(tx, actor, seen, input.strategy_id);
      const copier = await lockCopier(tx, seen.id);
      if (link !== undefined && copier.status !== 'PAUSED') throw notPaused(copier, 'strategy_id');
      const changes = { ...settingsOf(input), ...(link === undefined ? {} : { strategyId: link }) };
      assertNoContradiction({ ...copier, ...changes });
      if (Object.keys(changes).length === 0) return viewCopier(copier);
      await tx.update(CopierEntity, { id: copier.id }, changes);
      return viewCopier(await tx.findOneByOrFail(CopierEntity, { id: copier.id }));
    });
  }

  async delete(actor: Actor, publicId: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, copierOperations.delete.access);
    return this.commands.run(actor.once, async (tx) => {
      await lockUser(tx, actor.userId);
      const copier = await lockCopier(tx, (await findOwn(tx, actor, publicId)).id);
      if (copier.status !== 'PAUSED') throw notPaused(copier);
      await markDeleted(tx, copier.id);
      return { id: encodeId('cpr', copier.id), deleted: true };
    });
  }

  /** What the strategy opens from now on is copied; a copier that is active already is left as it is. */
  async start(actor: Actor, publicId: string): Promise<Copier> {
    authorise(actor, copierOperations.start.access);
    return this.commands.run(actor.once, async (tx) => {
      await lockUser(tx, actor.userId);
      const seen = await findOwn(tx, actor, publicId);
      const refusal = await whyNotStarted(tx, seen);
      const copier = await lockCopier(tx, seen.id);
      if (copier.status === 'ACTIVE') return viewCopier(copier);
      if (refusal !== undefined) throw refusal;
      await markStarted(tx, copier.id);
      const record = viewCopier(await tx.findOneByOrFail(CopierEntity, { id: copier.id }));
      await announce(tx, { userId: actor.userId, type: 'copier.started', schema: copierSchema, record });
      return record;
    });
  }

  /** A copier that is paused, or in this mode already, is left as it is. */
  async stop(actor: Actor, publicId: string, input?: CopierStop): Promise<StoppedCopier> {
    authorise(actor, copierOperations.stop.access);
    const status = input?.mode ?? 'PAUSED';
    return this.commands.run(actor.once, async (tx) => {
      await lockUser(tx, actor.userId);
      const copier = await lockCopier(tx, (await findOwn(tx, actor, publicId)).id);
      if (copier.status === 'PAUSED' || copier.status === status) return viewStoppedCopier(copier);
      return viewStoppedCopier(await stopCopier(tx, copier.id, { status, reason: 'USER' }));
    });
  }

  /** The strategy that the copier shall follow from now on, null for none, undefined where nothing changes. */
  private async changedLink(
    tx: Tx,
    actor: Actor,
    copier: CopierEntity,
    publicId: string | null | undefined,
  ): Promise<string | null | undefined> {
    if (publicId === undefined) return undefined;
    if (publicId === null) return copier.strategyId === null ? undefined : null;
    if (copier.strategyId !== null && decodeId('str', publicId) === copier.strategyId) return undefined;
    const strategy = await strategyToFollow(tx, actor, publicId, 'strategy_id');
    await assertMayFollow(tx, strategy, [{ field: 'strategy_id', copier }]);
    return strategy.id;
  }
}

/** What keeps the copier from being active; its strategy and account stay as they are until the transaction ends. */
async function whyNotStarted(tx: Tx, copier: CopierEntity): Promise<DomainError | undefined> {
  if (copier.strategyId === null) {
    return stateRefused('The copier follows no strategy: give it a strategy_id first.', 'NO_STRATEGY');
  }
  const strategy = await holdStrategy(tx, copier.strategyId);
  if (strategy.isDeleted) {
    return stateRefused('The strategy was removed: have the copier follow another one.', 'STRATEGY_REMOVED');
  }
  if (strategy.status === 'ARCHIVED') {
    return stateRefused('The strategy is archived: have the copier follow another one.', 'STRATEGY_ARCHIVED');
  }
  const account = await holdAccount(tx, copier.exchangeAccountId);
  if (account.isRemoved) {
    return stateRefused('The exchange account was removed: make a copier on another one.', 'ACCOUNT_REMOVED');
  }
  if (!account.isActive) {
    const message = 'The exchange refused the credentials of the account: give it new ones first.';
    return stateRefused(message, 'ACCOUNT_INACTIVE');
  }
  return undefined;
}

async function findOwn(tx: Tx, actor: Actor, publicId: string): Promise<CopierEntity> {
  const id = decodeId('cpr', publicId);
  const copier =
    id === null ? null : await tx.findOneBy(CopierEntity, { id, userId: actor.userId, deletedAt: IsNull() });
  if (copier === null) throw new DomainError('not_found');
  return copier;
}

/** The copier as it is once nobody else changes it; it can't be removed meanwhile, under its user's lock. */
function lockCopier(tx: Tx, id: string): Promise<CopierEntity> {
  return tx.findOneOrFail(CopierEntity, { where: { id }, lock: { mode: 'for_no_key_update' } });
}

function notPaused({ status }: CopierEntity, field?: string): DomainError {
  return stateRefused(`The copier is ${status}: stop it first.`, status, field);
}

function assertNoContradiction(lists: PairLists): void {
  const symbols = contradictions(lists);
  if (symbols.length === 0) return;
  const message = `Allowed and blocked at once: ${symbols.slice(0, 5).join(', ')}.`;
  throw new DomainError('validation_failed', undefined, [
    { field: 'limits.blocked_pairs', code: 'contradiction', message },
  ]);
}

async function assertBelowLimit(tx: Tx, userId: string): Promise<void> {
  if ((await countCopiersOfUser(tx, userId)) < COPIERS_MAX) return;
  throw limitReached('copiers', COPIERS_MAX);
}
