/** Changes a strategy. Its callers, use cases of the copiers feature, also change the copiers of the strategy. */
import {
  DomainError,
  decodeId,
  type Strategy,
  type StrategyCreate,
  type StrategyUpdate,
} from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';

import { type LockedAccount, lockAccountShared } from '../exchange-accounts/index.js';
import { type Actor, invalidState } from '../operations/index.js';
import { BigDecimal } from '../values/index.js';
import { invalidateFigures } from './figures/refresh-figures.js';
import { unknownStrategy } from './lock-strategy.js';
import { loadStrategyPairs } from './strategies.queries.js';
import { StrategyEntity } from './strategy.entity.js';
import { viewStrategies } from './view-strategies.js';

type StrategySettings = Partial<
  Pick<
    StrategyEntity,
    | 'name'
    | 'description'
    | 'tradePairIds'
    | 'visibility'
    | 'status'
    | 'profitShareRate'
    | 'profitSharePeriod'
    | 'minCopyEquity'
    | 'capacity'
    | 'allowMultiplier'
  >
>;

/** Locks one of the actor's strategies against other changes. Returns its uuid. @throws {DomainError} `not_found` */
export async function lockOwnStrategy(tx: Tx, actor: Actor, publicId: string): Promise<string> {
  const id = decodeId('str', publicId);
  const strategy =
    id === null
      ? null
      : await tx.findOne(StrategyEntity, {
          where: { id, userId: actor.userId, deletedAt: IsNull() },
          lock: { mode: 'for_no_key_update' },
        });
  if (strategy === null) throw unknownStrategy();
  return strategy.id;
}

/**
 * Changes a strategy that the transaction has locked. Returns whether the rate of its profit share was raised.
 *
 * @throws {DomainError} `not_found` for an unknown pair; `validation_failed` if the account cannot trade a pair;
 *   `invalid_state` if the strategy becomes active but its account was removed
 */
export async function changeStrategy(tx: Tx, id: string, input: StrategyUpdate): Promise<boolean> {
  const { exchangeAccountId, profitShareRate } = await tx.findOneByOrFail(StrategyEntity, { id });
  const account = await lockAccountShared(tx, exchangeAccountId);
  const settings = await strategyColumns(tx, account, input);
  if (input.status === 'ACTIVE' && account.isRemoved) throw accountRemoved();
  if (Object.keys(settings).length > 0) await tx.update(StrategyEntity, { id }, settings);
  if (input.status !== undefined || input.visibility !== undefined) await invalidateFigures(tx, id);
  return new BigDecimal(input.profit_share?.rate ?? 0).gt(profitShareRate ?? 0);
}

/** Removes a strategy that the transaction has locked. Its row remains for trades and copiers that reference it. */
export async function removeStrategy(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `UPDATE strategies SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(), status = 'ARCHIVED'
     WHERE id = $1`,
    [id],
  );
  await invalidateFigures(tx, id);
}

export async function readStrategy(tx: Tx, actor: Actor, id: string): Promise<Strategy> {
  const strategy = await tx.findOneByOrFail(StrategyEntity, { id });
  const [record] = await viewStrategies(tx, actor, [strategy]);
  return record!;
}

/** Maps the input to columns. Omits the columns of absent fields. */
export async function strategyColumns(
  tx: Tx,
  account: LockedAccount,
  input: StrategyUpdate | StrategyCreate,
): Promise<StrategySettings> {
  const { name, description, visibility, profit_share, min_copy_equity, capacity, trade_pair_ids } = input;
  return {
    ...(input.allow_multiplier === undefined ? {} : { allowMultiplier: input.allow_multiplier }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(visibility === undefined ? {} : { visibility }),
    ...('status' in input && input.status !== undefined ? { status: input.status } : {}),
    ...(profit_share === undefined
      ? {}
      : {
          profitShareRate: profit_share?.rate ?? null,
          profitSharePeriod: profit_share?.period ?? null,
        }),
    ...(min_copy_equity === undefined ? {} : { minCopyEquity: min_copy_equity }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(trade_pair_ids === undefined
      ? {}
      : { tradePairIds: trade_pair_ids === null ? null : await pairIdsOf(tx, account, trade_pair_ids) }),
  };
}

/** Returns the uuids of the pairs, without duplicates. @throws {DomainError} if the account cannot trade a pair */
async function pairIdsOf(tx: Tx, account: LockedAccount, publicIds: readonly string[]): Promise<string[]> {
  const ids = publicIds.map((publicId) => decodeId('tpr', publicId));
  const known = await loadStrategyPairs(
    tx,
    ids.filter((id) => id !== null),
  );
  const pairs = ids.map((id) => (id === null ? undefined : known.get(id)));
  const unknown = fieldsWhere(pairs, (pair) => pair === undefined).map((field) => ({
    field,
    code: 'not_found' as const,
    message: 'This trade pair does not exist. Use an id from the list of trade pairs.',
  }));
  if (unknown.length > 0) throw new DomainError('not_found', undefined, unknown);
  const mismatched = fieldsWhere(
    pairs,
    (pair) => pair?.exchange !== account.exchange || pair.trading_type !== account.tradingType,
  ).map((field) => ({
    field,
    code: 'other_exchange' as const,
    message: `The pair must be ${account.tradingType} on ${account.exchange}, like the strategy's account.`,
  }));
  if (mismatched.length > 0) throw new DomainError('validation_failed', undefined, mismatched);
  return [...known.keys()];
}

function fieldsWhere<T>(items: readonly T[], condition: (item: T) => boolean): string[] {
  return items.flatMap((item, index) => (condition(item) ? [`trade_pair_ids.${index}`] : []));
}

function accountRemoved(): DomainError {
  const message =
    'The exchange account of this strategy was removed. Create a new strategy on another account.';
  return invalidState(message, 'ACCOUNT_REMOVED', 'status');
}
