/** Converts between the fields of the form and the bodies of the API. Missing values are removed by an update with null. */

import type { Strategy, TradePair } from '@trading-automation/sdk';
import { optionalInteger, optionalText, symbolsOf } from '../../data/form-problems';
import { Exact } from '../../format/decimals';

export interface StrategyValues {
  readonly name: string;
  readonly exchange_account_id: string;
  readonly description: string;
  /** Symbols, separated by commas; empty for any pair. */
  readonly symbols: string;
  readonly visibility: string;
  readonly hasShare: boolean;
  readonly sharePercent: string;
  readonly sharePeriod: string;
  readonly min_copy_equity: string;
  readonly capacity: string;
  readonly allow_multiplier: boolean;
}

export const EMPTY_STRATEGY: StrategyValues = {
  name: '',
  exchange_account_id: '',
  description: '',
  symbols: '',
  visibility: 'PRIVATE',
  hasShare: false,
  sharePercent: '10',
  sharePeriod: 'MONTH',
  min_copy_equity: '',
  capacity: '',
  allow_multiplier: false,
};

/** The field of the form that shows a problem of a field of the API. */
export function formFieldOf(field: string): keyof StrategyValues | undefined {
  if (field.startsWith('trade_pair_ids')) return 'symbols';
  if (field === 'profit_share.rate' || field === 'profit_share') return 'sharePercent';
  if (field === 'profit_share.period') return 'sharePeriod';
  return field in EMPTY_STRATEGY ? (field as keyof StrategyValues) : undefined;
}

type Pair = Pick<TradePair<'string'>, 'id' | 'symbol'>;

/** Returns the symbols that are no pair of the list. */
export function unknownSymbols(text: string, pairs: readonly Pair[]): string[] {
  return symbolsOf(text).filter((symbol) => !pairs.some((pair) => pair.symbol === symbol));
}

const idsOf = (text: string, pairs: readonly Pair[]) =>
  symbolsOf(text).flatMap((symbol) => pairs.find((pair) => pair.symbol === symbol)?.id ?? []);

/** A percentage as a ratio; what is no number is left for the schema to refuse. */
function ratioOf(percent: string): string {
  const text = percent.trim();
  return /^\d+(\.\d+)?$/.test(text) ? new Exact(text).div(100).toFixed() : text;
}

export function createBody(values: StrategyValues, pairs: readonly Pair[]) {
  const ids = idsOf(values.symbols, pairs);
  return {
    name: values.name.trim(),
    exchange_account_id: values.exchange_account_id || undefined,
    description: optionalText(values.description),
    trade_pair_ids: ids.length === 0 ? undefined : ids,
    visibility: values.visibility,
    profit_share: shareOf(values),
    min_copy_equity: optionalText(values.min_copy_equity),
    capacity: optionalInteger(values.capacity),
    allow_multiplier: values.allow_multiplier,
  };
}

export function updateBody(values: StrategyValues, pairs: readonly Pair[]) {
  const { exchange_account_id: _, ...body } = createBody(values, pairs);
  return {
    ...body,
    description: body.description ?? null,
    trade_pair_ids: body.trade_pair_ids ?? null,
    profit_share: body.profit_share ?? null,
    min_copy_equity: body.min_copy_equity ?? null,
    capacity: body.capacity ?? null,
  };
}

const shareOf = ({ hasShare, sharePercent, sharePeriod }: StrategyValues) =>
  hasShare ? { rate: ratioOf(sharePercent), period: sharePeriod } : undefined;

export function valuesOf(strategy: Strategy<'string'>, pairs: readonly Pair[]): StrategyValues {
  const { trade_pair_ids: ids = [], profit_share: share } = strategy;
  return {
    name: strategy.name,
    exchange_account_id: strategy.exchange_account_id ?? '',
    description: strategy.description ?? '',
    symbols: ids.map((id) => pairs.find((pair) => pair.id === id)?.symbol ?? id).join(', '),
    visibility: strategy.visibility,
    hasShare: share !== undefined,
    sharePercent: share === undefined ? '10' : new Exact(share.rate).times(100).toFixed(),
    sharePeriod: share?.period ?? 'MONTH',
    min_copy_equity: strategy.min_copy_equity ?? '',
    capacity: strategy.capacity === undefined ? '' : String(strategy.capacity),
    allow_multiplier: strategy.allow_multiplier,
  };
}
