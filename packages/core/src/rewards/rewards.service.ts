import {
  DomainError,
  decodeId,
  type QueryOf,
  type Reward,
  type RewardBalance,
  type RewardType,
  rewardOperations,
  reward as rewardSchema,
} from '@trading-automation/contracts';
import { queryPrepared } from '@trading-automation/persistence';

import type { Ledger } from '../ledger/index.js';
import {
  type Actor,
  authorise,
  type CommandRunner,
  emitEvent,
  idNotFound,
  invalidState,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { type RewardTypeRow, rewardTypeView, rewardView } from './reward.view.js';
import {
  findReward,
  findRewards,
  markClaimed,
  REWARD_FROM,
  REWARD_SELECT,
  REWARD_TYPE_SELECT,
  type RewardRow,
  STATUS_CONDITIONS,
} from './rewards.queries.js';

type RewardsQuery = ListQuery & QueryOf<typeof rewardOperations.list>;

export interface RewardsDependencies {
  readonly platform: Platform;
  readonly lists: ListReader;
  readonly commands: CommandRunner;
  readonly ledger: Ledger;
}

/** Lists and claims rewards. The trading worker grants them. */
export class RewardsService {
  constructor(private readonly dependencies: RewardsDependencies) {}

  async list(actor: Actor, query: RewardsQuery): Promise<PageWithCursors<Reward>> {
    authorise(actor, rewardOperations.list.access);
    const where = ['r.user_id = $1'];
    const params: unknown[] = [actor.userId];
    if (query.status !== undefined) where.push(STATUS_CONDITIONS[query.status]);
    if (query.type_id !== undefined) {
      params.push(await this.resolveTypeFilter(query.type_id));
      where.push(`r.type_id = $${params.length}`);
    }
    const source = {
      select: REWARD_SELECT,
      from: REWARD_FROM,
      where,
      params,
      sorts: {
        created_at: { column: 'r.created_at', type: 'timestamptz' },
        claimable_at: { column: 'r.claimable_at', type: 'timestamptz' },
        amount: { column: 'r.amount', type: 'numeric' },
      },
      idColumn: 'r.id',
    } as const;
    const page = await this.dependencies.lists.page<RewardRow>(
      rewardOperations.list,
      actor.userId,
      source,
      query,
    );
    return { ...page, items: page.items.map(rewardView) };
  }

  /** Loads rewards in input order; null for ids that are not among the actor's rewards. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Reward | null)[]> {
    authorise(actor, rewardOperations.list.access);
    const { manager } = this.dependencies.platform.database;
    return loadByIds('rwd', publicIds, async (ids) =>
      (await findRewards(manager, actor.userId, ids)).map(rewardView),
    );
  }

  async types(actor: Actor, query: ListQuery): Promise<PageWithCursors<RewardType>> {
    authorise(actor, rewardOperations.types.access);
    const source = {
      select: REWARD_TYPE_SELECT,
      from: 'reward_types t',
      where: [],
      params: [],
      sorts: {
        created_at: { column: 't.created_at', type: 'timestamptz' },
        code: { column: 't.code', type: 'text' },
      },
      idColumn: 't.id',
    } as const;
    const page = await this.dependencies.lists.page<RewardTypeRow>(
      rewardOperations.types,
      actor.userId,
      source,
      query,
    );
    return { ...page, items: page.items.map(rewardTypeView) };
  }

  /** Loads reward types in input order; null for unknown ids. */
  async getManyTypes(actor: Actor, publicIds: readonly string[]): Promise<readonly (RewardType | null)[]> {
    authorise(actor, rewardOperations.types.access);
    const { manager } = this.dependencies.platform.database;
    return loadByIds('rwt', publicIds, async (ids) => {
      const selectByIds = `SELECT ${REWARD_TYPE_SELECT} FROM reward_types t WHERE t.id = ANY ($1)`;
      return (await queryPrepared<RewardTypeRow>(manager, selectByIds, [ids])).map(rewardTypeView);
    });
  }

  async balance(actor: Actor): Promise<RewardBalance> {
    authorise(actor, rewardOperations.balance.access);
    const { ledger } = this.dependencies;
    return { currency: ledger.token.currency, ...(await ledger.balance(actor.userId)) };
  }

  /**
   * Claims a reward and adds its amount to the user's balance. Of several concurrent claims of one reward,
   * one succeeds.
   */
  async claim(actor: Actor, publicId: string): Promise<Reward> {
    authorise(actor, rewardOperations.claim.access);
    const { userId } = actor;
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      const id = decodeId('rwd', publicId);
      const isClaimed = id !== null && (await markClaimed(tx, userId, id));
      const row = id === null ? undefined : await findReward(tx, userId, id);
      if (row === undefined) throw new DomainError('not_found');
      if (!isClaimed) throw notClaimable(row);
      await this.dependencies.ledger.post(tx, {
        fact: 'reward.claimed',
        subjectId: row.id,
        from: { kind: 'issuance' },
        to: { kind: 'available', userId },
        amount: row.amount,
      });
      const record = rewardView(row);
      await emitEvent(tx, { userId, type: 'reward.claimed', schema: rewardSchema, record });
      return record;
    });
  }

  private async resolveTypeFilter(publicId: string): Promise<string> {
    const id = decodeId('rwt', publicId);
    const [row] =
      id === null
        ? []
        : await this.dependencies.platform.database.query('SELECT id FROM reward_types WHERE id = $1', [id]);
    if (row !== undefined) return row.id;
    throw idNotFound('type_id', 'reward type');
  }
}

const STATE_MESSAGES = {
  PENDING: 'The reward is PENDING. Claim it once its status is CLAIMABLE.',
  CLAIMABLE: 'The reward has just become claimable. Try again.',
  CLAIMED: 'The reward has already been claimed.',
  EXPIRED: 'The reward has expired.',
} as const;

function notClaimable({ status }: RewardRow): DomainError {
  const message = STATE_MESSAGES[status];
  return invalidState(message, status);
}
