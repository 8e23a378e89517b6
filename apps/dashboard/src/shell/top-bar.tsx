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

/** What the page is about, once it is known. */
export interface ShownRecord {
  readonly name: string;
  /** The page of the menu to which it belongs, if not the one of the address. */
  readonly menuPath: string | undefined;
}

export interface TopBarProps {
  readonly world: 'live' | 'test';
  readonly userId: string;
  readonly record: ShownRecord | undefined;
}

export function TopBar({ world, userId, record }: TopBarProps) {
  const isTest = world === 'test';
  return (
    <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b bg-surface px-4 md:px-6">
      <Breadcrumb record={record} />
      <div className="ml-auto flex items-center gap-2">
        <button type="button" onClick={openPalette} aria-keyshortcuts="Control+K" className="search-field">
          <Search aria-hidden className="size-4" />
          <span className="sr-only lg:not-sr-only">
            Search<span className="sr-only"> and commands</span>
          </span>
          <kbd className="key-hint">Ctrl K</kbd>
        </button>
        <Badge tone={isTest ? 'warn' : 'neutral'}>
          {isTest ? 'TEST' : 'LIVE'}
          <span className="max-sm:sr-only"> MODE</span>
        </Badge>
        <LiveBadge />
        <Bell />
        <UserMenu userId={userId} />
      </div>
    </header>
  );
}

function Breadcrumb({ record }: Pick<TopBarProps, 'record'>) {
  const address = usePathname();
  const path = record?.menuPath ?? address;
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
            <span className="truncate">{record?.name ?? part}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
