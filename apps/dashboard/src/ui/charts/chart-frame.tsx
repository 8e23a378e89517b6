'use client';
import { Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ScrollRegion } from '../scroll-region';

interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface ChartFrameProps {
  readonly description: string;
  readonly height: number;
  readonly table: ChartTable;
  /** False for a drawing that does not use the chart library. */
  readonly hasAttribution?: boolean;
  /** Below the chart, such as the time of its last value. */
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A chart with its table: the same values for readers who do not see the drawing. */
export function ChartFrame(props: ChartFrameProps) {
  const { description, height, table, hasAttribution = true, note, children } = props;
  const [isTable, setTable] = useState(false);
  return (
    <figure className="min-w-0">
      {isTable ? (
        <ValueTable table={table} height={height} label={description} />
      ) : (
        <div role="img" aria-label={description}>
          {children}
        </div>
      )}
      <figcaption className="flex items-center justify-between gap-2 px-4 pt-1 pb-2 text-muted text-xs">
        {hasAttribution && (
          <a
            href="https://www.tradingview.com/"
            target="_blank"
            rel="noreferrer"
            className="hover:text-text"
            title="Charts by TradingView"
          >
            Charts by TradingView
          </a>
        )}
        {note !== undefined && <span className="truncate">{note}</span>}
        <button
          type="button"
          onClick={() => setTable((value) => !value)}
          className="ml-auto inline-flex h-6 items-center gap-1 hover:text-text"
        >
          <Table2 aria-hidden className="size-3.5" />
          {isTable ? 'View as chart' : 'View as table'}
        </button>
      </figcaption>
    </figure>
  );
}

function ValueTable({
  table,
  height,
  label,
}: {
  readonly table: ChartTable;
  readonly height: number;
  readonly label: string;
}) {
  return (
    <ScrollRegion label={label} style={{ height }}>
      <table className="w-full text-sm">
        <thead className="sticky top-0 bg-surface">
          <tr className="text-left text-muted text-xs">
            {table.columns.map((column, i) => (
              <th
                key={column}
                scope="col"
                className={`h-8 whitespace-nowrap px-4 font-medium ${i === 0 ? '' : 'text-right'}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row[0]} className="border-t">
              {row.map((value, i) => (
                <td
                  key={table.columns[i]}
                  className={`whitespace-nowrap px-4 py-1 ${i === 0 ? '' : 'text-right'}`}
                >
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
