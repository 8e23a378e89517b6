/** Checks whether copiers may follow a strategy. */
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { invalidState } from '../operations/index.js';
import type { LockedStrategy } from '../strategies/index.js';
import {
  type AccountLink,
  type CopierLink,
  hasCapacity,
  multiplierErrors,
  ownAccountErrors,
} from './copier.rules.js';
import { countCopiersOfStrategy, duplicateConnectionsOf } from './copiers.queries.js';

/**
 * Checks that the copiers may follow the strategy. The caller has locked the strategy with `lockStrategyToFollow`, so
 * that no other copier is linked to it before the transaction ends.
 *
 * @param links - copiers that do not follow the strategy yet
 * @throws {DomainError} `validation_failed`, `invalid_state`, `limit_reached`
 */
export async function assertMayFollow(
  tx: Tx,
  strategy: LockedStrategy,
  links: readonly CopierLink[],
): Promise<void> {
  await assertNotOwnAccount(tx, strategy, links);
  assertMayMultiply(strategy, links);
  if (strategy.status === 'ARCHIVED') {
    throw invalidState('The strategy is archived and cannot be followed.', 'STRATEGY_ARCHIVED');
  }
  if (strategy.capacity === null || links.length === 0) return;
  if (hasCapacity(strategy.capacity, await countCopiersOfStrategy(tx, strategy.id), links.length)) return;
  const message = `The strategy has reached its capacity of ${strategy.capacity} copiers.`;
  throw new DomainError('limit_reached', message, [
    { code: 'limit_reached', message, limit: strategy.capacity },
  ]);
}

/** @throws {DomainError} `validation_failed` if the strategy does not allow a copier's sizing mode */
export function assertMayMultiply(
  strategy: Pick<LockedStrategy, 'userId' | 'allowMultiplier'>,
  links: readonly CopierLink[],
): void {
  const details = multiplierErrors(strategy, links);
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details);
}

/**
 * Checks that no copier trades on the strategy's own account. A user can connect one exchange account twice, under two
 * ids, and the product may detect this only later. Therefore each start of a copier repeats the check.
 *
 * @throws {DomainError} `validation_failed`
 */
export async function assertNotOwnAccount(
  tx: Tx,
  { exchangeAccountId }: Pick<LockedStrategy, 'exchangeAccountId'>,
  links: readonly AccountLink[],
): Promise<void> {
  const details = ownAccountErrors(await duplicateConnectionsOf(tx, exchangeAccountId), links);
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details);
}
