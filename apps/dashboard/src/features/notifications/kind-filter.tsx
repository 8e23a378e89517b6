'use client';
import { Check, Plus, X } from 'lucide-react';
import { Menu } from '../../ui/menu';
import { MenuItem } from '../../ui/menu-items';
import { KINDS, kindName } from './kinds';

/** Chooses one kind of notification; a chip, as in every list. */
export function KindFilter({
  value,
  onChange,
}: {
  readonly value: string | null;
  readonly onChange: (kind: string | null) => void;
}) {
  const isSet = value !== null;
  return (
    <span className="inline-flex items-center">
      <Menu
        trigger={
          <button
            type="button"
            className={`inline-flex h-8 items-center gap-1.5 border text-sm hover:bg-hover pointer-coarse:h-10 ${
              isSet
                ? 'rounded-l-full border-r-0 bg-accent-soft pr-1.5 pl-3 text-accent-text'
                : 'rounded-full border-dashed px-3 text-muted'
            }`}
          >
            {!isSet && <Plus aria-hidden className="size-3.5" />}
            {isSet ? `Kind: ${kindName(value) ?? value}` : 'Kind'}
          </button>
        }
      >
        <div className="max-h-80 overflow-y-auto">
          {KINDS.map(({ type, name }) => (
            <MenuItem
              key={type}
              onSelect={() => onChange(type)}
              icon={<Check aria-hidden className={`size-4 ${type === value ? '' : 'invisible'}`} />}
            >
              {name}
            </MenuItem>
          ))}
        </div>
      </Menu>
      {isSet && (
        <button
          type="button"
          aria-label="Remove the filter Kind"
          onClick={() => onChange(null)}
          className="grid h-8 w-8 place-items-center rounded-r-full border border-l-0 bg-accent-soft text-accent-text hover:bg-hover pointer-coarse:h-10"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </span>
  );
}
