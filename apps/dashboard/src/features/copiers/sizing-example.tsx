'use client';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import type { CopierValues } from './copier-form.rules';
import { EXAMPLE, sizedExample } from './sizing-example.rules';

export interface SizingExampleProps {
  readonly settings: Pick<CopierValues, 'mode' | 'value' | 'capital' | 'max_trade_quote'>;
  readonly equity: string | undefined;
  readonly quote: string;
}

/** The settings with numbers: what they make of one trade of the strategy. */
export function SizingExample({ settings, equity, quote }: SizingExampleProps) {
  const { locale } = usePreferences();
  const own = equity === undefined || Number(equity) <= 0 ? '10000' : equity;
  const result = sizedExample(settings, own);
  const money = (value: string) => `${formatAmount(value, locale, 2)}\u2009${quote}`;
  const coins = (value: string) => `${formatAmount(value, locale)}\u2009BTC`;
  const source = `The strategy, with an equity of ${money(EXAMPLE.equity)}, buys ${coins(EXAMPLE.amount)} for ${money(EXAMPLE.cost)}.`;
  const share = settings.mode === 'EQUITY_RATIO' && settings.capital.trim() === '';
  const base = !share
    ? ''
    : equity === own
      ? ` Your account has ${money(own)}.`
      : ` Your account has, for example, ${money(own)}.`;
  return (
    <p role="status" className="rounded-card bg-hover px-3 py-2 text-sm">
      <span className="font-medium">Example. </span>
      {source}
      {base}{' '}
      {result === undefined ? (
        'Fill in the number above to see what you would buy.'
      ) : (
        <>
          You buy {coins(result.amount)} for <strong className="font-semibold">{money(result.cost)}</strong>
          {result.reducedFrom === undefined
            ? '.'
            : `, reduced from ${money(result.reducedFrom)} by the limit for one entry.`}
        </>
      )}
    </p>
  );
}
