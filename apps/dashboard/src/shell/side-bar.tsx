'use client';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import Link from 'next/link';
import { usePathname, useRouter } from 'next/navigation';
import { BrandMark } from '../ui/brand-mark';
import { classNames } from '../ui/class-names';
import { isPageOf, NAVIGATION, type NavigationItem } from './navigation';

interface SideBarProps {
  /** The page of the menu to which the page belongs, if not the one of the address. */
  readonly menuPath: string | undefined;
  readonly isCollapsed: boolean;
  readonly onToggle: () => void;
}

export function SideBar({ menuPath, isCollapsed, onToggle }: SideBarProps) {
  const Icon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  const toggle = isCollapsed ? 'Expand the navigation' : 'Collapse the navigation';
  return (
    <nav
      aria-label="Main"
      className={classNames(
        'sticky top-0 hidden h-dvh shrink-0 flex-col border-r bg-surface md:flex',
        isCollapsed ? 'w-14' : 'w-58',
      )}
    >
      <Brand isCollapsed={isCollapsed} />
      <div className="flex-1 overflow-y-auto px-2 pb-3">
        {NAVIGATION.map(({ label, items }) => (
          <section key={label} aria-label={label} className="pt-3">
            <h2 className={classNames('px-2 pb-1 font-medium text-muted text-xs', isCollapsed && 'sr-only')}>
              {label}
            </h2>
            <ul>
              {items.map((item) => (
                <li key={item.href}>
                  <NavigationLink item={item} menuPath={menuPath} isCollapsed={isCollapsed} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <button
        type="button"
        onClick={onToggle}
        aria-label={toggle}
        title={toggle}
        className="flex h-10 items-center gap-2 border-t px-4.5 text-muted text-sm hover:bg-hover hover:text-text"
      >
        <Icon aria-hidden className="size-4 shrink-0" />
        {!isCollapsed && 'Collapse'}
      </button>
    </nav>
  );
}

function Brand({ isCollapsed }: { readonly isCollapsed: boolean }) {
  return (
    <Link
      href="/"
      className="flex h-14 shrink-0 items-center gap-2.5 px-4 font-semibold text-base"
      aria-label="Trading automation, overview"
    >
      <BrandMark />
      {!isCollapsed && 'Trading automation'}
    </Link>
  );
}

export function NavigationLink({
  item,
  menuPath,
  isCollapsed = false,
  onFollow,
}: {
  readonly item: NavigationItem;
  readonly menuPath?: string | undefined;
  readonly isCollapsed?: boolean;
  readonly onFollow?: () => void;
}) {
  const address = usePathname();
  const isCurrent = isPageOf(menuPath ?? address, item);
  const router = useRouter();
  const { icon: Icon, label, href } = item;
  return (
    <Link
      href={href}
      onClick={onFollow}
      // All pages at once would be many requests for each page view.
      prefetch={false}
      onMouseEnter={() => router.prefetch(href)}
      aria-current={isCurrent ? 'page' : undefined}
      title={isCollapsed ? label : undefined}
      className={classNames(
        'flex h-8 items-center gap-2.5 rounded-control px-2 text-sm transition-colors duration-120 pointer-coarse:h-10',
        isCurrent ? 'bg-selected font-medium text-text' : 'text-muted hover:bg-hover hover:text-text',
      )}
    >
      <Icon aria-hidden className={classNames('mx-0.5 size-4 shrink-0', isCurrent && 'text-accent-text')} />
      <span className={isCollapsed ? 'sr-only' : ''}>{label}</span>
    </Link>
  );
}
