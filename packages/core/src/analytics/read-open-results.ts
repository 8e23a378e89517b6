import type { Tx } from '@trading-automation/persistence';
import { dailyResults, dayPrices, type OpenResults } from '../performance/index.js';
import {
  type AnalyticsFilter,
  type ComputedRow,
  computeResults,
  loadRollupChanges,
  loadRollupHoldings,
  loadStaleDays,
} from './analytics.queries.js';
import { planRead, type ReadPlan } from './read-plan.rules.js';
import type { ResultAggregator } from './result-aggregator.js';

const DAY_MS = 86_400_000;

/** A selection, in the currency of its totals, with what was already read of it. */
export interface SelectionInCurrency {
  readonly selection: AnalyticsFilter;
  readonly plan: ReadPlan;
  readonly aggregator: ResultAggregator;
  readonly computedRows: readonly ComputedRow[];
  readonly currency: string;
}

interface SelectedOpenResults {
  readonly results: OpenResults;
  /** The start of the range, in Unix milliseconds, by each account that held something before it. */
  readonly heldBefore: ReadonlyMap<string, number>;
}

/** Reads the daily results of a selection in one currency, with the open lots at the last price of each day. */
export async function readOpenResults(tx: Tx, input: SelectionInCurrency): Promise<SelectedOpenResults> {
  const { selection, plan, aggregator, computedRows, currency } = input;
  const changes = [
    ...(await loadRollupChanges(tx, selection, plan, currency)),
    ...changesOf(computedRows, currency),
  ];
  const before =
    selection.from === undefined ? [] : await holdingsBefore(tx, selection, currency, selection.from);
  const realised = aggregator.daysOf(currency);
  const sinceMs = before.length > 0 ? startOfDay(selection.from!) : realised.at(0)?.startMs;
  const pairIds = [...new Set([...before, ...changes].map(({ pairId }) => pairId))];
  const prices = sinceMs === undefined ? [] : await dayPrices(tx, pairIds, sinceMs, selection.to);
  return {
    results: dailyResults({ realised, changes, before, sinceMs, prices }),
    heldBefore: new Map(before.map(({ accountId }) => [accountId, sinceMs!])),
  };
}

/** Returns what the selected accounts held before an instant, by account and pair. */
async function holdingsBefore(tx: Tx, { ...filter }: AnalyticsFilter, currency: string, to: Date) {
  const selection = { ...filter, from: undefined, to };
  const plan = planRead(selection, await loadStaleDays(tx, selection));
  const stored = await loadRollupHoldings(tx, selection, plan, currency);
  return [...stored, ...changesOf(await computeResults(tx, selection, plan), currency)];
}

function changesOf(rows: readonly ComputedRow[], currency: string) {
  return rows
    .filter(
      ({ quote, held_change, cost_change }) => quote === currency && hasChange(held_change, cost_change),
    )
    .map(({ accountId, pairId, day, held_change, cost_change }) => ({
      accountId,
      pairId,
      day,
      heldChange: held_change,
      costChange: cost_change,
    }));
}

/** As in rollups, a day on which trades were only created or funding was paid changes no holding. */
const hasChange = (...changes: readonly string[]) => changes.some((change) => Number(change) !== 0);

const startOfDay = (instant: Date) => Math.floor(instant.getTime() / DAY_MS) * DAY_MS;
