'use client';
import { Menu as MenuIcon } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { classNames } from '../ui/class-names';
import { Drawer } from '../ui/drawer';
import { BOTTOM_BAR, FURTHER_PAGES, isPartOf, itemOfPath, NAVIGATION } from './navigation';
import { NavigationLink } from './side-bar';

/** The navigation of narrow screens: four pages and a sheet with all of them. */
export function BottomBar() {
  const path = usePathname();
  const [isOpen, setOpen] = useState(false);
  return (
    <nav
      aria-label="Main, short"
      className="fixed inset-x-0 bottom-0 z-20 grid h-14 grid-cols-5 border-t bg-surface md:hidden"
    >
      {BOTTOM_BAR.map((href) => {
        const item = itemOfPath(href);
        if (item === undefined) return null;
        const { icon: Icon, label } = item;
        const isCurrent = isPartOf(path, href);
        return (
          <Link
            key={href}
            href={href}
            prefetch={false}
            aria-current={isCurrent ? 'page' : undefined}
            className={classNames(
              'flex flex-col items-center justify-center gap-0.5 text-2xs',
              isCurrent ? 'font-medium text-accent-text' : 'text-muted',
            )}
          >
            <Icon aria-hidden className="size-5" />
            {label}
          </Link>
        );
      })}
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex flex-col items-center justify-center gap-0.5 text-2xs text-muted"
      >
        <MenuIcon aria-hidden className="size-5" />
        More
      </button>
      <Drawer isOpen={isOpen} onClose={() => setOpen(false)} title="All pages">
        {[...NAVIGATION, { label: 'More', items: FURTHER_PAGES }].map(({ label, items }) => (
          <section key={label} aria-label={label} className="pb-4">
            <h3 className="px-2 pb-1 font-medium text-muted text-xs">{label}</h3>
            {items.map((item) => (
              <NavigationLink key={item.href} item={item} onFollow={() => setOpen(false)} />
            ))}
          </section>
        ))}
      </Drawer>
    </nav>
  );
}
