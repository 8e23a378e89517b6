'use client';
import { formatBalance } from '../format/balance';
import { usePreferences } from '../format/preferences';
import { Missing } from './values';

/** An amount that can be spent, rounded down. */
export function Balance({
  value,
  asset,
}: {
  readonly value: string | undefined;
  readonly asset?: string | undefined;
}) {
  const { locale } = usePreferences();
  if (value === undefined) return <Missing />;
  return (
    <span suppressHydrationWarning className="whitespace-nowrap">
      {formatBalance(value, locale)}
      {asset !== undefined && <span data-unit className="text-muted">{`\u2009${asset}`}</span>}
    </span>
  );
}
