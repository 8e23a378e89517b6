/** Computes the returns of copiers from their lots, the prices of days and the equity of their accounts. */
import type { CopierStats, Decimal } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import {
  dailyResults,
  dayPrices,
  EquityHistory,
  equityPoints,
  formatAmount,
  type HoldingChange,
  mapNullable,
  returnMetrics,
} from '../performance/index.js';
import { BigDecimal } from '../values/index.js';
import { groupBy } from './copying/group-by.js';

export type CopierReturns = Pick<
  CopierStats,
  'unrealized_pnl' | 'equity' | 'roi' | 'max_drawdown_percent' | 'sharpe' | 'sortino'
>;

/** The changes of a copier's lots on one UTC day, in one pair. */
export interface CopierDay extends HoldingChange {
  readonly accountId: string;
  readonly quote: string;
  /** The number of lots that were opened. */
  readonly openedCount: number;
  /** The result of closures plus funding. */
  readonly pnl: Decimal;
}

/** Selects `copier_id` and `days`, an array of `CopierDay`, oldest first. Reads the copiers of the relation `selected`. */
export const COPIER_DAYS = `
  SELECT copier_id, json_agg(json_build_object('accountId', account_id, 'quote', quote, 'pairId', trade_pair_id,
    'day', day::text, 'openedCount', opened, 'heldChange', trim_scale(held)::text, 'costChange', trim_scale(cost)::text,
    'pnl', trim_scale(pnl)::text) ORDER BY day) AS days
  FROM (
    SELECT n.copier_id, a.exchange_account_id AS account_id, p.quote, n.trade_pair_id,
      (n.at AT TIME ZONE 'UTC')::date AS day, sum(n.opened)::int AS opened, sum(n.sign * n.amount) AS held,
      sum(n.sign * n.value) AS cost, sum(n.pnl) AS pnl
    FROM (
      SELECT l.copier_id, l.trade_pair_id, l.opened_at AS at, 1 AS opened, l.opened_amount AS amount,
        l.opened_value AS value, 0 AS pnl, CASE WHEN l.side = 'BUY' THEN 1 ELSE -1 END AS sign
      FROM lots l WHERE l.copier_id IN (SELECT id FROM selected)
      UNION ALL
      SELECT l.copier_id, l.trade_pair_id, c.closed_at, 0, -c.amount, -c.entry_value, c.pnl,
        CASE WHEN l.side = 'BUY' THEN 1 ELSE -1 END
      FROM lots l JOIN lot_closures c ON c.lot_id = l.id WHERE l.copier_id IN (SELECT id FROM selected)
      UNION ALL
      SELECT l.copier_id, l.trade_pair_id, f.at, 0, 0, 0, f.amount, 0
      FROM lots l JOIN lot_funding f ON f.lot_id = l.id WHERE l.copier_id IN (SELECT id FROM selected)
    ) n JOIN copiers a ON a.id = n.copier_id JOIN trade_pairs p ON p.id = n.trade_pair_id
    GROUP BY 1, 2, 3, 4, 5
  ) changed GROUP BY copier_id`;

/**
 * Returns the returns of each copier that has lots, by its id. As in its other stats, only the quote currency with the
 * most lots counts.
 *
 * @param copiers with the days of `COPIER_DAYS`; null for a copier without lots
 */
export async function copierReturnsOf(
  tx: Tx,
  copiers: readonly { readonly id: string; readonly lotDays: readonly CopierDay[] | null }[],
): Promise<ReadonlyMap<string, CopierReturns>> {
  const mains = copiers.flatMap(({ id, lotDays }) =>
    lotDays === null ? [] : [[id, inMainCurrency(lotDays)] as const],
  );
  const days = mains.flatMap(([, { days: own }]) => own);
  const [first] = days.map(({ day }) => day).sort();
  if (first === undefined) return new Map();
  const prices = await dayPrices(
    tx,
    [...new Set(days.map(({ pairId }) => pairId))],
    Date.parse(first),
    undefined,
  );
  const equities = await equitiesByCurrency(tx, days);
  return new Map(
    mains.map(([copierId, { days: own, currency }]) => {
      const pairs = new Set(own.map(({ pairId }) => pairId));
      const pairPrices = prices.filter(({ pairId }) => pairs.has(pairId));
      return [copierId, returnsOf(own, pairPrices, equities.get(currency) ?? [])];
    }),
  );
}

/** The returns of a copier without lots. */
export const NO_RETURNS: CopierReturns = {
  unrealized_pnl: '0',
  equity: null,
  roi: null,
  max_drawdown_percent: null,
  sharpe: null,
  sortino: null,
};

function inMainCurrency(days: readonly CopierDay[]): { currency: string; days: CopierDay[] } {
  const counts = new Map<string, number>();
  for (const { quote, openedCount } of days) counts.set(quote, (counts.get(quote) ?? 0) + openedCount);
  const [main] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const currency = main![0];
  return { currency, days: days.filter(({ quote }) => quote === currency) };
}

async function equitiesByCurrency(tx: Tx, days: readonly CopierDay[]) {
  const equities = new Map<string, Awaited<ReturnType<typeof equityPoints>>>();
  for (const [currency, inCurrency] of groupBy(days, ({ quote }) => quote)) {
    const accountIds = [...new Set(inCurrency.map(({ accountId }) => accountId))];
    equities.set(currency, await equityPoints(tx, accountIds, currency, undefined));
  }
  return equities;
}

function returnsOf(
  days: readonly CopierDay[],
  prices: Parameters<typeof dailyResults>[0]['prices'],
  points: Awaited<ReturnType<typeof equityPoints>>,
): CopierReturns {
  const { accountId } = days[0]!;
  const realised = [...groupBy(days, ({ day }) => Date.parse(day))].map(([startMs, ofDay]) => ({
    startMs,
    pnl: ofDay.reduce((sum, { pnl }) => sum.plus(pnl), new BigDecimal(0)),
  }));
  const open = dailyResults({ realised, changes: days, prices });
  const equity = new EquityHistory(new Map([[accountId, realised[0]!.startMs]]), points);
  const { roi, maxDrawdown, sharpe, sortino } = returnMetrics(open.days, equity);
  return {
    unrealized_pnl: formatAmount(open.unrealized),
    equity: mapNullable(equity.latestBefore(Number.POSITIVE_INFINITY), formatAmount),
    roi,
    max_drawdown_percent: maxDrawdown.percent,
    sharpe,
    sortino,
  };
}
