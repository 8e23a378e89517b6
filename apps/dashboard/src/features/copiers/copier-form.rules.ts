/** Converts between the fields of the settings of a copier and the bodies of the API. */
import type { Copier } from '@trading-automation/sdk';
import { type Problem, symbolsOf } from '../../data/form-problems';
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
import { overridesBody, type PairValues, pairFieldOf, pairValuesOf } from './pair-settings.rules';

export interface CopierValues extends SizingValues, LimitValues {
  readonly name: string;
  readonly allowed_pairs: string;
  readonly blocked_pairs: string;
  readonly allowed_sides: string;
  readonly on_breach: string;
  readonly below_minimum: string;
  /** A group of currencies on each line, separated by commas. */
  readonly quote_aliases: string;
  /** A pair of the strategy and one of the copier on each line, separated by an equals sign. */
  readonly symbol_map: string;
  /** Sizing and limits for single pairs. */
  readonly overrides: readonly PairValues[];
}

export const NEW_COPIER: CopierValues = {
  name: '',
  mode: 'EQUITY_RATIO',
  value: '1',
  capital: '',
  ...NO_LIMITS,
  max_slippage_bps: '50',
  max_signal_age_s: '60',
  allowed_pairs: '',
  blocked_pairs: '',
  allowed_sides: '',
  on_breach: 'CLOSE_ONLY',
  below_minimum: 'ACCUMULATE',
  quote_aliases: '',
  symbol_map: '',
  overrides: [],
};

/** A group of aliases, or the entry of a pair. */
const ENTRY = /^(quote_aliases|symbol_map)\..*$/;

/** The field of the form that shows a problem of a field of the API. */
export function formFieldOf(field: string, pairs: readonly PairValues[]) {
  const pairField = pairFieldOf(field, pairs);
  if (pairField !== undefined) return pairField;
  const name = limitFieldOf(field.replace(ENTRY, '$1'));
  return name in NEW_COPIER ? (name as Exclude<keyof CopierValues, 'overrides'>) : undefined;
}

/** The message of a problem. It names the pair, because all pairs are in one field. */
export const formMessageOf = ({ field, message }: Problem): string =>
  field.startsWith(MAP_PREFIX) ? `${field.slice(MAP_PREFIX.length)}: ${message}` : message;
const MAP_PREFIX = 'symbol_map.';

const listOf = (text: string) => {
  const symbols = symbolsOf(text);
  return symbols.length === 0 ? undefined : symbols;
};

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** The groups of aliases. A symbol is upper case, and so is a currency. */
const aliasesOf = (text: string) => linesOf(text).map(symbolsOf);

/** The map of pairs. A line without an equals sign gets an empty pair, which the schema refuses. */
const mapOf = (text: string) =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const [from = '', ...to] = line.toUpperCase().split('=');
      return [from.trim(), to.join('=').trim()];
    }),
  );

const limitsOf = (values: CopierValues) => ({
  ...limitsBody(values),
  allowed_pairs: listOf(values.allowed_pairs),
  blocked_pairs: listOf(values.blocked_pairs),
  allowed_sides: values.allowed_sides === '' ? undefined : [values.allowed_sides],
});

/** The settings of a new copier, without its strategy and account. */
export function settingsBody(values: CopierValues) {
  return {
    name: values.name.trim(),
    sizing: sizingBody(values),
    limits: limitsOf(values),
    quote_aliases: aliasesOf(values.quote_aliases),
    symbol_map: mapOf(values.symbol_map),
    overrides: overridesBody(values.overrides),
    on_breach: values.on_breach,
    below_minimum: values.below_minimum,
  };
}

/** The settings of an update: null removes a limit. The age of signals cannot be removed. */
export function updateBody(values: CopierValues) {
  const { limits, ...rest } = settingsBody(values);
  const { max_signal_age_ms: age, ...removable } = limits;
  const changed = Object.fromEntries(Object.entries(removable).map(([name, value]) => [name, value ?? null]));
  return { ...rest, limits: { ...changed, ...(age === undefined ? {} : { max_signal_age_ms: age }) } };
}

export function valuesOf(copier: Copier<'string'>): CopierValues {
  const { name, sizing, limits, on_breach, below_minimum, quote_aliases, symbol_map, overrides } = copier;
  return {
    name,
    ...sizingValues(sizing),
    ...limitValues(limits),
    allowed_pairs: (limits.allowed_pairs ?? []).join(', '),
    blocked_pairs: (limits.blocked_pairs ?? []).join(', '),
    allowed_sides: limits.allowed_sides?.length === 1 ? String(limits.allowed_sides[0]) : '',
    on_breach,
    below_minimum,
    quote_aliases: quote_aliases.map((group) => group.join(', ')).join('\n'),
    symbol_map: Object.entries(symbol_map)
      .map(([from, to]) => `${from} = ${to}`)
      .join('\n'),
    overrides: pairValuesOf(overrides),
  };
}
