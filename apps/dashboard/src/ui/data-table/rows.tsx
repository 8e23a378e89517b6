'use client';
/** The rows of a list. Only those on screen are in the document; two spacers have the height of the others. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { type MouseEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { usePreferences } from '../../format/preferences';
import { classNames } from '../class-names';
import { ScrollRegion } from '../scroll-region';
import type { Column } from './columns';
import { inBlocks } from './row-blocks.rules';
import { rowName, SelectAll, type Selection, SelectRow } from './selection';
import { useIsNarrow } from './use-is-narrow';
import type { Sorting } from './use-table-request';

const ROW_PX = { compact: 36, comfortable: 44 } as const;
/** The page arrives with as many rows as most windows show below the head of a page. */
const FIRST_RECT = { width: 1_280, height: 680 };
/** Rows above and below the window, for scrolling and for the keyboard. */
const OVERSCAN = 12;
const MOVES = ['scroll', 'wheel', 'touchstart', 'keydown'] as const;
/** A row of two lines, on screens below 768 px: its height, and the class that also gives it before scripts run. */
const STACKED = { px: 56, className: 'max-md:h-14!' } as const;
const FROM = { always: '', md: 'max-md:hidden', xl: 'max-xl:hidden' } as const;

export interface RowsProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  readonly rowHref?: (row: T) => string;
  /** Rows are as high as their content: about this height, until they are measured. */
  readonly tallRowPx?: number | undefined;
  readonly selection?: Selection<T>;
  readonly sorting: Sorting;
  readonly onSort: (changes: Record<string, string | null>) => void;
  /** Called when the last rows are on screen. */
  readonly onEnd: () => void;
}

export function Rows<T>(props: RowsProps<T>) {
  const { label, rows, columns, rowKey, rowHref, tallRowPx, selection, sorting, onSort, onEnd } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { density } = usePreferences();
  const isNarrow = useIsNarrow();
  const isStacked = columns.some(({ below }) => below);
  const height = isNarrow && isStacked ? STACKED.px : ROW_PX[density];
  const isMoving = useIsMoving();
  const [offset, setOffset] = useState(0);
  useEffect(() => {
    const measure = () => setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    // What is above the table may load after it, and moves it.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => tallRowPx ?? height,
    overscan: isMoving ? OVERSCAN : 0,
    ...(isMoving ? { rangeExtractor: inBlocks } : {}),
    scrollMargin: offset,
    initialRect: FIRST_RECT,
    initialOffset: 0,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 10) onEnd();
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const before = (items[0]?.start ?? offset) - offset;
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset);
  return (
    <ScrollRegion label={`${label}, table`} className="overflow-x-auto border-t">
      {/* A change in a table with collapsed borders draws all of the table again. */}
      <table aria-rowcount={rows.length + 1} className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr className="text-left text-muted text-xs">
            {selection !== undefined && (
              <th scope="col" className="w-10 pl-3">
                <SelectAll selection={selection} rows={rows} rowKey={rowKey} />
              </th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <Spacer height={before} />}
          {items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <MemoizedRow
                key={rowKey(row)}
                row={row}
                index={index}
                height={height}
                isStacked={isStacked}
                hasBelow={isNarrow || !isMoving}
                {...(tallRowPx !== undefined ? { measure: virtualizer.measureElement } : {})}
                columns={columns}
                href={rowHref?.(row)}
                check={
                  selection && (
                    <SelectRow
                      selection={selection}
                      row={row}
                      id={rowKey(row)}
                      name={rowName(columns, row)}
                    />
                  )
                }
              />
            );
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/**
 * Returns whether the person has begun to move. Until then rows stay as they arrived: another one could change the widths of
 * the columns.
 */
function useIsMoving(): boolean {
  const [isMoving, setMoving] = useState(false);
  useEffect(() => {
    const begin = () => setMoving(true);
    for (const move of MOVES) window.addEventListener(move, begin, { once: true, passive: true });
    return () => {
      for (const move of MOVES) window.removeEventListener(move, begin);
    };
  }, []);
  return isMoving;
}

const Spacer = ({ height }: { readonly height: number }) => (
  <tr aria-hidden style={{ height }}>
    <td />
  </tr>
);

function HeaderCell<T>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<T>;
  readonly sorting: Sorting;
  readonly onSort: RowsProps<T>['onSort'];
}) {
  const { sort, header, isNumeric = false } = column;
  const isSorted = sort !== undefined && sort === sorting.sort;
  const isAscending = sorting.order === 'asc';
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
      className={classNames(
        'h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4',
        isNumeric && 'text-right',
        FROM[column.from ?? 'always'],
      )}
    >
      {sort === undefined ? (
        header
      ) : (
        <button
          type="button"
          onClick={() => onSort({ sort, order: isSorted && !isAscending ? 'asc' : 'desc' })}
          className="inline-flex h-6 items-center gap-1 hover:text-text"
        >
          {header}
          {isSorted && <Arrow aria-hidden className="size-3" />}
        </button>
      )}
    </th>
  );
}

interface RowProps<T> {
  readonly row: T;
  readonly index: number;
  readonly height: number;
  /** The row has two lines on narrow screens. */
  readonly isStacked: boolean;
  /** The second line is in the document: always until the width of the screen is known. */
  readonly hasBelow: boolean;
  /** Reads the height of a row that is as high as its content. */
  readonly measure?: (row: HTMLTableRowElement | null) => void;
  readonly columns: readonly Column<T>[];
  readonly href: string | undefined;
  /** The checkbox of the row, if rows can be selected. */
  readonly check: ReactNode;
}

/** Scrolling draws only the rows that come into view. */
const MemoizedRow = memo(Row) as typeof Row;

function Row<T>({ row, index, height, isStacked, hasBelow, measure, columns, href, check }: RowProps<T>) {
  const router = useRouter();
  const open = (event: MouseEvent) => {
    // Links and buttons in a row have their own meaning.
    if (href !== undefined && !(event.target as Element).closest('a,button,input,label'))
      router.push(href, { scroll: false });
  };
  return (
    <tr
      {...(measure === undefined ? {} : { ref: measure, 'data-index': index })}
      aria-rowindex={index + 2}
      style={{ height }}
      className={classNames(
        '[&>td]:border-t',
        isStacked && STACKED.className,
        href !== undefined && 'cursor-pointer hover:bg-hover',
      )}
      onClick={open}
    >
      {check !== undefined && <td className="pl-3">{check}</td>}
      {columns.map((column, i) => (
        <td
          key={column.id}
          className={classNames(
            'px-3 py-1 first:pl-4 last:pr-4',
            column.isNumeric && 'text-right',
            FROM[column.from ?? 'always'],
          )}
        >
          {i === 0 && href !== undefined ? (
            <Link href={href} scroll={false} prefetch={false}>
              {column.cell(row, index)}
            </Link>
          ) : (
            column.cell(row, index)
          )}
          {hasBelow && column.below && (
            <span className="block whitespace-nowrap text-muted text-xs md:hidden">{column.below(row)}</span>
          )}
        </td>
      ))}
    </tr>
  );
}
