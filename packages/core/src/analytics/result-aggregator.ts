/** Adds up rows of results by currency, pair, strategy and day. The code does no I/O. */

import type { DayResult } from '../performance/index.js';
import { BigDecimal } from '../values/index.js';
import type { ComputedRow, DayRow, PairInfo, ResultRow } from './analytics.queries.js';
import { NIL_UUID } from './computed-results.queries.js';
import { ResultTotals } from './result-totals.js';

/** The results of a strategy's trades in one currency. */
export interface StrategyGroup {
  readonly strategyId: string;
  readonly currency: string;
  readonly totals: ResultTotals;
}

export class ResultAggregator {
  /** Amounts of different currencies are never added: each currency has its own totals. */
  readonly byQuote = new Map<string, ResultTotals>();
  readonly byPair = new Map<string, ResultTotals>();
  /** By strategy and currency. */
  readonly byStrategy = new Map<string, StrategyGroup>();
  /** Fees that were paid neither in base nor in quote currency, by currency. */
  readonly feesInOtherCurrencies = new Map<string, BigDecimal>();
  /** The start of the first day with closures or funding, in Unix milliseconds, by currency and account. */
  private readonly accounts = new Map<string, Map<string, number>>();
  /** Like `accounts`, of the first day with a fill, a closure or funding. */
  private readonly tradingAccounts = new Map<string, Map<string, number>>();
  private readonly byDay = new Map<
    string,
    Map<string, { pnl: BigDecimal; closures: number; fills: number; hasFunding: boolean }>
  >();

  add(row: ResultRow): void {
    const { accountId, pairId, strategyId, quote, firstDay } = row;
    getOrCreate(this.byQuote, quote, () => new ResultTotals()).add(row);
    getOrCreate(this.byPair, pairId, () => new ResultTotals()).add(row);
    if (strategyId !== NIL_UUID) this.strategyOf(strategyId, quote).add(row);
    rememberEarliest(this.accounts, quote, accountId, firstDay);
    rememberEarliest(this.tradingAccounts, quote, accountId, row.firstFillDay);
  }

  addDay({ quote, day, net_pnl, part_count, fill_count, funding }: DayRow): void {
    const days = getOrCreate(this.byDay, quote, () => new Map());
    const before = days.get(day) ?? { pnl: new BigDecimal(0), closures: 0, fills: 0, hasFunding: false };
    days.set(day, {
      pnl: before.pnl.plus(net_pnl),
      closures: before.closures + part_count,
      fills: before.fills + fill_count,
      hasFunding: before.hasFunding || !new BigDecimal(funding).isZero(),
    });
  }

  addComputedRow(row: ComputedRow): void {
    this.add(row);
    this.addDay(row);
    for (const [currency, amount] of Object.entries(row.fees_in_others ?? {})) this.addFee(currency, amount);
  }

  addFee(currency: string, amount: BigDecimal | string): void {
    this.feesInOtherCurrencies.set(
      currency,
      (this.feesInOtherCurrencies.get(currency) ?? new BigDecimal(0)).plus(amount),
    );
  }

  /** Returns all fees by the currency in which they were paid. */
  feesPaid(pairs: readonly PairInfo[]): ReadonlyMap<string, BigDecimal> {
    const paid = new Map(this.feesInOtherCurrencies);
    const add = (currency: string, amount: BigDecimal) =>
      paid.set(currency, amount.plus(paid.get(currency) ?? 0));
    for (const { pairId, base, quote } of pairs) {
      const totals = this.byPair.get(pairId);
      if (totals === undefined) continue;
      add(base, totals.amounts.fees_in_base);
      add(quote, totals.amounts.fees_in_quote);
    }
    return paid;
  }

  /** Returns the days with fills, closures or funding in the currency, oldest first. */
  daysOf(quote: string): DayResult[] {
    return [...(this.byDay.get(quote) ?? [])]
      .filter(([, { closures, fills, hasFunding }]) => closures + fills > 0 || hasFunding)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, { pnl, closures, hasFunding }]) => ({
        startMs: Date.parse(day),
        pnl,
        hasRealised: closures > 0 || hasFunding,
      }));
  }

  /** Returns, by account, the start of its first day with closures or funding in the currency, in Unix milliseconds. */
  accountsOf(quote: string): ReadonlyMap<string, number> {
    return this.accounts.get(quote) ?? new Map();
  }

  /** Like `accountsOf`, of the first day with a fill, a closure or funding. */
  tradingAccountsOf(quote: string): ReadonlyMap<string, number> {
    return this.tradingAccounts.get(quote) ?? new Map();
  }

  private strategyOf(strategyId: string, currency: string): ResultTotals {
    const create = () => ({ strategyId, currency, totals: new ResultTotals() });
    return getOrCreate(this.byStrategy, `${strategyId}/${currency}`, create).totals;
  }
}

function rememberEarliest(
  byQuote: Map<string, Map<string, number>>,
  quote: string,
  accountId: string,
  day: string | null,
): void {
  if (day === null) return;
  const accounts = getOrCreate(byQuote, quote, () => new Map<string, number>());
  const startMs = Date.parse(day);
  accounts.set(accountId, Math.min(startMs, accounts.get(accountId) ?? startMs));
}

/** Returns the value of the key; creates and stores it if it is absent. */
function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
