'use client';
import { Bell as BellIcon } from 'lucide-react';
import Link from 'next/link';
import { LATE } from '../data/query';
import { useUnreadCount } from '../data/unread-count';

/** Leads to the notifications, with the count of unread ones. */
export function Bell() {
  const unread = useUnreadCount(LATE);
  return (
    <Link
      href="/notifications"
      prefetch={false}
      aria-label={unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`}
      title="Notifications"
      className="relative grid size-8 place-items-center rounded-control hover:bg-hover pointer-coarse:size-10"
    >
      <BellIcon aria-hidden className="size-4" />
      {unread > 0 && (
        <span className="absolute -top-0.5 -right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 font-medium text-2xs text-white">
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </Link>
  );
}
