'use client';
import { useLiveState } from '../data/live';
import { useNow } from '../format/clock';
import { usePreferences } from '../format/preferences';
import { formatRelative } from '../format/times';
import { classNames } from '../ui/class-names';

const LOOK = {
  live: { label: 'Live', dot: 'bg-gain' },
  paused: { label: 'Paused', dot: 'border border-current' },
  reconnecting: { label: 'Reconnecting', dot: 'border-2 border-warn' },
  stale: { label: 'Stale', dot: 'bg-warn' },
} as const;

/** Whether what is on screen is current: live, reconnecting, or stale since when. */
export function LiveBadge() {
  const { state, since } = useLiveState();
  const nowMs = useNow();
  const style = usePreferences();
  const { label, dot } = LOOK[state];
  const text =
    state === 'stale' ? `Stale since ${formatRelative(new Date(since).toISOString(), nowMs, style)}` : label;
  return (
    <span
      role="status"
      className={classNames(
        'flex h-8 items-center gap-1.5 px-1 text-xs',
        state === 'live' ? 'text-muted' : 'text-warn',
      )}
    >
      <span aria-hidden className={classNames('size-2 rounded-full', dot)} />
      <span className={state === 'live' ? 'sr-only sm:not-sr-only' : ''}>{text}</span>
    </span>
  );
}
