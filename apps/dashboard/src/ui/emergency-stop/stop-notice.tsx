'use client';
import { OctagonX } from 'lucide-react';
import Link from 'next/link';
import { api } from '../../data/api';
import { LATE, useQuery } from '../../data/query';
import { Time } from '../values';
import { stoppedByUser } from './stopped-copiers.rules';

/**
 * Says that nothing is copied because the user has paused every copier, and how to go on. It loads after the page, and stays
 * at the lower edge of the window, so that it moves nothing.
 */
export function StopNotice() {
  const copiers = useQuery({
    queryKey: ['copiers', 'all'],
    queryFn: ({ signal }) => api().copiers.list({ limit: 100 }, { signal }).toArray({ limit: 1_000 }),
    meta: LATE,
  });
  const stopped = stoppedByUser(copiers.data ?? []);
  if (stopped === undefined) return null;
  const { count, at } = stopped;
  return (
    <aside
      aria-label="Copying is stopped"
      className="sticky bottom-4 z-20 mt-4 flex gap-2.5 rounded-card border border-warn-line bg-warn-soft px-4 py-3 text-sm shadow-float max-md:bottom-20"
    >
      <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <p>
        <span className="font-medium">
          {count === 1 ? 'Your copier is paused' : `All ${count} copiers are paused`}
          {count === 1 ? ', ' : ', the last one '}
          <Time at={at} />, by hand or by an emergency stop.
        </span>{' '}
        <span className="max-md:hidden">
          Cancelled orders are not placed again. Orders of yours and of API keys still work.{' '}
        </span>
        <Link href="/copiers" className="underline">
          Start copiers again
        </Link>
      </p>
    </aside>
  );
}
