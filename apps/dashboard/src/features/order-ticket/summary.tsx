'use client';
import { TriangleAlert } from 'lucide-react';
import { formatBalance } from '../../format/balance';
import type { Exact } from '../../format/decimals';
import { formatAmount, formatPercent } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Balance } from '../../ui/balance';
import { Detail, Details } from '../../ui/details';
import { Amount, Missing } from '../../ui/values';
import { balanceName } from './balance-words.rules';
import { paidAsset } from './estimate.rules';
import type { Pair } from './order.rules';
import { PerpetualDetails } from './perpetual-details';
import type { Ticket } from './use-ticket';

/** An exact amount, with enough digits to compare it with the balance. */
function Value({ value, asset }: { readonly value: Exact | undefined; readonly asset: string }) {
  return value === undefined ? <Missing /> : <Amount value={value.round(12).toFixed()} asset={asset} />;
}

const PRICE_NAMES = {
  MARKET: 'Expected average price',
  LIMIT: 'Limit price',
  STOP_LIMIT: 'Limit price',
  STOP_MARKET: 'Stop price',
} as const;

/** What the order costs and brings, as it is typed. */
export function Summary({ ticket, pair }: { readonly ticket: Ticket; readonly pair: Pair }) {
  const { draft, estimate, shortage, balances, account } = ticket;
  const { locale } = usePreferences();
  const paid = paidAsset(draft.side, pair);
  const slippage = draft.type === 'MARKET' ? estimate?.walk?.slippage : undefined;
  return (
    <Details>
      <Detail name={balanceName(pair)}>
        {account !== undefined && balances.free !== undefined ? (
          <Balance value={balances.free[paid] ?? '0'} asset={paid} />
        ) : (
          <Missing />
        )}
      </Detail>
      <Detail name={PRICE_NAMES[draft.type]}>
        <Value value={estimate?.price} asset={pair.quote} />
      </Detail>
      {draft.type === 'MARKET' && (
        <Detail name="Slippage">
          {slippage === undefined ? <Missing /> : formatPercent(slippage.round(6).toFixed(), locale)}
        </Detail>
      )}
      <Detail name="Order value">
        <Value value={estimate?.cost} asset={pair.quote} />
      </Detail>
      <FeeDetail ticket={ticket} pair={pair} />
      {pair.trading_type === 'perpetual' && <PerpetualDetails ticket={ticket} pair={pair} />}
      {pair.trading_type !== 'perpetual' && (
        <>
          <Detail name="You receive">
            <Value
              value={estimate?.received?.amount}
              asset={estimate?.received?.asset ?? (draft.side === 'BUY' ? pair.base : pair.quote)}
            />
          </Detail>
          <Detail name="Free after the order">
            {shortage?.isShort === false ? (
              <Balance value={shortage.left.toFixed()} asset={shortage.asset} />
            ) : (
              <Missing />
            )}
          </Detail>
        </>
      )}
    </Details>
  );
}

/** The fee that the exchange's standard rate gives. */
export function FeeDetail({ ticket, pair }: { readonly ticket: Ticket; readonly pair: Pair }) {
  const { locale } = usePreferences();
  const fee = ticket.estimate?.fee;
  return (
    <Detail name={fee === undefined ? 'Fee' : `Fee, about ${formatPercent(fee.rate, locale)}`}>
      <Value value={fee?.amount} asset={fee?.asset ?? pair.quote} />
    </Detail>
  );
}

/** The shortage of balance, and everything else to know before the order is placed. */
export function Cautions({ ticket }: { readonly ticket: Ticket }) {
  const { shortage, cautions, estimate } = ticket;
  const { locale } = usePreferences();
  const lines = [...cautions];
  if (shortage?.isShort && estimate?.needed)
    lines.unshift(
      `The order needs ${formatAmount(estimate.needed.amount.toFixed(), locale)} ${shortage.asset}, but ${formatBalance(shortage.available, locale)} is free.`,
    );
  return (
    <div role="status" className="flex flex-col gap-2 empty:hidden">
      {lines.map((line) => (
        <p key={line} className="flex gap-2 rounded-control bg-warn-soft px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {line}
        </p>
      ))}
    </div>
  );
}

export { Value };
