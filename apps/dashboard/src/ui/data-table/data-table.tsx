'use client';
/**
 * A list of the API: sorted and filtered by the API, loaded page by page, with only the rows on screen in the document.
 */
import type { QueryKey } from '@tanstack/react-query';
import {
  columnVisibilityFeature,
  createColumnHelper,
  type RowData,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo, useState } from 'react';
import { describeFailure } from '../../data/failures';
import { notify } from '../notify';
import { TableSkeleton } from '../skeleton';
import { StaleNotice } from '../stale-notice';
import { ErrorState } from '../states';
import type { Column, Filter } from './columns';
import { csvOf, saveFile } from './csv';
import { Rows } from './rows';
import type { Selection } from './selection';
import { Toolbar } from './toolbar';
import { type ListReader, useList } from './use-list';
import { NEWEST, type Sorting, useTableRequest } from './use-table-request';

const features = tableFeatures({ columnVisibilityFeature });
const NO_FILTERS: readonly Filter[] = [];

export interface DataTableProps<T> {
  /** The name of the list, for screen readers and files. */
  readonly label: string;
  readonly queryKey: QueryKey;
  readonly read: ListReader<T>;
  /** Query parameters that the reader cannot change. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** The address of a row's details. The first cell is its link. */
  readonly rowHref?: (row: T) => string;
  readonly filters?: readonly Filter[];
  /** The label of the search, if the API searches this list. */
  readonly search?: string;
  readonly sorting?: Sorting;
  /** Rows are as high as their content, for sentences: about this height, until they are measured. */
  readonly tallRowPx?: number;
  /** Adds a column of checkboxes. */
  readonly selection?: Selection<T>;
  /** Shown for a list without items and filters. */
  readonly empty: ReactNode;
  /** What follows the list. It appears with the list, which would move it. */
  readonly below?: ReactNode;
}

export function DataTable<T extends RowData>(props: DataTableProps<T>) {
  const { label, queryKey, read, query, columns, rowKey, rowHref, search, empty } = props;
  const filters = props.filters ?? NO_FILTERS;
  const { request, change } = useTableRequest(filters, props.sorting ?? NEWEST, search !== undefined);
  const [hidden, setHidden] = useState<Record<string, boolean>>(() =>
    Object.fromEntries(columns.filter(({ isOptional }) => isOptional).map(({ id }) => [id, false])),
  );
  const [exported, setExported] = useState<number>();
  const { list, rows } = useList(queryKey, read, { ...query, ...request });
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, T>();
    return columns.map(({ id, header, cell }) =>
      helper.display({ id, header, cell: ({ row }) => cell(row.original, row.index) }),
    );
  }, [columns]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowKey,
    state: { columnVisibility: hidden },
    onColumnVisibilityChange: setHidden,
  });
  const shown = table.getVisibleLeafColumns().flatMap(({ id }) => byId.get(id) ?? []);
  const exportAll = async () => {
    setExported(0);
    try {
      const all = read({ ...query, ...request, limit: 100 }, {});
      const exportable = columns.filter(({ isScreenOnly }) => isScreenOnly !== true);
      saveFile(await csvOf(exportable, all, setExported), `${label.toLowerCase().replaceAll(' ', '-')}.csv`);
    } catch (error) {
      notify({
        kind: 'error',
        message: `The file is incomplete and was not saved. ${describeFailure(error).advice}`,
      });
    } finally {
      setExported(undefined);
    }
  };
  const isFiltered = filters.some(({ name }) => request[name] !== undefined) || request.search !== undefined;
  return (
    <>
      <section aria-label={label} className="min-w-0 rounded-card border bg-surface">
        <Toolbar
          filters={filters}
          request={request}
          onChange={change}
          search={search}
          columns={columns.map(({ id, header }) => ({ id, header, isShown: hidden[id] !== false }))}
          onShowColumn={(id, isShown) => setHidden((now) => ({ ...now, [id]: isShown }))}
          onExport={() => void exportAll()}
          exported={exported}
        />
        {list.isPending ? (
          <TableSkeleton />
        ) : list.isError && rows.length === 0 ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : rows.length === 0 ? (
          isFiltered ? (
            <NothingMatches
              onClear={() =>
                change(Object.fromEntries([...filters.map(({ name }) => [name, null]), ['search', null]]))
              }
            />
          ) : (
            empty
          )
        ) : (
          <>
            {list.isError && (
              <div className="px-3 pb-2">
                <StaleNotice error={list.error} onRetry={() => void list.refetch()} />
              </div>
            )}
            <Rows
              label={label}
              rows={rows}
              columns={shown}
              rowKey={rowKey}
              tallRowPx={props.tallRowPx}
              {...(rowHref === undefined ? {} : { rowHref })}
              {...(props.selection === undefined ? {} : { selection: props.selection })}
              sorting={{ sort: request.sort ?? '', order: request.order === 'asc' ? 'asc' : 'desc' }}
              onSort={change}
              onEnd={() => {
                if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
              }}
            />
            <p role="status" className="border-t px-4 py-2 text-muted text-xs">
              {list.isFetchingNextPage
                ? 'Loading more rows'
                : `${rows.length} ${list.hasNextPage ? 'rows so far' : rows.length === 1 ? 'row' : 'rows'}`}
            </p>
          </>
        )}
      </section>
      {!list.isPending && props.below}
    </>
  );
}

function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <div className="flex flex-col items-start gap-2 border-t px-4 py-8 text-sm">
      <p>Nothing matches these filters.</p>
      <button type="button" onClick={onClear} className="text-accent-text underline">
        Remove the filters
      </button>
    </div>
  );
}
