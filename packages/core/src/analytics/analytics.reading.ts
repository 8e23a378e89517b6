import type { AnalyticsInterval } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { EquityHistory, equityPoints, figuresOfDays } from '../performance/index.js';
import { Exact } from '../values/index.js';
import {
  keptDays,
  keptExtremes,
  keptOtherFees,
  keptResults,
  type LiveRow,
  liveResults,
  lossRuns,
  markedDays,
  type PairTerms,
  pairTerms,
  type Selection,
} from './analytics.queries.js';
import { type CopyFigures, copyFigures } from './copy-figures.queries.js';
import { ResultGroups } from './result-groups.js';
import { GroupTally, longestRun } from './result-tally.js';
import { type Reading, readingOf } from './stretches.js';

/** A closed trade and what it came to. */
export interface Extreme {
  readonly tradeId: string;
  readonly pnl: Exact;
}

/** Everything that analytics shows, before it is written in the published form. */
export interface Results {
  readonly groups: ResultGroups;
  readonly pairs: readonly PairTerms[];
  readonly main: MainResults | null;
  readonly copy: CopyFigures | null;
}

/** In the currency of the totals. */
interface MainResults {
  readonly currency: string;
  readonly tally: GroupTally;
  readonly days: ReturnType<typeof figuresOfDays>;
  readonly longestLosses: number;
  readonly best: Extreme | null;
  readonly worst: Extreme | null;
}

/** Reads a selection; `tx` sees one state of the database throughout. */
export async function readResults(
  tx: Tx,
  selection: Selection,
  interval: AnalyticsInterval,
): Promise<Results> {
  const reading = readingOf(selection, await markedDays(tx, selection));
  const groups = new ResultGroups();
  for (const row of await keptResults(tx, selection, reading)) groups.add(row);
  for (const row of await keptDays(tx, selection, reading)) groups.addDay(row);
  const live = await liveResults(tx, selection, reading);
  for (const row of live) groups.addLive(row);
  for (const { currency, amount } of await keptOtherFees(tx, selection, reading))
    groups.addFee(currency, amount);
  const currency = mainCurrency(groups.byQuote);
  return {
    groups,
    pairs: await pairTerms(tx, [...groups.byPair.keys()]),
    main:
      currency === null ? null : await readMain(tx, { selection, reading, groups, live, currency, interval }),
    copy: await copyFigures(tx, selection),
  };
}

/** The quote currency in which most was closed, then filled, then the first by name; null where nothing was filled. */
function mainCurrency(byQuote: ReadonlyMap<string, GroupTally>): string | null {
  const [main] = [...byQuote]
    .filter(([, { counts }]) => counts.fill_count + counts.part_count > 0)
    .sort(
      ([a, { counts: x }], [b, { counts: y }]) =>
        y.closed_count - x.closed_count || y.fill_count - x.fill_count || (a < b ? -1 : 1),
    );
  return main?.[0] ?? null;
}

interface Read {
  readonly selection: Selection;
  readonly reading: Reading;
  readonly groups: ResultGroups;
  readonly live: readonly LiveRow[];
  readonly currency: string;
  readonly interval: AnalyticsInterval;
}

async function readMain(tx: Tx, read: Read): Promise<MainResults> {
  const { selection, reading, groups, currency, interval } = read;
  const accounts = groups.accountsOf(currency);
  // Of the accounts that have results in the currency.
  const points = await equityPoints(tx, [...accounts.keys()], currency, selection.to);
  const extremes = [
    ...(await keptExtremes(tx, selection, reading, currency)),
    ...read.live.filter(({ quote }) => quote === currency).flatMap(extremesOf),
  ].map(({ kind, tradeId, pnl }) => ({ kind, tradeId, pnl: new Exact(pnl) }));
  const first = (kind: 'best' | 'worst', compare: (a: Exact, b: Exact) => number) =>
    extremes.filter((extreme) => extreme.kind === kind).sort((a, b) => compare(a.pnl, b.pnl))[0] ?? null;
  return {
    currency,
    tally: groups.byQuote.get(currency) ?? new GroupTally(),
    days: figuresOfDays(groups.daysOf(currency), interval, new EquityHistory(accounts, points)),
    longestLosses: longestRun(await lossRuns(tx, selection, reading, currency)),
    best: first('best', (a, b) => b.cmp(a)),
    worst: first('worst', (a, b) => a.cmp(b)),
  };
}

function extremesOf({ best_pnl, best_trade_id, worst_pnl, worst_trade_id }: LiveRow) {
  if (best_pnl === null || worst_pnl === null || best_trade_id === null || worst_trade_id === null) return [];
  return [
    { kind: 'best' as const, tradeId: best_trade_id, pnl: best_pnl },
    { kind: 'worst' as const, tradeId: worst_trade_id, pnl: worst_pnl },
  ];
}
