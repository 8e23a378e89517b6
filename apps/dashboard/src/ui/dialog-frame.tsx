'use client';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from './button';
import { useFocusReturn } from './use-focus-return';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** One or two sentences under the title. */
  readonly description?: ReactNode;
  /** The buttons, the main one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

export function DialogFrame({ isOpen, onClose, title, description, footer, children }: DialogProps) {
  const focusReturn = useFocusReturn();
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-overlay" />
        <Radix.Content
          {...focusReturn}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed inset-x-4 top-1/2 z-50 mx-auto flex max-h-[calc(100dvh-32px)] max-w-120 -translate-y-1/2 animate-appear flex-col rounded-dialog border bg-surface shadow-float outline-none"
        >
          <header className="flex items-start justify-between gap-3 px-5 pt-4 pb-2">
            <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<X aria-hidden className="size-4" />} className="-mr-2" />
            </Radix.Close>
          </header>
          <div className="min-h-0 overflow-y-auto px-5 pb-5">
            {description !== undefined && (
              <Radix.Description asChild>
                <div className="pb-4 text-muted text-sm">{description}</div>
              </Radix.Description>
            )}
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
