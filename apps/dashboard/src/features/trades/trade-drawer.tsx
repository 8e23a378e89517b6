'use client';
import type { TradeDetail } from '@trading-automation/sdk';
import { useRouter, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { byId, useAccounts } from '../../data/names';
import { useQuery } from '../../data/query';
import { quoteOf } from '../../format/money';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Drawer } from '../../ui/drawer';
import { JsonView } from '../../ui/json-view';
import { Side } from '../../ui/side';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Timeline } from '../../ui/timeline';
import { Amount, Change } from '../../ui/values';
import { CancelOrder } from './cancel-order';
import { isForced, originOf } from './columns';
import { Fills } from './fills';
import { orderPricesOf } from './order-price.rules';

/** The details of a trade, beside the list. */
export function TradeDrawer({ id }: { readonly id: string }) {
  const router = useRouter();
  const search = useSearchParams().toString();
  const trade = useQuery({
    queryKey: ['trades', id],
    queryFn: ({ signal }) => api().trades.get(id, { signal }),
  });
  const close = () => router.push(`/trades${search === '' ? '' : `?${search}`}`, { scroll: false });
  const retry = () => void trade.refetch();
  const { data } = trade;
  return (
    <Drawer
      isOpen
      onClose={close}
      title={data === undefined ? 'Trade' : `${data.symbol} ${wordsOf(data.side).toLowerCase()}`}
      footer={data !== undefined && <Actions trade={data} />}
    >
      {trade.isPending && <TableSkeleton rows={6} />}
      {trade.isError &&
        (data === undefined ? (
          <ErrorState error={trade.error} onRetry={retry} />
        ) : (
          <StaleNotice error={trade.error} onRetry={retry} />
        ))}
      {data !== undefined && <TradeDetails trade={data} />}
    </Drawer>
  );
}

function TradeDetails({ trade }: { readonly trade: TradeDetail<'string'> }) {
  const accounts = useAccounts();
  const [base = '', quote] = [trade.symbol.split('/')[0], quoteOf(trade.symbol)];
  return (
    <div className="flex flex-col gap-6">
      <Details>
        <Detail name="Status">
          <Status value={trade.status} />
        </Detail>
        {trade.failure !== undefined && (
          <Detail name="Why it failed">
            {trade.failure.message} <code className="font-mono text-xs">{trade.failure.code}</code>
          </Detail>
        )}
        {trade.cancel_reason !== undefined && (
          <Detail name="Cancelled by">{wordsOf(trade.cancel_reason)}</Detail>
        )}
        {isForced(trade) ? (
          <Detail name="Forced by the exchange">
            {originOf(trade)}, <Side side={trade.side} />
          </Detail>
        ) : (
          <Detail name="Order">
            <Side side={trade.side} /> {wordsOf(trade.type).toLowerCase()}
            {trade.type !== 'MARKET' && `, ${trade.time_in_force}`}
          </Detail>
        )}
        {trade.position_side !== undefined && (
          <Detail name="Position">
            {wordsOf(trade.position_side)}
            {trade.reduce_only && ', reduce only'}
          </Detail>
        )}
        <Detail name="Amount">
          <Amount value={trade.amount} asset={base} />
        </Detail>
        <Detail name="Filled">
          <Amount value={trade.filled_amount} asset={base} />
        </Detail>
        {!isForced(trade) &&
          orderPricesOf(trade).map(({ name, value }) => (
            <Detail key={name} name={name}>
              <Amount value={value} asset={quote} />
            </Detail>
          ))}
        <Detail name="Average price">
          <Amount value={trade.average_price} asset={quote} />
        </Detail>
        <Detail name="Cost">
          <Amount value={trade.cost} asset={quote} />
        </Detail>
        <Detail name="Fee">
          <Amount value={trade.fee.amount} asset={trade.fee.currency} />
        </Detail>
        {trade.realized_pnl !== undefined && (
          <Detail name="Realised result">
            <Change value={trade.realized_pnl} asset={quote} />
          </Detail>
        )}
        <Detail name="Account">{byId(accounts.data, trade.exchange_account_id)?.account_name ?? '…'}</Detail>
        {!isForced(trade) && <Detail name="Origin">{originOf(trade)}</Detail>}
        <Detail name="Trade">
          <Copyable text={trade.id} isShort />
        </Detail>
        {trade.exchange_order_id !== undefined && (
          <Detail name="Order at the exchange">
            <Copyable text={trade.exchange_order_id} isShort />
          </Detail>
        )}
      </Details>
      <Fills trade={trade} />
      <Timeline
        steps={[
          { label: 'Created', at: trade.created_at },
          { label: 'Sent to the exchange', at: isForced(trade) ? undefined : trade.submitted_at },
          { label: 'Filled', at: trade.filled_at },
          { label: 'Cancelled', at: trade.cancelled_at },
          { label: 'Closed by later trades', at: trade.closed_at },
        ]}
      />
      <JsonView value={trade} />
    </div>
  );
}

const isOpen = ({ status }: TradeDetail<'string'>) => status === 'PENDING' || status === 'PARTIALLY_FILLED';

function Actions({ trade }: { readonly trade: TradeDetail<'string'> }) {
  const [isAsking, setAsking] = useState(false);
  if (!isOpen(trade)) return <span className="text-muted text-sm">This order is final.</span>;
  return (
    <>
      <Button variant="danger-outline" onClick={() => setAsking(true)}>
        Cancel order
      </Button>
      <CancelOrder trade={trade} isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}
