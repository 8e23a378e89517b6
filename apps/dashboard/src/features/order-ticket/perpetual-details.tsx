'use client';
/** What an order on a perpetual meets: the position of the account, its leverage, and the margin that the order needs. */
import { useState } from 'react';
import { useMayTrade } from '../../data/me';
import { Button } from '../../ui/button';
import { Detail } from '../../ui/details';
import { onDemand } from '../../ui/on-demand';
import { Skeleton } from '../../ui/skeleton';
import { Amount, Missing } from '../../ui/values';
import { marginOf, openingAmountOf } from './margin.rules';
import type { Pair } from './order.rules';
import type { Ticket } from './use-ticket';

const LeverageDialog = onDemand(() =>
  import('../../ui/leverage/leverage-dialog').then((module) => module.LeverageDialog),
);

interface PerpetualDetailsProps {
  readonly ticket: Ticket;
  readonly pair: Pair;
  /** Only shows the leverage, such as in the confirmation of the order. */
  readonly isFixed?: boolean;
}

export function PerpetualDetails({ ticket, pair, isFixed = false }: PerpetualDetailsProps) {
  const { account, market } = ticket;
  const { held, settings } = market;
  const mayTrade = useMayTrade();
  const [isChanging, setChanging] = useState(false);
  const { leverage, margin_mode } = settings;
  return (
    <>
      <Detail name="Open position">
        <OpenPosition held={held} asset={pair.base} />
      </Detail>
      <Detail name="Leverage">
        <span className="flex flex-wrap items-center justify-end gap-2">
          {leverage === null ? (
            <UnknownLeverage state={held.state} />
          ) : (
            `${leverage}×${margin_mode === undefined ? '' : `, ${margin_mode.toLowerCase()}`}`
          )}
          {account !== undefined && mayTrade && !isFixed && (
            <Button className="h-7" aria-label="Change leverage" onClick={() => setChanging(true)}>
              {leverage === null ? 'Set' : 'Change'}
            </Button>
          )}
        </span>
      </Detail>
      <MarginDetail ticket={ticket} pair={pair} />
      {isChanging && account !== undefined && (
        <LeverageDialog
          market={{
            exchange_account_id: account.id,
            trade_pair_id: pair.id,
            symbol: pair.symbol,
            ...settings,
          }}
          account={account.account_name}
          onClose={() => setChanging(false)}
          onChanged={({ leverage, margin_mode, max_leverage = null }) =>
            market.onChanged({ leverage, margin_mode, max_leverage })
          }
        />
      )}
    </>
  );
}

type HeldState = Ticket['market']['held'];

function OpenPosition({ held, asset }: { readonly held: HeldState; readonly asset: string }) {
  if (held.state !== 'known') return <NotKnown state={held.state} />;
  const { position } = held;
  if (position === undefined) return 'None';
  return (
    <>
      {position.side === 'LONG' ? 'Long ' : 'Short '}
      <Amount value={position.amount} asset={asset} />
    </>
  );
}

const UnknownLeverage = ({ state }: Pick<HeldState, 'state'>) =>
  state === 'known' ? (
    <span className="text-muted">Not known without a position</span>
  ) : (
    <NotKnown state={state} />
  );

/** Before the positions are loaded, and after their request failed. */
const NotKnown = ({ state }: Pick<HeldState, 'state'>) =>
  state === 'loading' ? (
    <Skeleton className="inline-block h-3 w-20" />
  ) : (
    <span className="text-muted">Not known</span>
  );

/** The margin that the order needs with a leverage; without one, or without the position, the most that it can need. */
function MarginDetail({ ticket, pair }: PerpetualDetailsProps) {
  const { amount, draft, valuation, last, market } = ticket;
  const { leverage } = market.settings;
  const { side, isReduceOnly } = draft;
  const opening = amount && openingAmountOf({ side, amount, isReduceOnly }, market.position);
  const margin =
    opening && valuation && marginOf(opening, { side, valuation, last, takerFee: pair.taker_fee, leverage });
  return (
    <Detail
      name={
        leverage === null || market.held.state !== 'known'
          ? 'Margin and fee, at most'
          : 'Margin and fee, about'
      }
    >
      {margin === undefined ? (
        <Missing />
      ) : (
        <Amount value={margin.toFixed()} asset={pair.settle ?? pair.quote} digits={2} />
      )}
    </Detail>
  );
}
