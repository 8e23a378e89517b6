'use client';
import type { Column } from './columns';

/** Rows that the reader has selected, by key. */
export interface Selection<T> {
  readonly selected: ReadonlyMap<string, T>;
  readonly onChange: (selected: ReadonlyMap<string, T>) => void;
  /** Rows that cannot be selected have no checkbox. Default: every row can. */
  readonly isSelectable?: (row: T) => boolean;
}

export interface SelectionCellProps<T> {
  readonly selection: Selection<T>;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
}

const BOX = 'grid size-6 place-items-center';

/** Selects all loaded rows, or none. */
export function SelectAll<T>({ selection, rows, rowKey }: SelectionCellProps<T>) {
  const { selected, onChange, isSelectable = () => true } = selection;
  const selectable = rows.filter(isSelectable);
  const isAll = selectable.length > 0 && selectable.every((row) => selected.has(rowKey(row)));
  return (
    <label className={BOX}>
      <input
        type="checkbox"
        aria-label="Select all rows"
        checked={isAll}
        disabled={selectable.length === 0}
        onChange={() => onChange(new Map(isAll ? [] : selectable.map((row) => [rowKey(row), row])))}
        className="size-4 accent-accent"
      />
    </label>
  );
}

/** Selects one row. `name` is what a screen reader reads. */
export function SelectRow<T>({
  selection,
  row,
  id,
  name,
}: {
  readonly selection: Selection<T>;
  readonly row: T;
  readonly id: string;
  readonly name: string;
}) {
  const { selected, onChange, isSelectable = () => true } = selection;
  if (!isSelectable(row)) return null;
  const toggle = () => {
    const next = new Map(selected);
    if (!next.delete(id)) next.set(id, row);
    onChange(next);
  };
  return (
    <label className={BOX}>
      <input
        type="checkbox"
        aria-label={name}
        checked={selected.has(id)}
        onChange={toggle}
        className="size-4 accent-accent"
      />
    </label>
  );
}

/** Names a row by its first column. */
export function rowName<T>(columns: readonly Column<T>[], row: T): string {
  return `Select ${columns[0]?.csv(row) ?? 'the row'}`;
}
