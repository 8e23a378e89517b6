'use client';
import { formatAmount, formatSigned, signOf } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Missing } from '../../ui/values';

/** Basis points: hundredths of a percent. A change has a sign, and a colour that repeats it. */
export function Bps({
  value,
  isChange = false,
}: {
  readonly value: string | null;
  readonly isChange?: boolean;
}) {
  const { locale } = usePreferences();
  if (value === null) return <Missing />;
  const sign = signOf(value);
  const tone = !isChange || sign === 0 ? '' : sign < 0 ? 'text-loss' : 'text-gain';
  return (
    <span className={`whitespace-nowrap ${tone}`}>
      {isChange ? formatSigned(value, locale, 0) : signedOnlyIfNegative(value, locale)}
      <span data-unit className="text-muted">
        {'\u2009bps'}
      </span>
    </span>
  );
}

const signedOnlyIfNegative = (value: string, locale: string | undefined) =>
  signOf(value) < 0 ? formatSigned(value, locale, 1) : formatAmount(value, locale, 1);
