'use client';
/** Closes a lot, or a share of it: asks with amounts and estimates, then shows the order. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../data/api';
import { byId, useAccounts } from '../../data/names';
import type { LotRow } from '../../data/open-lots';
import { useSendOnce } from '../../data/send-once';
import { baseOf, quoteOf } from '../../format/money';
import { Button, ButtonLink } from '../../ui/button';
import { Detail, Details } from '../../ui/details';
import { Dialog } from '../../ui/dialog';
import { Skeleton } from '../../ui/skeleton';
import { Amount, Change, Missing } from '../../ui/values';
import { type CloseEstimate, closingPrice, estimateClose, fractionOf } from './close.rules';
import { ClosingTrade } from './closing-trade';
import { EstimateNote } from './estimate-note';
import { ProblemNotice } from './problem-notice';
import { Refusal } from './refusal';
import { ShareField } from './share-field';
import { useLimits, usePrice } from './use-prices';

const CHANGED = ['lots', 'trades', 'exchanges', 'analytics'] as const;

export function CloseLot({ lot, onClose }: { readonly lot: LotRow; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const accounts = useAccounts();
  const [percent, setPercent] = useState('100');
  const once = useSendOnce();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [tradeId, setTradeId] = useState<string>();
  const limits = useLimits(lot.trade_pair_id);
  const price = usePrice(lot.trade_pair_id);
  const closesAt = closingPrice(lot.side, price.data);
  const fraction = fractionOf(percent);
  const estimate =
    limits === undefined || fraction === undefined
      ? undefined
      : estimateClose(lot, fraction, limits, closesAt);
  const choose = (next: string) => {
    setPercent(next);
    setError(undefined);
  };
  const close = async () => {
    if (fraction === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const trade = await once({ fraction }, (idempotencyKey) =>
        api().lots.close(lot.id, { fraction }, { idempotencyKey }),
      );
      setTradeId(trade.id);
      for (const kind of CHANGED) void queries.invalidateQueries({ queryKey: [kind] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const verb = lot.side === 'BUY' ? 'sells' : 'buys back';
  const account = byId(accounts.data, lot.exchange_account_id)?.account_name;
  const share = fraction === '1' ? 'lot' : `${percent.trim()}\u2009%`;
  if (tradeId !== undefined)
    return (
      // The same dialog as below, so that the focus returns to the button that opened it.
      <Dialog
        isOpen
        onClose={onClose}
        title="Order sent"
        footer={
          <>
            <ButtonLink href={`/trades/${tradeId}`}>View trade</ButtonLink>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </>
        }
      >
        <ClosingTrade id={tradeId} lotId={lot.id} />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Close ${lot.symbol} lot`}
      description={`A market order ${verb} the amount${account === undefined ? '' : ` on ${account}`}. It cannot be undone.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            isBusy={isBusy}
            disabled={fraction === undefined || isTooSmall(estimate)}
            onClick={() => void close()}
          >
            Close {share}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ShareField percent={percent} onChange={choose} />
        <Estimate lot={lot} estimate={estimate} price={closesAt} isPriced={!price.isPending} />
        <EstimateNote />
        {estimate !== undefined && (
          <ProblemNotice estimate={estimate} symbol={lot.symbol} onChoose={choose} />
        )}
        {lot.copier_id !== undefined && (
          <p className="text-muted text-xs">
            This lot is a copy. After this, later exits of the strategy apply only to what is left.
          </p>
        )}
        {error !== undefined && <Refusal error={error} />}
      </div>
    </Dialog>
  );
}

/** The amount is certain; the value is an estimate, about which the exchange decides. */
const isTooSmall = (estimate: CloseEstimate | undefined) =>
  estimate?.problem?.limit === 'amount_step' || estimate?.problem?.limit === 'min_amount';

function Estimate({
  lot,
  estimate,
  price,
  isPriced,
}: {
  readonly lot: LotRow;
  readonly estimate: CloseEstimate | undefined;
  readonly price: string | null | undefined;
  readonly isPriced: boolean;
}) {
  const base = baseOf(lot.symbol);
  const quote = quoteOf(lot.symbol);
  const isLong = lot.side === 'BUY';
  const loading = <Skeleton className="h-3 w-20" />;
  const shown = (value: string | undefined, node: ReactNode) =>
    value === undefined ? isPriced ? <Missing /> : loading : node;
  return (
    <Details>
      <Detail name={isLong ? 'Sold' : 'Bought back'}>
        {shown(estimate?.amount, <Amount value={estimate?.amount} asset={base} />)}
      </Detail>
      <Detail name="Remains open">
        {shown(estimate?.rest, <Amount value={estimate?.rest} asset={base} />)}
      </Detail>
      <Detail name="Entry price">
        <Amount value={lot.entry_price} asset={quote} />
      </Detail>
      <Detail name="Closes at about">
        {shown(price ?? undefined, <Amount value={price} asset={quote} />)}
      </Detail>
      <Detail name="Fee of closing">
        {shown(estimate?.fee, <Amount value={estimate?.fee} asset={quote} digits={2} />)}
      </Detail>
      {/* The value of a perpetual is neither received nor paid. */}
      {lot.trading_type !== 'perpetual' && (
        <Detail name={isLong ? 'Estimated proceeds after fees' : 'Estimated cost after fees'}>
          {shown(estimate?.proceeds, <Amount value={estimate?.proceeds} asset={quote} digits={2} />)}
        </Detail>
      )}
      <Detail name="Estimated result">
        {shown(estimate?.result, <Change value={estimate?.result} asset={quote} />)}
      </Detail>
    </Details>
  );
}
