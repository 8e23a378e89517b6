/** The settings of a copier in words. */
import type { Copier } from '@trading-automation/sdk';
import { formatAmount } from '../../format/numbers';
import { formatDuration } from '../../format/times';

type Sizing = Copier<'string'>['sizing'];
type Limits = Copier<'string'>['limits'];
/** An override has each limit only if it replaces that of the copier. */
type LimitsGiven = { readonly [K in keyof Limits]?: Limits[K] | undefined };

export const MODE_NAMES: Readonly<Record<string, string>> = {
  EQUITY_RATIO: 'Proportional to equity',
  FIXED_QUOTE: 'Fixed cost',
  FIXED_AMOUNT: 'Fixed amount',
  MULTIPLIER: 'Multiplier',
};

export const MODE_MEANINGS: Readonly<Record<string, string>> = {
  EQUITY_RATIO:
    'Each entry is the same share of your equity as of the equity of the strategy, times the factor. It fits accounts of any size.',
  FIXED_QUOTE:
    'Each lot of the strategy costs the same amount of quote currency, whatever the strategy pays.',
  FIXED_AMOUNT:
    'Each lot of the strategy has the same amount of base currency. It means little across pairs.',
  MULTIPLIER:
    'Each entry is the amount of the strategy times the factor. It ignores the size of your account.',
};

export function sizingWords({ mode, value, capital }: Sizing, locale?: string): string {
  const number = formatAmount(value, locale);
  if (mode === 'FIXED_QUOTE') return `${number} in quote currency for each lot of the strategy`;
  if (mode === 'FIXED_AMOUNT') return `${number} in base currency for each lot of the strategy`;
  if (mode === 'MULTIPLIER') return `${number} × the amount of the strategy`;
  const equity = capital === undefined ? 'your equity' : `a capital of ${formatAmount(capital, locale)}`;
  return `${number} × the share of equity that the strategy uses, of ${equity}`;
}

export interface LimitLine {
  readonly name: string;
  readonly value: string;
}

/** The limits that are set, and those that always apply. */
export function limitLines(limits: Limits, locale?: string): LimitLine[] {
  return linesOf({ ...limits, max_slippage_bps: limits.max_slippage_bps ?? 50 }, locale);
}

/** How the copier finds pairs on its exchange, and its settings for single pairs. */
export function pairLines(
  { quote_aliases: groups, symbol_map: map, overrides }: Copier<'string'>,
  locale?: string,
): LimitLine[] {
  const pairs = Object.entries(map).map(([from, to]) => `${from} as ${to}`);
  return [
    ...groups.map((group) => ({ name: 'Count as the same', value: group.join(', ') })),
    ...(pairs.length === 0 ? [] : [{ name: 'Copied on another pair', value: pairs.join(', ') }]),
    ...Object.entries(overrides).map(([symbol, { sizing, limits = {} }]) => ({
      name: `Only for ${symbol}`,
      value: [
        ...(sizing === undefined ? [] : [sizingWords(sizing, locale)]),
        ...linesOf(limits, locale).map(({ name, value }) => `${name}: ${value}`),
      ].join('; '),
    })),
  ];
}

function linesOf(limits: LimitsGiven, locale?: string): LimitLine[] {
  const quote = (value: string) => `${formatAmount(value, locale)} in quote currency`;
  const line = (name: string, value: string | undefined): LimitLine[] =>
    value === undefined ? [] : [{ name, value }];
  const map = <T>(value: T | undefined, words: (value: T) => string) =>
    value === undefined ? undefined : words(value);
  return [
    ...line('One entry costs at most', map(limits.max_trade_quote, quote)),
    ...line('All open lots cost at most', map(limits.max_open_quote, quote)),
    ...line(
      'Open lots',
      map(limits.max_open_trades, (count) => `at most ${count}`),
    ),
    ...line('Loss limit of a day', map(limits.max_daily_loss_quote, quote)),
    ...line(
      'Drawdown limit',
      map(limits.max_drawdown_percent, (value) => `${formatAmount(value, locale)}\u2009%`),
    ),
    ...line(
      'Slippage of an entry',
      map(limits.max_slippage_bps, (bps) => `at most ${bps}\u2009bps`),
    ),
    ...line(
      'Age of a signal to enter',
      map(limits.max_signal_age_ms, (age) => `at most ${formatDuration(age)}`),
    ),
    ...line(
      'Leverage',
      map(limits.max_leverage, (value) => `at most ${formatAmount(value, locale)}`),
    ),
    ...line(
      'Margin ratio',
      map(limits.min_margin_ratio, (value) => `at least ${formatAmount(value, locale)}`),
    ),
    ...line('Only these pairs', limits.allowed_pairs?.join(', ')),
    ...line('Never these pairs', limits.blocked_pairs?.join(', ')),
    ...line('Only entries on the side', limits.allowed_sides?.join(', ')),
  ];
}

export const BREACH_WORDS: Readonly<Record<string, string>> = {
  CLOSE_ONLY: 'Copy only exits',
  PAUSE: 'Pause: copy neither entries nor exits',
};

/** The same, as a sentence. */
export const BREACH_SENTENCES: Readonly<Record<string, string>> = {
  CLOSE_ONLY: 'At a loss limit, the copier copies only exits.',
  PAUSE: 'At a loss limit, the copier pauses: it copies neither entries nor exits.',
};

export const BELOW_MINIMUM_WORDS: Readonly<Record<string, string>> = {
  ACCUMULATE: 'Add it to the next copy of the same lot',
  SKIP: 'Skip it',
  ROUND_UP: 'Raise it to the minimum, at most to the double',
};

const REASONS: Readonly<Record<string, string>> = {
  USER: 'You stopped it',
  DAILY_LOSS: 'The limit of the daily loss was reached',
  DRAWDOWN: 'The limit of the drawdown was reached',
  CREDENTIALS: 'The exchange refused the credentials of its account',
  STRATEGY_ARCHIVED: 'Its strategy was archived',
};

/** Why a copier is not active, as the beginning of a sentence that ends with the time. */
export const statusReason = (reason: string | undefined): string =>
  reason === undefined ? 'Stopped' : (REASONS[reason] ?? reason);
