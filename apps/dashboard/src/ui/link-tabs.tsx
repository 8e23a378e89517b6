'use client';
import Link from 'next/link';
import { usePathname } from 'next/navigation';

export interface LinkTab {
  readonly href: string;
  readonly label: string;
  /** True if the address of the page begins with `href`; otherwise the two must be equal. */
  readonly isPrefix?: boolean;
}

/** Pages that belong together, as tabs with addresses. */
export function LinkTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly LinkTab[] }) {
  const path = usePathname();
  return (
    <nav aria-label={label} className="mb-4 border-b">
      <ul className="tab-row">
        {tabs.map(({ href, label: name, isPrefix = false }) => {
          const isCurrent = path === href || (isPrefix && path.startsWith(`${href}/`));
          return (
            <li key={href} className="shrink-0">
              <Link
                href={href}
                aria-current={isCurrent ? 'page' : undefined}
                className="flex h-9 items-center border-transparent border-b-2 text-muted text-sm -outline-offset-2 hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                {name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
