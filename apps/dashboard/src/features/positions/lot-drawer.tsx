'use client';
import Link from 'next/link';
import { useRouter, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { useMayTrade } from '../../data/me';
import { byId, strategiesQuery, useStrategies } from '../../data/names';
import type { LotRow } from '../../data/open-lots';
import { useQuery } from '../../data/query';
import { useEarlyData } from '../../data/server-data';
import { Exact, isZero } from '../../format/decimals';
import { baseOf, quoteOf } from '../../format/money';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Drawer } from '../../ui/drawer';
import { JsonView } from '../../ui/json-view';
import { onDemand } from '../../ui/on-demand';
import { Side } from '../../ui/side';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Timeline } from '../../ui/timeline';
import { Amount, Change, Percent } from '../../ui/values';
import { AccountName } from './columns';
import { lastPriceOf, openRatioOf } from './lot-price.rules';

const CloseLot = onDemand(() => import('./close-lot').then((module) => module.CloseLot));

/** The details of a lot, beside the list. */
export function LotDrawer({ id }: { readonly id: string }) {
  useEarlyData([strategiesQuery]);
  const router = useRouter();
  const search = useSearchParams().toString();
  const [isClosing, setClosing] = useState(false);
  const mayTrade = useMayTrade();
  const lot = useQuery({
    queryKey: ['lots', id],
    queryFn: ({ signal }) => api().lots.get(id, { signal }),
  });
  const { data } = lot;
  const leave = () => router.push(`/positions${search === '' ? '' : `?${search}`}`, { scroll: false });
  const canClose = data?.status === 'OPEN' && mayTrade;
  return (
    <>
      <Drawer
        isOpen
        onClose={leave}
        title={data === undefined ? 'Lot' : `${data.symbol} ${data.side === 'BUY' ? 'long' : 'short'} lot`}
        footer={
          canClose ? (
            <Button variant="danger-outline" onClick={() => setClosing(true)}>
              Close lot
            </Button>
          ) : undefined
        }
      >
        {lot.isPending && <TableSkeleton rows={6} />}
        {lot.isError && data === undefined && (
          <ErrorState error={lot.error} onRetry={() => void lot.refetch()} />
        )}
        {lot.isError && data !== undefined && (
          <StaleNotice error={lot.error} onRetry={() => void lot.refetch()} />
        )}
        {data !== undefined && <LotDetails lot={data} />}
      </Drawer>
      {isClosing && data !== undefined && <CloseLot lot={data} onClose={() => setClosing(false)} />}
    </>
  );
}

function LotDetails({ lot }: { readonly lot: LotRow }) {
  const base = baseOf(lot.symbol);
  const quote = quoteOf(lot.symbol);
  return (
    <div className="flex flex-col gap-6">
      <Details>
        <Detail name="Status">
          <Status value={lot.status} />
        </Detail>
        <Detail name="Side">
          <Side side={lot.side} isLot />
        </Detail>
        <Detail name="Opened amount">
          <Amount value={lot.amount} asset={base} />
        </Detail>
        <Detail name="Still open">
          <Amount value={lot.remaining_amount} asset={base} />
        </Detail>
        <Detail name="Entry price">
          <Amount value={lot.entry_price} asset={quote} />
        </Detail>
        <Detail name="Last price">
          <Amount value={lastPriceOf(lot)} asset={quote} />
        </Detail>
        <Detail name={lot.side === 'BUY' ? 'Cost of the open part' : 'Proceeds of the open part'}>
          <Amount value={lot.remaining_cost} asset={quote} digits={2} />
        </Detail>
        <Detail name="Open result after fees">
          <Change value={lot.unrealized_pnl} asset={quote} />
        </Detail>
        <Detail name="Open result in percent of cost">
          <Percent ratio={openRatioOf(lot)} isChange />
        </Detail>
        <Detail name="Realised result after fees">
          <Change value={lot.realized_pnl} asset={quote} />
        </Detail>
        <Detail name="Fees">
          <span>
            <Amount value={lot.fees} asset={quote} digits={2} />
            {lot.fees_incomplete && (
              <span className="block text-muted text-xs">One fee has no price yet.</span>
            )}
          </span>
        </Detail>
        {isLeveraged(lot) && (
          <Detail name="Funding and interest">
            <Change value={lot.funding} asset={quote} />
          </Detail>
        )}
        <Detail name="Account">
          <AccountName id={lot.exchange_account_id} />
        </Detail>
        <Origin lot={lot} />
        <Detail name="Lot">
          <Copyable text={lot.id} isShort />
        </Detail>
      </Details>
      <Timeline
        steps={[
          { label: 'Opened', at: lot.opened_at },
          { label: 'Closed', at: lot.closed_at },
        ]}
      />
      <JsonView value={lot} />
    </div>
  );
}

/** Funding is of perpetuals. Interest on margin is shown once there is any. */
const isLeveraged = ({ symbol, funding }: LotRow) => symbol.includes(':') || !isZero(new Exact(funding));

function Origin({ lot }: { readonly lot: LotRow }) {
  const strategies = useStrategies();
  return (
    <>
      <Detail name="Opened by">
        <Link href={`/trades/${lot.trade_id}`} className="text-accent-text underline">
          Trade
        </Link>
      </Detail>
      {lot.strategy_id !== undefined && (
        <Detail name="Strategy">
          <Link href={`/strategies/${lot.strategy_id}`} className="text-accent-text underline">
            {byId(strategies.data, lot.strategy_id)?.name ?? 'Copied strategy'}
          </Link>
        </Detail>
      )}
      {lot.copier_id !== undefined && (
        <Detail name="Copier">
          <Link href={`/copiers/${lot.copier_id}`} className="text-accent-text underline">
            {lot.is_detached ? 'Detached copy' : 'Copy'}
          </Link>
        </Detail>
      )}
    </>
  );
}
