'use client';
import { CircleUser } from 'lucide-react';
import { loadLate } from '../data/late-code';
import { Menu } from '../ui/menu';

export function UserMenu({ userId }: { readonly userId: string }) {
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          aria-label="Account"
          title="Account"
          className="grid size-8 shrink-0 place-items-center rounded-control hover:bg-hover pointer-coarse:size-10"
        >
          <CircleUser aria-hidden className="size-5" />
        </button>
      }
    >
      {() =>
        loadLate(() => import('./user-menu-items')).then(({ UserMenuItems }) => (
          <UserMenuItems userId={userId} />
        ))
      }
    </Menu>
  );
}
