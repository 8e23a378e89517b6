/** Sizing and limits as the fields of a form hold them: of a copier, or of one pair of it. */
import type { Copier } from '@trading-automation/sdk';
import { optionalInteger, optionalText } from '../../data/form-problems';

export interface SizingValues {
  readonly mode: string;
  readonly value: string;
  readonly capital: string;
}

export interface LimitValues {
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
}

export const NO_LIMITS: LimitValues = {
  max_trade_quote: '',
  max_open_quote: '',
  max_open_trades: '',
  max_daily_loss_quote: '',
  max_drawdown_percent: '',
  max_slippage_bps: '',
  max_signal_age_s: '',
  max_leverage: '',
  min_margin_ratio: '',
};

/** Milliseconds of whole or broken seconds; what is no number is left for the schema to refuse. */
function millisecondsOf(seconds: string): number | string | undefined {
  const text = seconds.trim();
  if (text === '') return undefined;
  return /^\d+(\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1_000) : text;
}

/** The limits of a body; undefined where the field is empty. */
export const limitsBody = (values: LimitValues) => ({
  max_trade_quote: optionalText(values.max_trade_quote),
  max_open_quote: optionalText(values.max_open_quote),
  max_open_trades: optionalInteger(values.max_open_trades),
  max_daily_loss_quote: optionalText(values.max_daily_loss_quote),
  max_drawdown_percent: optionalText(values.max_drawdown_percent),
  max_slippage_bps: optionalInteger(values.max_slippage_bps),
  max_signal_age_ms: millisecondsOf(values.max_signal_age_s),
  max_leverage: optionalText(values.max_leverage),
  min_margin_ratio: optionalText(values.min_margin_ratio),
});

export const sizingBody = ({ mode, value, capital }: SizingValues) => ({
  mode,
  value: value.trim(),
  ...(mode === 'EQUITY_RATIO' ? { capital: optionalText(capital) } : {}),
});

type Limits = Copier<'string'>['limits'];

const text = (value: string | number | undefined) => (value === undefined ? '' : String(value));

export const sizingValues = ({ mode, value, capital }: Copier<'string'>['sizing']): SizingValues => ({
  mode,
  value,
  capital: text(capital),
});

export const limitValues = (
  limits: { readonly [K in keyof Limits]?: Limits[K] | undefined },
): LimitValues => ({
  max_trade_quote: text(limits.max_trade_quote),
  max_open_quote: text(limits.max_open_quote),
  max_open_trades: text(limits.max_open_trades),
  max_daily_loss_quote: text(limits.max_daily_loss_quote),
  max_drawdown_percent: text(limits.max_drawdown_percent),
  max_slippage_bps: text(limits.max_slippage_bps),
  max_signal_age_s: limits.max_signal_age_ms === undefined ? '' : String(limits.max_signal_age_ms / 1_000),
  max_leverage: text(limits.max_leverage),
  min_margin_ratio: text(limits.min_margin_ratio),
});

/** The name that a field of a form has for a field of the API within `sizing` or `limits`. */
export function limitFieldOf(field: string): string {
  const name = field.replace(/^(sizing|limits)\./, '').replace(/\.\d+$/, '');
  if (name === 'sizing') return 'value';
  return name === 'max_signal_age_ms' ? 'max_signal_age_s' : name;
}
