/** Converts between the fields of the settings of a copier and the bodies of the API. */
import type { Copier } from '@trading-automation/sdk';
import { optionalInteger, optionalText, type Problem, symbolsOf } from '../../data/form-problems';

export interface CopierValues {
  readonly name: string;
  readonly mode: string;
  readonly value: string;
  readonly capital: string;
  readonly max_trade_quote: string;
  readonly max_open_quote: string;
  readonly max_open_trades: string;
  readonly max_daily_loss_quote: string;
  readonly max_drawdown_percent: string;
  readonly max_slippage_bps: string;
  /** Of the API in milliseconds; people think of seconds. */
  readonly max_signal_age_s: string;
  readonly max_leverage: string;
  readonly min_margin_ratio: string;
  readonly allowed_pairs: string;
  readonly blocked_pairs: string;
  readonly allowed_sides: string;
  readonly on_breach: string;
  readonly below_minimum: string;
  /** A group of currencies on each line, separated by commas. */
  readonly quote_aliases: string;
  /** A pair of the strategy and one of the copier on each line, separated by an equals sign. */
  readonly symbol_map: string;
}

export const NEW_COPIER: CopierValues = {
  name: '',
  mode: 'EQUITY_RATIO',
  value: '1',
  capital: '',
  max_trade_quote: '',
  max_open_quote: '',
  max_open_trades: '',
  max_daily_loss_quote: '',
  max_drawdown_percent: '',
  max_slippage_bps: '50',
  max_signal_age_s: '60',
  max_leverage: '',
  min_margin_ratio: '',
  allowed_pairs: '',
  blocked_pairs: '',
  allowed_sides: '',
  on_breach: 'CLOSE_ONLY',
  below_minimum: 'ACCUMULATE',
  quote_aliases: '',
  symbol_map: '',
};

const PREFIX = /^(sizing|limits)\./;
/** A group of aliases, or the entry of a pair. */
const ENTRY = /^(quote_aliases|symbol_map)\..*$/;

/** The field of the form that shows a problem of a field of the API. */
export function formFieldOf(field: string): keyof CopierValues | undefined {
  const name = field
    .replace(PREFIX, '')
    .replace(ENTRY, '$1')
    .replace(/\.\d+$/, '');
  if (name === 'sizing') return 'value';
  if (name === 'max_signal_age_ms') return 'max_signal_age_s';
  return name in NEW_COPIER ? (name as keyof CopierValues) : undefined;
}

/** The message of a problem. It names the pair, because all pairs are in one field. */
export const formMessageOf = ({ field, message }: Problem): string =>
  field.startsWith(MAP_PREFIX) ? `${field.slice(MAP_PREFIX.length)}: ${message}` : message;
const MAP_PREFIX = 'symbol_map.';

/** Milliseconds of whole or broken seconds; what is no number is left for the schema to refuse. */
function millisecondsOf(seconds: string): number | string | undefined {
  const text = seconds.trim();
  if (text === '') return undefined;
  return /^\d+(\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1_000) : text;
}

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

function limitsOf(values: CopierValues) {
  return {
    max_trade_quote: optionalText(values.max_trade_quote),
    max_open_quote: optionalText(values.max_open_quote),
    max_open_trades: optionalInteger(values.max_open_trades),
    max_daily_loss_quote: optionalText(values.max_daily_loss_quote),
    max_drawdown_percent: optionalText(values.max_drawdown_percent),
    max_slippage_bps: optionalInteger(values.max_slippage_bps),
    max_signal_age_ms: millisecondsOf(values.max_signal_age_s),
    max_leverage: optionalText(values.max_leverage),
    min_margin_ratio: optionalText(values.min_margin_ratio),
    allowed_pairs: listOf(values.allowed_pairs),
    blocked_pairs: listOf(values.blocked_pairs),
    allowed_sides: values.allowed_sides === '' ? undefined : [values.allowed_sides],
  };
}

const sizingOf = ({ mode, value, capital }: CopierValues) => ({
  mode,
  value: value.trim(),
  ...(mode === 'EQUITY_RATIO' ? { capital: optionalText(capital) } : {}),
});

/** The settings of a new copier, without its strategy and account. */
export function settingsBody(values: CopierValues) {
  return {
    name: values.name.trim(),
    sizing: sizingOf(values),
    limits: limitsOf(values),
    quote_aliases: aliasesOf(values.quote_aliases),
    symbol_map: mapOf(values.symbol_map),
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

const text = (value: string | number | undefined) => (value === undefined ? '' : String(value));

export function valuesOf(copier: Copier<'string'>): CopierValues {
  const { name, sizing, limits, on_breach, below_minimum, quote_aliases, symbol_map } = copier;
  return {
    name,
    mode: sizing.mode,
    value: sizing.value,
    capital: text(sizing.capital),
    max_trade_quote: text(limits.max_trade_quote),
    max_open_quote: text(limits.max_open_quote),
    max_open_trades: text(limits.max_open_trades),
    max_daily_loss_quote: text(limits.max_daily_loss_quote),
    max_drawdown_percent: text(limits.max_drawdown_percent),
    max_slippage_bps: text(limits.max_slippage_bps),
    max_signal_age_s: String(limits.max_signal_age_ms / 1_000),
    max_leverage: text(limits.max_leverage),
    min_margin_ratio: text(limits.min_margin_ratio),
    allowed_pairs: (limits.allowed_pairs ?? []).join(', '),
    blocked_pairs: (limits.blocked_pairs ?? []).join(', '),
    allowed_sides: limits.allowed_sides?.length === 1 ? text(limits.allowed_sides[0]) : '',
    on_breach,
    below_minimum,
    quote_aliases: quote_aliases.map((group) => group.join(', ')).join('\n'),
    symbol_map: Object.entries(symbol_map)
      .map(([from, to]) => `${from} = ${to}`)
      .join('\n'),
  };
}
