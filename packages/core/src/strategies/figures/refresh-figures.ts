import { type Database, inTransaction, type Tx } from '@trading-automation/persistence';
import { dayPrices } from '../../performance/index.js';
import { figuresOf, mainCurrency, NO_FIGURES } from './compute-figures.js';
import {
  copyingAccounts,
  dueStrategies,
  hasUnvaluedFee,
  ownDays,
  pointsOf,
  readLine,
  storeFigures,
  strategiesWithRecordOf,
} from './figures.queries.js';

/** The maximum number of strategies that one run recomputes although no fill changed them. */
const DUE_AT_ONCE = 500;

/**
 * Recomputes the stored figures of strategies, by which public strategies are shown and sorted: of those whose days
 * changed, of those with open lots once a minute, and of all others once an hour. One process at a time calls this.
 *
 * @param changedIds strategies whose days changed since the last call
 */
export async function refreshFigures(
  database: Database,
  changedIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { manager } = database;
  const due = [
    ...(await strategiesWithRecordOf(manager, changedIds)),
    ...(await dueStrategies(manager, DUE_AT_ONCE)),
  ];
  for (const id of new Set(due)) {
    if (signal.aborted) return;
    await inTransaction(database, (tx) => refreshStrategy(tx, id), { isolation: 'REPEATABLE READ' });
  }
}

async function refreshStrategy(tx: Tx, id: string): Promise<void> {
  const line = await readLine(tx, id);
  if (line === undefined) return;
  const allDays = await ownDays(tx, line);
  const currency = mainCurrency(allDays);
  const days = allDays.filter(({ quote }) => quote === currency);
  const [first] = days;
  const pairIds = [...new Set(days.map(({ pairId }) => pairId))];
  await storeFigures(
    tx,
    { id, currency },
    figuresOf({
      ownerId: line.userId,
      accountId: line.accountId,
      days,
      prices: first === undefined ? [] : await dayPrices(tx, pairIds, Date.parse(first.day), undefined),
      points: currency === null ? [] : await pointsOf(tx, line, currency),
      copiers: currency === null ? [] : await copyingAccounts(tx, line, currency),
      hasUnvaluedFee: currency !== null && (await hasUnvaluedFee(tx, line, currency)),
    }),
  );
}

/**
 * Makes the next refresh recompute the figures of all strategies of the same owner and account: archiving or removing
 * a strategy, or making it public, changes what belongs to a record or who may see it.
 */
export async function invalidateFigures(tx: Tx, strategyId: string): Promise<void> {
  await tx.query(
    `INSERT INTO strategy_figures (strategy_id, computed_at, has_open_lots, performance, copying_users)
     SELECT s.id, '-infinity', false, $2, 0 FROM strategies p
     JOIN strategies s ON s.exchange_account_id = p.exchange_account_id AND s.user_id = p.user_id
     WHERE p.id = $1 ORDER BY s.id
     ON CONFLICT (strategy_id) DO UPDATE SET computed_at = '-infinity'`,
    [strategyId, JSON.stringify(NO_FIGURES)],
  );
}
