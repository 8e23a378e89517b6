'use client';
import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { classNames } from './class-names';

const ITEM =
  'flex h-8 cursor-default select-none items-center gap-2 rounded-control px-2 text-sm outline-none data-[highlighted]:bg-selected data-[disabled]:opacity-50 pointer-coarse:h-10';

export interface MenuProps {
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

export function Menu({ trigger, align = 'start', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-appear overflow-y-auto rounded-card border bg-surface p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ icon, onSelect, isDanger = false, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item onSelect={onSelect} className={classNames(ITEM, isDanger && 'text-loss')}>
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}

export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <DropdownMenu.Label className="px-2 py-1.5 text-muted text-xs">{children}</DropdownMenu.Label>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;

export interface MenuRadioGroupProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string; readonly icon?: ReactNode }[];
}

export function MenuRadioGroup({ label, value, onChange, options }: MenuRadioGroupProps) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <MenuLabel>{label}</MenuLabel>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={ITEM}>
          {option.icon}
          {option.label}
          <DropdownMenu.ItemIndicator className="ml-auto">
            <Check aria-hidden className="size-4" />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export interface MenuCheckProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

/** A choice that leaves the menu open. */
export function MenuCheck({ isChecked, onChange, children }: MenuCheckProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={isChecked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={ITEM}
    >
      <span className="grid size-4 place-items-center rounded border">
        <DropdownMenu.ItemIndicator>
          <Check aria-hidden className="size-3" />
        </DropdownMenu.ItemIndicator>
      </span>
      {children}
    </DropdownMenu.CheckboxItem>
  );
}
