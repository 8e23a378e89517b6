'use client';
import { ChevronRight, Search } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { Badge } from '../ui/badge';
import { Bell } from './bell';
import { LiveBadge } from './live-badge';
import { groupOfItem, itemOfPath, partOfPath } from './navigation';
import { openPalette } from './shortcuts';
import { UserMenu } from './user-menu';

export interface TopBarProps {
  readonly world: 'live' | 'test';
  readonly userId: string;
  /** The record that the page is about, once it is known. */
  readonly recordName: string | undefined;
}

export function TopBar({ world, userId, recordName }: TopBarProps) {
  return (
    <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b bg-surface px-4 md:px-6">
      <Breadcrumb recordName={recordName} />
      <div className="ml-auto flex items-center gap-2">
        <button type="button" onClick={openPalette} aria-keyshortcuts="Control+K" className="search-field">
          <Search aria-hidden className="size-4" />
          <span className="sr-only lg:not-sr-only">
            Search<span className="sr-only"> and commands</span>
          </span>
          <kbd className="key-hint">Ctrl K</kbd>
        </button>
        <Badge tone={world === 'test' ? 'warn' : 'neutral'}>{world === 'test' ? 'TEST' : 'LIVE'}</Badge>
        <LiveBadge />
        <Bell />
        <UserMenu userId={userId} />
      </div>
    </header>
  );
}

function Breadcrumb({ recordName }: Pick<TopBarProps, 'recordName'>) {
  const path = usePathname();
  const item = itemOfPath(path);
  const group = groupOfItem(item);
  const part = item && partOfPath(path, item);
  const isDetail = part !== undefined;
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex items-center gap-1 text-sm">
        {group !== undefined && <li className="hidden text-muted sm:block">{group}</li>}
        {item !== undefined && (
          <li className="flex min-w-0 items-center gap-1">
            {group !== undefined && (
              <ChevronRight aria-hidden className="hidden size-3.5 text-muted sm:block" />
            )}
            <Link
              href={item.href}
              aria-current={isDetail ? undefined : 'page'}
              className={isDetail ? 'truncate text-muted hover:text-text' : 'truncate font-medium'}
            >
              {item.label}
            </Link>
          </li>
        )}
        {isDetail && (
          <li className="hidden min-w-0 items-center gap-1 font-medium sm:flex" aria-current="page">
            <ChevronRight aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="truncate">{recordName ?? part}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
