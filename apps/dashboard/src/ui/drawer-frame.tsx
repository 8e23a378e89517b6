'use client';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { Fragment, type ReactNode, useState } from 'react';
import { useIsHydrated } from '../data/use-is-hydrated';
import { IconButton } from './button';
import { useFocusReturn } from './use-focus-return';

export interface DrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

export function DrawerFrame({ isOpen, onClose, title, footer, children }: DrawerProps) {
  const focusReturn = useFocusReturn(true);
  const isHydrated = useIsHydrated();
  // A drawer with which the page arrives stays where the server rendered it, which knows no portals.
  const [Place] = useState(() => (isHydrated ? Radix.Portal : Fragment));
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Place>
        <Radix.Overlay className="fixed inset-0 z-30 bg-overlay" />
        <Radix.Content
          {...focusReturn}
          aria-describedby={undefined}
          className="fixed inset-y-0 right-0 z-40 flex w-full max-w-140 animate-slide flex-col border-l bg-surface shadow-float outline-none"
        >
          <header className="flex min-h-14 items-center justify-between gap-3 border-b px-5 py-2">
            <Radix.Title className="min-w-0 font-semibold text-lg">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<X aria-hidden className="size-4" />} className="-mr-2" />
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Place>
    </Radix.Root>
  );
}
