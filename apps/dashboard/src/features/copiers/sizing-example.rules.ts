/** What the settings of a copier make of an example trade of the strategy. */
import { Exact, roundDown } from '../../format/decimals';
import type { CopierValues } from './copier-form.rules';

/** The strategy, with this equity, buys for this cost at this price. */
export const EXAMPLE = { equity: '100000', cost: '5000', price: '50000', amount: '0.1' } as const;

export interface SizedExample {
  /** What the copier orders, in base and in quote currency. */
  readonly amount: string;
  readonly cost: string;
  /** The cost before the limit for one entry, if the limit reduces it. */
  readonly reducedFrom: string | undefined;
}

type Sizing = Pick<CopierValues, 'mode' | 'value' | 'capital' | 'max_trade_quote'>;

const isPositive = (value: string) => /^\d+(\.\d+)?$/.test(value.trim()) && Number(value) > 0;

/** Returns undefined while the settings are incomplete. `equity` is that of the copier's account. */
export function sizedExample(settings: Sizing, equity: string): SizedExample | undefined {
  if (!isPositive(settings.value)) return undefined;
  const cost = costOf(settings, equity);
  if (cost === undefined) return undefined;
  const limit = settings.max_trade_quote.trim();
  const isReduced = isPositive(limit) && cost.gt(limit);
  const ordered = isReduced ? new Exact(limit) : cost;
  return {
    cost: roundDown(ordered, 2).toFixed(),
    amount: roundDown(ordered.div(EXAMPLE.price), 8).toFixed(),
    reducedFrom: isReduced ? roundDown(cost, 2).toFixed() : undefined,
  };
}

function costOf({ mode, value, capital }: Sizing, equity: string): Exact | undefined {
  const given = new Exact(value);
  if (mode === 'FIXED_QUOTE') return given;
  if (mode === 'FIXED_AMOUNT') return given.times(EXAMPLE.price);
  if (mode === 'MULTIPLIER') return given.times(EXAMPLE.cost);
  const own = isPositive(capital) ? capital : equity;
  if (!isPositive(own)) return undefined;
  return given.times(EXAMPLE.cost).times(own).div(EXAMPLE.equity);
}
