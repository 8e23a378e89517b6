'use client';
import { Check, Columns3, Download, Plus, Rows3, Rows4, Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { usePreferences } from '../../format/preferences';
import { Button, IconButton } from '../button';
import { Menu } from '../menu';
import { MenuCheck, MenuItem } from '../menu-items';
import type { Filter, ListRequest } from './columns';

const SEARCH_MS = 250;

export interface ToolbarProps {
  readonly filters: readonly Filter[];
  readonly request: ListRequest;
  readonly onChange: (changes: Record<string, string | null>) => void;
  /** The label of the search; without it there is no search field. */
  readonly search?: string | undefined;
  readonly columns: readonly { readonly id: string; readonly header: string; readonly isShown: boolean }[];
  readonly onShowColumn: (id: string, isShown: boolean) => void;
  readonly onExport: () => void;
  /** The number of rows of a running export. */
  readonly exported: number | undefined;
}

/** The head of every list: filters as chips, search, columns, density, export. */
export function Toolbar(props: ToolbarProps) {
  const { filters, request, onChange, search, columns, onShowColumn, onExport, exported } = props;
  const { density, change } = usePreferences();
  const isCompact = density === 'compact';
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-2.5">
      {search !== undefined && (
        <SearchField label={search} value={request.search ?? ''} onChange={onChange} />
      )}
      {filters.map((filter) => (
        <FilterChip key={filter.name} filter={filter} value={request[filter.name]} onChange={onChange} />
      ))}
      <div className="ml-auto flex items-center gap-1">
        <Menu
          align="end"
          trigger={<IconButton label="Columns" icon={<Columns3 aria-hidden className="size-4" />} />}
        >
          {columns.map(({ id, header, isShown }) => (
            <MenuCheck key={id} isChecked={isShown} onChange={(checked) => onShowColumn(id, checked)}>
              {header}
            </MenuCheck>
          ))}
        </Menu>
        <IconButton
          label={isCompact ? 'Comfortable rows' : 'Compact rows'}
          icon={
            isCompact ? <Rows3 aria-hidden className="size-4" /> : <Rows4 aria-hidden className="size-4" />
          }
          onClick={() => change({ density: isCompact ? 'comfortable' : 'compact' })}
        />
        <Button
          variant="ghost"
          isBusy={exported !== undefined}
          onClick={onExport}
          icon={<Download aria-hidden className="size-4" />}
        >
          {exported === undefined ? 'CSV' : `${exported} rows`}
        </Button>
      </div>
    </div>
  );
}

function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: ToolbarProps['onChange'];
}) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange({ search: text || null }), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <span className="relative w-full sm:w-56">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-control border bg-surface pr-2 pl-8 text-sm placeholder:text-muted pointer-coarse:h-10"
      />
    </span>
  );
}

/** A filter: a menu of its values, and a button that removes the chosen one. */
export function FilterChip({
  filter,
  value,
  onChange,
}: {
  readonly filter: Filter;
  readonly value: string | undefined;
  readonly onChange: ToolbarProps['onChange'];
}) {
  const { name, label, options } = filter;
  const chosen = options.find((option) => option.value === value);
  const isSet = chosen !== undefined;
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
            {isSet ? `${label}: ${chosen.label}` : label}
          </button>
        }
      >
        {options.map((option) => (
          <MenuItem
            key={option.value}
            onSelect={() => onChange({ [name]: option.value })}
            icon={<Check aria-hidden className={`size-4 ${option.value === value ? '' : 'invisible'}`} />}
          >
            {option.label}
          </MenuItem>
        ))}
      </Menu>
      {isSet && (
        <button
          type="button"
          aria-label={`Remove the filter ${label}`}
          onClick={() => onChange({ [name]: null })}
          className="grid h-8 w-8 place-items-center rounded-r-full border border-l-0 bg-accent-soft text-accent-text hover:bg-hover pointer-coarse:h-10"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </span>
  );
}
