'use client';
/** The parts of menus that need their library; see `menu.tsx`. */
import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';

export const { CheckboxItem, Item, Label, RadioGroup, RadioItem, Separator } = DropdownMenu;

/** The mark of a chosen item. */
export const Mark = ({ className }: { readonly className?: string }) => (
  <DropdownMenu.ItemIndicator className={className}>
    <Check aria-hidden className="size-4" />
  </DropdownMenu.ItemIndicator>
);

export interface OpenableMenuProps {
  readonly trigger: ReactNode;
  readonly align: 'start' | 'end';
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** The trigger that this one replaces had the focus. */
  readonly isFocused: boolean;
  readonly children: ReactNode;
}

export function OpenableMenu({
  trigger,
  align,
  isOpen,
  onOpenChange,
  isFocused,
  children,
}: OpenableMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const takesFocus = useRef(isFocused && !isOpen);
  useEffect(() => {
    if (takesFocus.current) button.current?.focus();
    takesFocus.current = false;
  }, []);
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 overflow-y-auto rounded-card border bg-surface p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
