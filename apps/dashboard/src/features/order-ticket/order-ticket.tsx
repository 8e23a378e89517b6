'use client';
import type { TradeCreate } from '@trading-automation/sdk';
import { type FormEvent, useEffect, useState } from 'react';
import { useExchangeNames } from '../../data/exchange-names';
import { useMayTrade } from '../../data/me';
import { usePickedPrice } from '../../data/pair-book';
import { Button, ButtonLink } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import { Field, Select } from '../../ui/field';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { ConfirmOrder } from './confirm-order';
import { AccountField, AmountField, PriceFields } from './fields';
import { TicketOptions } from './options';
import { hasLimitPrice, type OrderType, orderTypesOf, type Pair, type Side } from './order.rules';
import { Cautions, Summary } from './summary';
import { usePlaceOrder } from './use-place-order';
import { type Draft, requestOf, type Ticket, useTicket } from './use-ticket';

export interface OrderTicketProps {
  readonly pair: Pair;
  readonly initial?: Partial<Draft>;
}

/** Places an order on a pair. It needs the pair's `PairBookProvider`. */
export function OrderTicket({ pair, initial = {} }: OrderTicketProps) {
  const ticket = useTicket(pair, initial);
  const { place, problems: server, isUncertain, clear } = usePlaceOrder();
  const [request, setRequest] = useState<TradeCreate>();
  const [isMissingShown, setMissingShown] = useState(false);
  const mayTrade = useMayTrade();
  usePickedPriceIn(ticket);
  const { accounts, draft, missing, problems, shortage } = ticket;
  const obstacle = obstacleOf(ticket, pair, mayTrade);
  const review = (event: FormEvent) => {
    event.preventDefault();
    setMissingShown(missing !== undefined);
    const isReady = missing === undefined && Object.keys(problems).length === 0 && !shortage?.isShort;
    if (isReady && obstacle === undefined) setRequest(requestOf(ticket, pair));
  };
  const change = (changes: Partial<Draft>) => {
    clear();
    ticket.change(changes);
  };
  const fields = {
    ticket: { ...ticket, change },
    pair,
    server,
  };
  const retry = () => void accounts.refetch();
  if (accounts.isError) return <ErrorState error={accounts.error} onRetry={retry} />;
  if (!accounts.isPending && accounts.list.length === 0) return <NoAccount pair={pair} />;
  return (
    <form onSubmit={review} noValidate aria-label={`Order on ${pair.symbol}`} className="flex flex-col gap-3">
      {accounts.isStale && <StaleNotice error={accounts.error} onRetry={retry} />}
      <SideSwitch side={draft.side} onChange={(side) => change({ side })} />
      <AccountField {...fields} />
      <TypeField {...fields} />
      <PriceFields {...fields} />
      <AmountField {...fields} />
      <TicketOptions {...fields} />
      <Summary ticket={ticket} pair={pair} />
      <Cautions ticket={ticket} />
      {isMissingShown && missing !== undefined && (
        <p role="alert" className="text-loss text-sm">
          {MISSING[missing]}
        </p>
      )}
      {obstacle !== undefined && <p className="text-muted text-sm">{obstacle}</p>}
      <Button type="submit" variant="primary" disabled={obstacle !== undefined} className="h-10 w-full">
        {draft.side === 'BUY' ? 'Review buy order' : 'Review sell order'}
      </Button>
      <ConfirmOrder
        request={request}
        ticket={ticket}
        pair={pair}
        isUncertain={isUncertain}
        onClose={() => setRequest(undefined)}
        onPlace={place}
      />
    </form>
  );
}

const MISSING = {
  amount: 'Enter an amount.',
  price: 'Enter a limit price, or choose one of the book.',
  stopPrice: 'Enter a stop price.',
} as const;

function obstacleOf({ draft }: Ticket, pair: Pair, mayTrade: boolean): string | undefined {
  if (!mayTrade) return 'This session may not trade. Sign in with a key that has the permission TRADE.';
  if (!pair.is_active) return 'The exchange does not trade this pair at the moment.';
  if (!orderTypesOf(pair).includes(draft.type)) return 'This pair has no order type that the ticket knows.';
  return undefined;
}

/** Takes over the price that was chosen in the book. */
function usePickedPriceIn({ draft, change }: Ticket): void {
  const { picked } = usePickedPrice();
  useEffect(() => {
    if (picked === undefined) return;
    const { price } = picked;
    if (draft.type === 'STOP_MARKET') change({ stopPrice: price });
    else change({ price, type: hasLimitPrice(draft.type) ? draft.type : 'LIMIT' });
    // Only a new choice changes the ticket, not a new type or function.
  }, [picked]);
}

const SIDES = [
  {
    value: 'BUY',
    label: 'Buy',
    chosen: 'border-gain-line bg-gain-soft text-text',
  },
  {
    value: 'SELL',
    label: 'Sell',
    chosen: 'border-loss-line bg-loss-soft text-text',
  },
] as const;

function SideSwitch({ side, onChange }: { readonly side: Side; readonly onChange: (side: Side) => void }) {
  return (
    <fieldset className="grid grid-cols-2 gap-2">
      <legend className="sr-only">Side</legend>
      {SIDES.map(({ value, label, chosen }) => (
        <label
          key={value}
          className={classNames(
            'flex h-9 cursor-pointer items-center justify-center rounded-control border font-medium text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 pointer-coarse:h-10',
            side === value ? chosen : 'text-muted hover:bg-hover',
          )}
        >
          <input
            type="radio"
            name="side"
            value={value}
            checked={side === value}
            onChange={() => onChange(value)}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function TypeField({ ticket, pair, server }: Parameters<typeof AmountField>[0]) {
  return (
    <Field label="Type" error={server.type}>
      <Select
        value={ticket.draft.type}
        onChange={(event) => ticket.change({ type: event.target.value as OrderType })}
      >
        {orderTypesOf(pair).map((type) => (
          <option key={type} value={type}>
            {wordsOf(type)}
          </option>
        ))}
      </Select>
    </Field>
  );
}

const NoAccount = ({ pair }: { readonly pair: Pair }) => (
  <EmptyState
    title={`No active account of yours trades ${pair.trading_type} on ${useExchangeNames()(pair.exchange)}.`}
    action={
      <ButtonLink href="/exchanges/new" variant="primary">
        Connect an exchange
      </ButtonLink>
    }
  />
);
