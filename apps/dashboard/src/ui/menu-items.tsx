'use client';
/** What a menu contains. */
import { type ReactNode, useContext } from 'react';
import { classNames } from './class-names';
import { PartsContext } from './menu';

const ITEM =
  'flex h-8 cursor-default select-none items-center gap-2 rounded-control px-2 text-sm outline-none data-[highlighted]:bg-selected data-[disabled]:opacity-50 pointer-coarse:h-10';

function useParts() {
  const parts = useContext(PartsContext);
  if (parts === undefined) throw new Error('Items belong in a Menu.');
  return parts;
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ icon, onSelect, isDanger = false, children }: MenuItemProps) {
  const { Item } = useParts();
  return (
    <Item onSelect={onSelect} className={classNames(ITEM, isDanger && 'text-loss')}>
      {icon}
      {children}
    </Item>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  const { Label } = useParts();
  return <Label className="px-2 py-1.5 text-muted text-xs">{children}</Label>;
}

export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator className="-mx-1 my-1 h-px bg-line" />;
}

export interface MenuRadioGroupProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string; readonly icon?: ReactNode }[];
}

export function MenuRadioGroup({ label, value, onChange, options }: MenuRadioGroupProps) {
  const { RadioGroup, RadioItem, Mark } = useParts();
  return (
    <RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <MenuLabel>{label}</MenuLabel>
      {options.map((option) => (
        <RadioItem key={option.value} value={option.value} className={ITEM}>
          {option.icon}
          {option.label}
          <Mark className="ml-auto" />
        </RadioItem>
      ))}
    </RadioGroup>
  );
}

export interface MenuCheckProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

/** A choice that leaves the menu open. */
export function MenuCheck({ isChecked, onChange, children }: MenuCheckProps) {
  const { CheckboxItem, Mark } = useParts();
  return (
    <CheckboxItem
      checked={isChecked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={ITEM}
    >
      <span className="grid size-4 place-items-center rounded border">
        <Mark />
      </span>
      {children}
    </CheckboxItem>
  );
}
