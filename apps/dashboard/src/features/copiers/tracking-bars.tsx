'use client';
import { formatSigned, signOf } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { trackingParts } from './tracking.rules';
import type { CopierRow } from './use-copier';

export interface TrackingBarsProps {
  readonly difference: string | null;
  readonly parts: CopierRow['stats']['tracking'];
}

const bpsWords = (bps: string, locale: string | undefined) => `${formatSigned(bps, locale, 0)}\u2009bps`;

/** The tracking difference and its five parts: bars to the left cost the copier something. */
export function TrackingBars({ difference, parts }: TrackingBarsProps) {
  const { locale } = usePreferences();
  if (difference === null || parts === undefined)
    return (
      <p className="text-muted text-sm">
        Nothing to compare yet: the strategy has closed no lot while the copier was active.
      </p>
    );
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">
        <span className="font-medium">{bpsWords(difference, locale)}</span>{' '}
        <span className="text-muted">{summaryOf(difference)}</span>
      </p>
      <ul className="flex flex-col">
        {trackingParts(parts).map(({ name, meaning, bps, share }) => (
          <li key={name} className="grid grid-cols-[1fr_auto] items-center gap-x-3 border-t py-2 text-sm">
            <span className="font-medium">{name}</span>
            <span className="text-right">{bpsWords(bps, locale)}</span>
            <span aria-hidden className="col-span-2 my-1 grid h-1.5 grid-cols-2">
              <span className="flex justify-end border-line-strong border-r">
                {signOf(bps) < 0 && <Bar share={share} className="rounded-l bg-loss-line" />}
              </span>
              <span>{signOf(bps) > 0 && <Bar share={share} className="rounded-r bg-gain-line" />}</span>
            </span>
            <span className="col-span-2 text-muted text-xs">{meaning}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const Bar = ({ share, className }: { readonly share: number; readonly className: string }) => (
  <span className={`block h-1.5 ${className}`} style={{ width: `${Math.max(1, share * 100)}%` }} />
);

function summaryOf(difference: string): string {
  const sign = signOf(difference);
  if (sign === 0) return 'The copier earned what a perfect copy earned.';
  return `The copier earned ${sign < 0 ? 'less' : 'more'} than a perfect copy, relative to its cost. 100 bps are 1 %.`;
}
