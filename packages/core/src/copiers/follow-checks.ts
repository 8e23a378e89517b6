/** Whether copiers may follow a strategy. */
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { invalidState } from '../operations/index.js';
import type { LockedStrategy } from '../strategies/index.js';
import { type CopierLink, hasCapacity, ownAccountErrors } from './copier.rules.js';
import { countCopiersOfStrategy, duplicateConnectionsOf } from './copiers.queries.js';

/**
 * For a strategy that `lockStrategyToFollow` holds: others that link to it wait until the transaction ends.
 *
 * @param links - those that do not follow it yet
 * @throws {DomainError} `validation_failed`, `invalid_state`, `limit_reached`
 */
export async function assertMayFollow(
  tx: Tx,
  strategy: LockedStrategy,
  links: readonly CopierLink[],
): Promise<void> {
  await assertNotOwnAccount(tx, strategy, links);
  if (strategy.status === 'ARCHIVED') {
    throw invalidState('The strategy is archived: nothing can follow it.', 'STRATEGY_ARCHIVED');
  }
  if (strategy.capacity === null || links.length === 0) return;
  if (hasCapacity(strategy.capacity, await countCopiersOfStrategy(tx, strategy.id), links.length)) return;
  const message = `The strategy takes at most ${strategy.capacity} copiers.`;
  throw new DomainError('limit_reached', message, [
    { code: 'limit_reached', message, limit: strategy.capacity },
  ]);
}

/**
 * The same account at the exchange can be connected twice, under other ids, and which it is may be learnt late: so this
 * is asked again at each start.
 *
 * @throws {DomainError} `validation_failed`
 */
export async function assertNotOwnAccount(
  tx: Tx,
  { exchangeAccountId }: Pick<LockedStrategy, 'exchangeAccountId'>,
  links: readonly CopierLink[],
): Promise<void> {
  const details = ownAccountErrors(await duplicateConnectionsOf(tx, exchangeAccountId), links);
  if (details.length > 0) throw new DomainError('validation_failed', undefined, details);
}
