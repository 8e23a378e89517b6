'use client';
import type { Trade } from '@trading-automation/sdk';
import Link from 'next/link';
import { api } from '../../data/api';
import { LATE, useQuery } from '../../data/query';
import { baseOf, quoteOf } from '../../format/money';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { ScrollRegion } from '../../ui/scroll-region';
import { Side } from '../../ui/side';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Amount, Time } from '../../ui/values';

const SHOWN = 8;
const HEAD = 'h-9 px-3 font-medium whitespace-nowrap first:pl-4 last:pr-4';
const CELL = 'px-3 py-1 first:pl-4 last:pr-4';
const WIDE = 'max-md:hidden';

/** The newest orders. */
export function LatestTrades() {
  const trades = useQuery({
    queryKey: ['trades', 'latest'],
    meta: LATE,
    queryFn: async ({ signal }) => (await api().trades.list({ limit: SHOWN }, { signal })).data,
  });
  const { data } = trades;
  return (
    <Card
      title="Latest trades"
      isFlush
      actions={
        <ButtonLink href="/trades" variant="ghost" className="-mr-3">
          View all
        </ButtonLink>
      }
    >
      {trades.isPending ? (
        <TableSkeleton rows={SHOWN} />
      ) : data === undefined ? (
        <ErrorState error={trades.error} onRetry={() => void trades.refetch()} />
      ) : data.length === 0 ? (
        <EmptyState
          title="No order has been placed yet."
          action={<ButtonLink href="/trades/new">Place order</ButtonLink>}
        />
      ) : (
        <>
          {trades.isError && <StaleNotice error={trades.error} onRetry={() => void trades.refetch()} />}
          <Table trades={data} />
        </>
      )}
    </Card>
  );
}

function Table({ trades }: { readonly trades: readonly Trade<'string'>[] }) {
  return (
    <ScrollRegion label="Latest trades, table" className="overflow-x-auto border-t">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-muted text-xs">
            <th scope="col" className={HEAD}>
              Pair
            </th>
            <th scope="col" className={HEAD}>
              Side
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              Amount
            </th>
            <th scope="col" className={`${HEAD} ${WIDE} text-right`}>
              Price
            </th>
            <th scope="col" className={HEAD}>
              Status
            </th>
            <th scope="col" className={`${HEAD} ${WIDE} text-right`}>
              Placed
            </th>
          </tr>
        </thead>
        <tbody>
          {trades.map((trade) => (
            <tr key={trade.id} className="h-11 border-t">
              <td className={CELL}>
                <Link href={`/trades/${trade.id}`} className="font-medium hover:underline" prefetch={false}>
                  {trade.symbol}
                </Link>
              </td>
              <td className={CELL}>
                <Side side={trade.side} />
              </td>
              <td className={`${CELL} text-right`}>
                <Amount value={trade.amount} asset={baseOf(trade.symbol)} />
              </td>
              <td className={`${CELL} ${WIDE} text-right`}>
                <Amount value={trade.average_price ?? trade.price} asset={quoteOf(trade.symbol)} />
              </td>
              <td className={CELL}>
                <Status value={trade.status} />
              </td>
              <td className={`${CELL} ${WIDE} text-right text-muted`}>
                <Time at={trade.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
