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
  announce,
  authorise,
  type Commands,
  type ListedPage,
  type ListQuery,
  type Lists,
  recordsByIds,
  stateRefused,
  unknownId,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { type RewardTypeRow, rewardTypeView, rewardView } from './reward.view.js';
import {
  findReward,
  findRewards,
  IS_IN_STATUS,
  markClaimed,
  REWARD_FROM,
  REWARD_SELECT,
  REWARD_TYPE_SELECT,
  type RewardRow,
} from './rewards.queries.js';

type RewardsQuery = ListQuery & QueryOf<typeof rewardOperations.list>;

export interface RewardsParts {
  readonly platform: Platform;
  readonly lists: Lists;
  readonly commands: Commands;
  readonly ledger: Ledger;
}

/** What a user does with rewards. They are granted by the trading worker. */
export class RewardsService {
  constructor(private readonly parts: RewardsParts) {}

  async list(actor: Actor, query: RewardsQuery): Promise<ListedPage<Reward>> {
    authorise(actor, rewardOperations.list.access);
    const where = ['r.user_id = $1'];
    const params: unknown[] = [actor.userId];
    if (query.status !== undefined) where.push(IS_IN_STATUS[query.status]);
    if (query.type_id !== undefined) {
      params.push(await this.typeOfFilter(query.type_id));
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
    const page = await this.parts.lists.page<RewardRow>(rewardOperations.list, actor.userId, source, query);
    return { ...page, items: page.items.map(rewardView) };
  }

  /** Each at the place of its id; null for one that no list shows. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Reward | null)[]> {
    authorise(actor, rewardOperations.list.access);
    const { manager } = this.parts.platform.database;
    return recordsByIds('rwd', publicIds, async (ids) =>
      (await findRewards(manager, actor.userId, ids)).map(rewardView),
    );
  }

  async types(actor: Actor, query: ListQuery): Promise<ListedPage<RewardType>> {
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
    const page = await this.parts.lists.page<RewardTypeRow>(
      rewardOperations.types,
      actor.userId,
      source,
      query,
    );
    return { ...page, items: page.items.map(rewardTypeView) };
  }

  /** Each at the place of its id; null for one that no list shows. */
  async getManyTypes(actor: Actor, publicIds: readonly string[]): Promise<readonly (RewardType | null)[]> {
    authorise(actor, rewardOperations.types.access);
    const { manager } = this.parts.platform.database;
    return recordsByIds('rwt', publicIds, async (ids) => {
      const ofIds = `SELECT ${REWARD_TYPE_SELECT} FROM reward_types t WHERE t.id = ANY ($1)`;
      return (await queryPrepared<RewardTypeRow>(manager, ofIds, [ids])).map(rewardTypeView);
    });
  }

  async balance(actor: Actor): Promise<RewardBalance> {
    authorise(actor, rewardOperations.balance.access);
    const { ledger } = this.parts;
    return { currency: ledger.token.currency, ...(await ledger.balance(actor.userId)) };
  }

  /** Adds the amount to the user's balance: of many claims of one reward at once, one does. */
  async claim(actor: Actor, publicId: string): Promise<Reward> {
    authorise(actor, rewardOperations.claim.access);
    const { userId } = actor;
    return this.parts.commands.run(actor.once, async (tx) => {
      const id = decodeId('rwd', publicId);
      const isClaimed = id !== null && (await markClaimed(tx, userId, id));
      const row = id === null ? undefined : await findReward(tx, userId, id);
      if (row === undefined) throw new DomainError('not_found');
      if (!isClaimed) throw notClaimable(row);
      await this.parts.ledger.post(tx, {
        fact: 'reward.claimed',
        subjectId: row.id,
        from: { kind: 'issuance' },
        to: { kind: 'available', userId },
        amount: row.amount,
      });
      const record = rewardView(row);
      await announce(tx, { userId, type: 'reward.claimed', schema: rewardSchema, record });
      return record;
    });
  }

  private async typeOfFilter(publicId: string): Promise<string> {
    const id = decodeId('rwt', publicId);
    const [row] =
      id === null
        ? []
        : await this.parts.platform.database.query('SELECT id FROM reward_types WHERE id = $1', [id]);
    if (row !== undefined) return row.id;
    throw unknownId('type_id', 'reward type');
  }
}

const STATE_WORDS = {
  PENDING: 'The reward can be claimed from claimable_at on.',
  CLAIMABLE: 'The reward became claimable just now: try again.',
  CLAIMED: 'The reward was claimed already.',
  EXPIRED: 'The reward was not claimed in time.',
} as const;

function notClaimable({ status }: RewardRow): DomainError {
  const message = STATE_WORDS[status];
  return stateRefused(message, status);
}
