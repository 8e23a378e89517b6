'use client';
/**
 * Numbers and times in the reader's form. A missing value is a dash that screen readers skip.
 *
 * Browsers format some of them a little differently from the server that rendered the page; its text then stays until the
 * value changes.
 */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useNow } from '../format/clock';
import { formatAmount, formatPercent, formatSigned, signOf } from '../format/numbers';
import { usePreferences } from '../format/preferences';
import { formatExact, formatRelative, formatTime } from '../format/times';
import { classNames } from './class-names';

type Value = string | null | undefined;
const isMissing = (value: Value): value is null | undefined => value === null || value === undefined;

export const Missing = () => <span className="text-muted">–</span>;

function Asset({ asset }: { readonly asset: string | undefined }) {
  return asset === undefined ? null : <span data-unit className="text-muted">{`\u2009${asset}`}</span>;
}

const TONE = { '-1': 'text-loss', '0': 'text-muted', '1': 'text-gain' } as const;

/** An amount of an asset. */
export function Amount({
  value,
  asset,
  digits,
}: {
  readonly value: Value;
  readonly asset?: string | undefined;
  readonly digits?: number;
}) {
  const { locale } = usePreferences();
  if (isMissing(value)) return <Missing />;
  return (
    <span suppressHydrationWarning className="whitespace-nowrap">
      {formatAmount(value, locale, digits)}
      <Asset asset={asset} />
    </span>
  );
}

/** A gain or a loss: its sign says which, the colour repeats it. */
export function Change({
  value,
  asset,
  digits = 2,
}: {
  readonly value: Value;
  readonly asset?: string | undefined;
  readonly digits?: number;
}) {
  const { locale } = usePreferences();
  if (isMissing(value)) return <Missing />;
  return (
    <span
      suppressHydrationWarning
      className={classNames('whitespace-nowrap', TONE[`${signOf(value, digits)}`])}
    >
      {formatSigned(value, locale, digits)}
      <Asset asset={asset} />
    </span>
  );
}

/** A ratio as a percentage; a change has a sign, a colour and an arrow. */
export function Percent({ ratio, isChange = false }: { readonly ratio: Value; readonly isChange?: boolean }) {
  const { locale } = usePreferences();
  if (isMissing(ratio)) return <Missing />;
  if (!isChange)
    return (
      <span suppressHydrationWarning className="whitespace-nowrap">
        {formatPercent(ratio, locale)}
      </span>
    );
  // A percentage has two digits more than its ratio.
  const sign = signOf(ratio, 4);
  const Arrow = sign < 0 ? ArrowDown : ArrowUp;
  return (
    <span
      suppressHydrationWarning
      className={classNames('inline-flex items-baseline gap-0.5 whitespace-nowrap', TONE[`${sign}`])}
    >
      {sign !== 0 && <Arrow aria-hidden className="size-3 self-center" />}
      {formatPercent(ratio, locale, true)}
    </span>
  );
}

/** A time: relative, with the exact one on hover; `isExact` shows date and time. */
export function Time({ at, isExact = false }: { readonly at: Value; readonly isExact?: boolean }) {
  const style = usePreferences();
  if (isMissing(at)) return <Missing />;
  return (
    <time suppressHydrationWarning dateTime={at} title={formatExact(at, style)} className="whitespace-nowrap">
      {isExact ? formatTime(at, style) : <RelativeTime at={at} />}
    </time>
  );
}

/** Follows the clock, which an exact time need not do. */
function RelativeTime({ at }: { readonly at: string }) {
  return formatRelative(at, useNow(), usePreferences());
}
