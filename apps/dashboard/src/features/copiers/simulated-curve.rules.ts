/**
 * The result of a simulated copier over time, computed from its decisions.
 *
 * 1. Each copy is valued at the strategy's price. Between decisions, nothing is known about the price.
 * 2. Amounts that a closed lot leaves, because they are below the amount step, have no value.
 * 3. Fees are spread over the copies in proportion to their cost, so that they add up to those of the simulation.
 * 4. The last point is the result that the simulation reports.
 */

import type { Copier, SimulatedDecision, Simulation } from '@trading-automation/sdk';
import { quoteOf } from '../../data/symbols';
import { Exact, isZero, largestOf, total } from '../../format/decimals';

export interface CurvePoint {
  readonly at: string;
  /** Value of 100 of the capital, which is the account's equity unless the copier has a capital of its own. */
  readonly value: number;
}

type Result = Pick<
  Simulation<'string'>,
  'decisions' | 'truncated' | 'currency' | 'starting_equity' | 'fees' | 'net_pnl' | 'to'
>;
type Sizing = Pick<Copier<'string'>['sizing'], 'mode' | 'capital'>;
type Copy = Pick<SimulatedDecision<'string'>, 'symbol' | 'kind' | 'inputs' | 'sent_amount' | 'signal_at'>;

const isEntry = ({ kind }: Copy) => kind === 'OPEN' || kind === 'INCREASE';
const priceOf = ({ inputs }: Copy) =>
  typeof inputs.reference_price === 'string' ? new Exact(inputs.reference_price) : undefined;

/** What the result of a simulation is compared with. */
export interface Basis {
  readonly amount: string;
  /** The capital is a setting of the copier: the part of the account that it may use. */
  readonly kind: 'capital' | 'equity';
}

/** Returns the copier's capital if its sizing uses one; otherwise the equity of the whole account. */
export function basisOf(result: Pick<Result, 'starting_equity'>, { mode, capital }: Sizing): Basis {
  return mode === 'EQUITY_RATIO' && capital !== undefined
    ? { amount: capital, kind: 'capital' }
    : { amount: result.starting_equity, kind: 'equity' };
}

/** Returns the curve; empty if decisions are missing, or if there is no amount to compare with. */
export function simulatedCurve(result: Result, start: string): CurvePoint[] {
  const { currency, truncated } = result;
  const copies = result.decisions.filter(({ symbol }) => quoteOf(symbol) === currency);
  if (truncated || copies.length === 0 || new Exact(start).lte(0)) return [];
  const feeRate = feeRateOf(copies, result.fees);
  const index = (pnl: Exact) => pnl.div(start).plus(1).times(100).round(6).toNumber();
  // Charts have one point a second: the last one counts.
  const points = new Map<string, CurvePoint>();
  const held = new Map<string, Held>();
  let cash = new Exact(0);
  for (const copy of copies) {
    const price = priceOf(copy);
    if (price === undefined) continue;
    const amount = new Exact(copy.sent_amount);
    const cost = amount.times(price);
    const { lots } = held.get(copy.symbol) ?? { lots: [] };
    if (isEntry(copy)) {
      cash = cash.minus(cost);
      held.set(copy.symbol, {
        price,
        lots: lotsAfterEntry(lots, copy, amount.times(feeRate.neg().plus(1))),
      });
    } else {
      cash = cash.plus(cost).minus(cost.times(feeRate));
      held.set(copy.symbol, { price, lots: lotsAfterExit(lots, copy, amount) });
    }
    const open = total([...held.values()].map(openValueOf));
    points.set(secondOf(copy.signal_at), { at: copy.signal_at, value: index(cash.plus(open)) });
  }
  const curve = [...points.values()];
  const last = curve.at(-1);
  if (last === undefined) return [];
  const end = index(new Exact(result.net_pnl));
  const at = result.to !== undefined && result.to > last.at ? result.to : last.at;
  return [...curve.filter((point) => secondOf(point.at) !== secondOf(at)), { at, value: end }];
}

const secondOf = (at: string) => at.slice(0, 19);

interface Held {
  readonly price: Exact;
  /** What is left of each lot. */
  readonly lots: readonly Exact[];
}

const openValueOf = ({ price, lots }: Held) => total(lots).times(price);

function lotsAfterEntry(lots: readonly Exact[], { kind }: Copy, amount: Exact): Exact[] {
  const last = lots.at(-1);
  return kind === 'INCREASE' && last !== undefined
    ? [...lots.slice(0, -1), last.plus(amount)]
    : [...lots, amount];
}

/**
 * A decision does not name its lot, so an exit is taken from the smallest lot that is large enough. A closed lot is gone: what
 * is left of it is too small to be sold, and has no value.
 */
function lotsAfterExit(lots: readonly Exact[], { kind }: Copy, amount: Exact): Exact[] {
  if (isZero(amount)) return [...lots];
  const sorted = lots.toSorted((a, b) => a.cmp(b));
  const fit = sorted.find((lot) => lot.gte(amount)) ?? sorted.at(-1);
  const rest = lots.filter((lot) => lot !== fit);
  return kind === 'CLOSE' || fit === undefined ? rest : [...rest, largestOf(0, fit.minus(amount))];
}

function feeRateOf(copies: readonly Copy[], fees: string): Exact {
  const turnover = total(copies.map((copy) => new Exact(copy.sent_amount).times(priceOf(copy) ?? 0)));
  return isZero(turnover) ? new Exact(0) : new Exact(fees).div(turnover);
}

export interface IndexPoint {
  readonly at: string;
  readonly index: string;
}

/** The strategy's curve from a time until now, as the value of 100 at that time. The point of today is at its end, so it moves to now. */
export function rebasedCurve(
  curve: readonly IndexPoint[],
  from: string | undefined,
  now: string,
): CurvePoint[] {
  if (from === undefined) return [];
  const earlier = curve.filter(({ at }) => at <= from).at(-1);
  const later = curve.filter(({ at }) => at > from);
  const base = earlier ?? later[0];
  if (base === undefined || isZero(new Exact(base.index))) return [];
  const value = (index: string) => new Exact(index).div(base.index).times(100).round(6).toNumber();
  return [
    ...(earlier === undefined ? [] : [{ at: from, value: 100 }]),
    ...later.map(({ at, index }) => ({ at: at > now ? now : at, value: value(index) })),
  ];
}
