'use client';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';
import { baseOf, quoteOf } from '../../format/money';
import { Detail, Details } from '../../ui/details';
import { Skeleton } from '../../ui/skeleton';
import { ErrorState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Change } from '../../ui/values';

const FINAL = ['FILLED', 'CANCELLED', 'FAILED'];
const POLL_MS = 1_000;

/** The order that closes a lot, until it is final, and what the lot has realised. */
export function ClosingTrade({ id, lotId }: { readonly id: string; readonly lotId: string }) {
  const trade = useQuery({
    queryKey: ['trades', id],
    queryFn: ({ signal }) => api().trades.get(id, { signal }),
    refetchInterval: ({ state }) => (FINAL.includes(state.data?.status ?? '') ? false : POLL_MS),
  });
  const lot = useQuery({
    queryKey: ['lots', lotId],
    queryFn: ({ signal }) => api().lots.get(lotId, { signal }),
  });
  const { data } = trade;
  if (data === undefined)
    return trade.isError ? (
      <ErrorState error={trade.error} onRetry={() => void trade.refetch()} />
    ) : (
      <Skeleton className="h-48" />
    );
  const quote = quoteOf(data.symbol);
  return (
    <div role="status">
      <Details>
        <Detail name="Status">
          <Status value={data.status} />
        </Detail>
        {data.failure !== undefined && <Detail name="Why it failed">{data.failure.message}</Detail>}
        {data.cancel_reason !== undefined && (
          <Detail name="Why the rest was cancelled">{wordsOf(data.cancel_reason)}</Detail>
        )}
        <Detail name="Filled">
          <Amount value={data.filled_amount} asset={baseOf(data.symbol)} />
        </Detail>
        <Detail name="Average price">
          <Amount value={data.average_price} asset={quote} />
        </Detail>
        <Detail name="Value before the fee">
          <Amount value={data.cost} asset={quote} digits={2} />
        </Detail>
        <Detail name="Fee">
          <Amount value={data.fee.amount} asset={data.fee.currency} />
        </Detail>
        <Detail name="Realised result of the lot so far">
          <Change value={lot.data?.realized_pnl} asset={quote} />
        </Detail>
      </Details>
    </div>
  );
}
