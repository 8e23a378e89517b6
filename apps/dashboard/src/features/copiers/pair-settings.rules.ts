/** Sizing and limits for single pairs of a copier: the fields of the form and the `overrides` of the API. */
import type { Copier } from '@trading-automation/sdk';
import {
  type LimitValues,
  limitFieldOf,
  limitsBody,
  limitValues,
  NO_LIMITS,
  type SizingValues,
  sizingBody,
  sizingValues,
} from './limit-values.rules';

export interface PairValues extends SizingValues, LimitValues {
  readonly symbol: string;
  /** `BUY`, `SELL`, `BOTH`, or empty for those of the copier. */
  readonly allowed_sides: string;
}

/** A pair without settings: an empty mode or limit keeps that of the copier. */
export const NEW_PAIR: PairValues = {
  symbol: '',
  mode: '',
  value: '',
  capital: '',
  ...NO_LIMITS,
  allowed_sides: '',
};

type Overrides = Copier<'string'>['overrides'];

const symbolOf = ({ symbol }: PairValues) => symbol.trim().toUpperCase();

const SIDES: Readonly<Record<string, readonly string[]>> = {
  BUY: ['BUY'],
  SELL: ['SELL'],
  BOTH: ['BUY', 'SELL'],
};

function settingsOf(values: PairValues) {
  const limits = { ...limitsBody(values), allowed_sides: SIDES[values.allowed_sides] };
  return {
    ...(values.mode === '' ? {} : { sizing: sizingBody(values) }),
    ...(Object.values(limits).every((limit) => limit === undefined) ? {} : { limits }),
  };
}

export const overridesBody = (pairs: readonly PairValues[]) =>
  Object.fromEntries(pairs.map((pair) => [symbolOf(pair), settingsOf(pair)]));

export const pairValuesOf = (overrides: Overrides): PairValues[] =>
  Object.entries(overrides).map(([symbol, { sizing, limits = {} }]) => ({
    ...NEW_PAIR,
    symbol,
    ...(sizing === undefined ? {} : sizingValues(sizing)),
    ...limitValues(limits),
    allowed_sides: sidesOf(limits.allowed_sides),
  }));

function sidesOf(sides: readonly string[] | undefined): string {
  if (sides === undefined) return '';
  return sides.length === 1 ? String(sides[0]) : 'BOTH';
}

const PREFIX = 'overrides.';

/** The field of the form for a field of the API, such as `overrides.BTC/USDT.limits.max_trade_quote`. */
export function pairFieldOf(field: string, pairs: readonly PairValues[]) {
  if (field === 'overrides') return 'overrides' as const;
  if (!field.startsWith(PREFIX)) return undefined;
  const rest = field.slice(PREFIX.length);
  // A symbol may contain dots.
  const index = pairs.findIndex((pair) => rest === symbolOf(pair) || rest.startsWith(`${symbolOf(pair)}.`));
  const pair = pairs[index];
  if (pair === undefined) return 'overrides' as const;
  const name = limitFieldOf(rest.slice(symbolOf(pair).length + 1));
  return `overrides.${index}.${name in NEW_PAIR ? (name as keyof PairValues) : 'symbol'}` as const;
}

/** The positions of pairs that an earlier one repeats: the API has one entry for each pair. */
export const repeatedPairs = (pairs: readonly PairValues[]): number[] =>
  pairs.flatMap((pair, i) =>
    pairs.slice(0, i).some((earlier) => symbolOf(earlier) === symbolOf(pair)) ? [i] : [],
  );

/** How many settings of a pair replace those of the copier. */
export function settingsCount({ symbol: _, mode, value: _value, capital: _capital, ...limits }: PairValues) {
  return [mode, ...Object.values(limits)].filter((text) => text.trim() !== '').length;
}
