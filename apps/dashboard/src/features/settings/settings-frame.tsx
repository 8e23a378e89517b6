'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names';
import { PageHeader } from '../../ui/page-header';

const PAGES = [
  { href: '/settings', label: 'Profile' },
  { href: '/settings/appearance', label: 'Appearance' },
  { href: '/settings/sessions', label: 'Sessions' },
  { href: '/settings/notifications', label: 'Notifications' },
  { href: '/settings/values', label: 'Stored values' },
] as const;

/** On a narrow screen, the current page may be outside of the part that is shown. */
const showFully = (link: HTMLAnchorElement | null) =>
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** The title and the navigation of all settings. */
export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const path = usePathname();
  return (
    <>
      <PageHeader title="Settings" />
      <nav aria-label="Settings" className="mb-4 flex gap-5 overflow-x-auto border-b">
        {PAGES.map(({ href, label }) => {
          const isCurrent = path === href;
          return (
            <Link
              key={href}
              href={href}
              ref={isCurrent ? showFully : undefined}
              aria-current={isCurrent ? 'page' : undefined}
              className={classNames(
                '-mb-px flex h-9 shrink-0 items-center border-b-2 text-sm outline-offset-[-2px]',
                isCurrent
                  ? 'border-accent font-medium text-text'
                  : 'border-transparent text-muted hover:text-text',
              )}
            >
              {label}
            </Link>
          );
        })}
      </nav>
      {children}
    </>
  );
}
