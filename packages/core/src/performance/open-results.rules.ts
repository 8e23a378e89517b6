/**
 * Computes the result of each UTC day from realised results and from the value of open lots. Pure.
 *
 * 1. The open result of a pair at the end of a day is its held amount × the last price of the day − the cost of what is
 *    held. Amount and cost are negative for lots that were opened by sales.
 * 2. A pair without a price on a day keeps its last known price. Before its first known price it counts at its cost.
 * 3. The result of a day is its realised result plus the change of the open result. Money that moves in or out of an
 *    account changes neither.
 * 4. Days are consecutive. The last one is the last day with a fill or, while lots are open, with a price.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

const DAY_MS = 86_400_000;
const ZERO = new BigDecimal(0);

/** The change of what is held of a pair. `day` is `yyyy-mm-dd`. */
export interface HoldingChange {
  readonly pairId: string;
  readonly day: string;
  readonly heldChange: Decimal;
  readonly costChange: Decimal;
}

/** The last price of a pair on a UTC day (`yyyy-mm-dd`). */
export interface DayPrice {
  readonly pairId: string;
  readonly day: string;
  readonly price: Decimal;
}

/** The result of a UTC day, realised and open. */
export interface TotalDay {
  readonly startMs: number;
  readonly result: BigDecimal;
}

export interface OpenResultsInput {
  /** Days with fills or closures, oldest first. */
  readonly realised: readonly { readonly startMs: number; readonly pnl: BigDecimal }[];
  readonly changes: readonly HoldingChange[];
  /** What was held before the first day; its changes are added up. */
  readonly before?: readonly Omit<HoldingChange, 'day'>[];
  /** The start of the first day of the range, in Unix milliseconds; needed only with `before`. */
  readonly sinceMs?: number | undefined;
  readonly prices: readonly DayPrice[];
}

export interface OpenResults {
  readonly days: readonly TotalDay[];
  /** The open result at the end of the last day. */
  readonly unrealized: BigDecimal;
  /** Whether lots are open at the end of the last day. */
  readonly hasOpenLots: boolean;
}

interface Holding {
  held: BigDecimal;
  cost: BigDecimal;
  price: BigDecimal | null;
}

export function dailyResults(input: OpenResultsInput): OpenResults {
  const { realised, changes, before = [], sinceMs } = input;
  const holdings = new Map<string, Holding>();
  for (const change of before) apply(holdings, change);
  const changesByDay = groupByDay(changes);
  const pricesByDay = groupByDay(input.prices);
  const pnlByDay = new Map(realised.map(({ startMs, pnl }) => [startMs, pnl]));
  const active = [...pnlByDay.keys(), ...changesByDay.keys()];
  const firstMs = before.length > 0 && sinceMs !== undefined ? sinceMs : least(active);
  if (firstMs === null) return { days: [], unrealized: ZERO, hasOpenLots: false };
  for (const [startMs, prices] of [...pricesByDay].sort(([a], [b]) => a - b))
    if (startMs < firstMs) applyPrices(holdings, prices);
  const lastFillMs = active.reduce((last, ms) => Math.max(last, ms), firstMs);
  const lastPriceMs = [...pricesByDay.keys()].reduce((last, ms) => Math.max(last, ms), lastFillMs);
  const days: TotalDay[] = [];
  let open = openResultOf(holdings);
  for (let startMs = firstMs; startMs <= lastPriceMs; startMs += DAY_MS) {
    for (const change of changesByDay.get(startMs) ?? []) apply(holdings, change);
    applyPrices(holdings, pricesByDay.get(startMs) ?? []);
    if (startMs > lastFillMs && !isOpen(holdings)) break;
    const openAtEnd = openResultOf(holdings);
    const pnl = pnlByDay.get(startMs) ?? ZERO;
    days.push({ startMs, result: pnl.plus(openAtEnd).minus(open) });
    open = openAtEnd;
  }
  return { days, unrealized: open, hasOpenLots: isOpen(holdings) };
}

function groupByDay<Item extends { readonly day: string }>(items: readonly Item[]): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const startMs = Date.parse(item.day);
    const group = groups.get(startMs);
    if (group === undefined) groups.set(startMs, [item]);
    else group.push(item);
  }
  return groups;
}

function holdingOf(holdings: Map<string, Holding>, pairId: string): Holding {
  let holding = holdings.get(pairId);
  if (holding === undefined) {
    holding = { held: ZERO, cost: ZERO, price: null };
    holdings.set(pairId, holding);
  }
  return holding;
}

function apply(holdings: Map<string, Holding>, change: Omit<HoldingChange, 'day'>): void {
  const holding = holdingOf(holdings, change.pairId);
  holding.held = holding.held.plus(change.heldChange);
  holding.cost = holding.cost.plus(change.costChange);
}

function applyPrices(holdings: Map<string, Holding>, prices: readonly DayPrice[]): void {
  for (const { pairId, price } of prices) holdingOf(holdings, pairId).price = new BigDecimal(price);
}

function openResultOf(holdings: ReadonlyMap<string, Holding>): BigDecimal {
  let sum = ZERO;
  for (const { held, cost, price } of holdings.values()) {
    if (held.isZero() && cost.isZero()) continue;
    if (price !== null) sum = sum.plus(held.times(price)).minus(cost);
  }
  return sum;
}

function isOpen(holdings: ReadonlyMap<string, Holding>): boolean {
  for (const { held } of holdings.values()) if (!held.isZero()) return true;
  return false;
}

const least = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((least, value) => Math.min(least, value));
