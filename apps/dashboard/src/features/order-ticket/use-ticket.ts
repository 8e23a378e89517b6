'use client';
import type { TradeCreate } from '@trading-automation/sdk';
import { useMemo, useState } from 'react';
import { useFreeBalances } from '../../data/free-balances';
import { useAccounts } from '../../data/names';
import { usePairBook } from '../../data/pair-book';
/** The state of the order ticket: what was typed, and what follows from it. */
import { useQuery } from '../../data/query';
import { tickerQuery } from '../../data/ticker';
import { Exact, largestOf, readTyped, type TypedDecimal } from '../../format/decimals';
import {
  type AmountMode,
  amountForCost,
  type Book,
  cautionsOf,
  estimateOf,
  type PricedOrder,
  valuationOf,
} from './estimate.rules';
import {
  type Field,
  hasLimitPrice,
  hasStopPrice,
  type OrderType,
  orderTypesOf,
  type Pair,
  type Problem,
  problemsOf,
  type Side,
  type TimeInForce,
  timesInForceOf,
} from './order.rules';

import { useMarketSettings } from './use-market-settings';

/** What a person has typed and chosen. */
export interface Draft {
  readonly accountId: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly mode: AmountMode;
  readonly amount: string;
  readonly price: string;
  readonly stopPrice: string;
  readonly timeInForce: TimeInForce;
  readonly isReduceOnly: boolean;
  /** On margin, the exchange lends what the order lacks. */
  readonly isBorrowing: boolean;
  readonly strategyId: string;
}

const BLANK: Draft = {
  accountId: '',
  side: 'BUY',
  type: 'LIMIT',
  mode: 'base',
  amount: '',
  price: '',
  stopPrice: '',
  timeInForce: 'GTC',
  isReduceOnly: false,
  isBorrowing: false,
  strategyId: '',
};

/** The estimates follow the book at this pace, so that figures can be read. */
const BOOK_MS = 1_000;

export function useTicket(pair: Pair, initial: Partial<Draft>) {
  const [draft, setDraft] = useState<Draft>({ ...BLANK, ...initial });
  const change = (changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes }));
  const book = usePairBook(BOOK_MS);
  const accounts = useAccountsOf(pair);
  // The newest account is first. The oldest is the main one more often than one that was added for a strategy.
  const account = accounts.list.find(({ id }) => id === draft.accountId) ?? accounts.list.at(-1);
  const balances = useFreeBalances(account);
  const last = useLastPrice(pair.id);
  const type = orderTypesOf(pair).includes(draft.type) ? draft.type : (orderTypesOf(pair)[0] ?? 'LIMIT');
  const times = timesInForceOf(pair, type);
  const timeInForce = times.includes(draft.timeInForce) ? draft.timeInForce : (times[0] ?? 'GTC');
  const order = { ...draft, type, timeInForce };
  const outcome = useMemo(
    () => outcomeOf(order, pair, book, last, balances.free),
    [draft, type, timeInForce, pair, book, last, balances.free],
  );
  const market = useMarketSettings(account?.id, pair);
  return { draft: order, change, book, last, account, accounts, balances, market, ...outcome };
}

export type Ticket = ReturnType<typeof useTicket>;

function outcomeOf(
  draft: Draft,
  pair: Pair,
  book: Book | undefined,
  last: string | null | undefined,
  free: Readonly<Record<string, string>> | undefined,
) {
  const typed = {
    amount: readTyped(draft.amount),
    price: hasLimitPrice(draft.type) ? readTyped(draft.price) : EMPTY,
    stopPrice: hasStopPrice(draft.type) ? readTyped(draft.stopPrice) : EMPTY,
  };
  const order: PricedOrder = {
    type: draft.type,
    side: draft.side,
    price: numberOf(typed.price),
    stopPrice: numberOf(typed.stopPrice),
  };
  const valuation = valuationOf(order, book, last);
  const entered = numberOf(typed.amount);
  const amount =
    entered && draft.mode === 'quote' ? amountForCost(order, entered, pair, book, valuation) : entered;
  const problems: Partial<Record<Field, Problem>> = {
    ...problemsOf({ ...order, amount, valuation, isReduceOnly: draft.isReduceOnly }, pair),
    ...invalidOf(typed),
  };
  const estimate = amount && estimateOf(order, amount, pair, book, valuation);
  const mayBorrow = draft.isBorrowing && pair.trading_type === 'margin';
  const shortage = mayBorrow ? undefined : estimate?.needed && free && shortageOf(estimate.needed, free);
  return {
    order,
    valuation,
    amount,
    problems,
    estimate,
    shortage,
    cautions: estimate ? cautionsOf({ ...order, timeInForce: draft.timeInForce }, estimate, book) : [],
    missing: missingOf(draft, typed),
  };
}

const EMPTY: TypedDecimal = { kind: 'empty' };
const numberOf = (typed: TypedDecimal) => (typed.kind === 'number' ? typed.value : undefined);

function invalidOf(typed: Record<Field, TypedDecimal>): Partial<Record<Field, Problem>> {
  return Object.fromEntries(
    Object.entries(typed).flatMap(([field, value]) =>
      value.kind === 'invalid' ? [[field, { message: value.message, fixes: [] }]] : [],
    ),
  );
}

/** The first field that is still empty. */
function missingOf(draft: Draft, typed: Record<Field, TypedDecimal>): Field | undefined {
  if (hasStopPrice(draft.type) && typed.stopPrice.kind === 'empty') return 'stopPrice';
  if (hasLimitPrice(draft.type) && typed.price.kind === 'empty') return 'price';
  return typed.amount.kind === 'empty' ? 'amount' : undefined;
}

/** What the account lacks for the order. */
function shortageOf(needed: { amount: Exact; asset: string }, free: Readonly<Record<string, string>>) {
  const available = free[needed.asset] ?? '0';
  const isShort = needed.amount.gt(available);
  return {
    isShort,
    available,
    asset: needed.asset,
    left: largestOf(0, new Exact(available).minus(needed.amount)),
  };
}

/** The accounts on which a pair can be traded. */
function useAccountsOf({ exchange, trading_type }: Pair) {
  const { data, isPending, isError, error, refetch } = useAccounts();
  const list = useMemo(
    () =>
      (data ?? []).filter(
        (account) =>
          account.is_active && account.exchange_name === exchange && account.trading_type === trading_type,
      ),
    [data, exchange, trading_type],
  );
  const isKnown = data !== undefined;
  return { list, isPending, isError: isError && !isKnown, isStale: isError && isKnown, error, refetch };
}

function useLastPrice(pairId: string): string | null | undefined {
  const { data } = useQuery({ ...tickerQuery(pairId), refetchInterval: 5_000 });
  return data?.last;
}

/** The request of an order. The amount is fixed here, so that a moving book cannot change what was confirmed. */
export function requestOf(ticket: Ticket, pair: Pair): TradeCreate | undefined {
  const { draft, account, amount, order } = ticket;
  if (account === undefined || amount === undefined) return undefined;
  return {
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    type: draft.type,
    side: draft.side,
    amount: amount.toFixed(),
    ...(order.price === undefined ? {} : { price: order.price.toFixed() }),
    ...(order.stopPrice === undefined ? {} : { stop_price: order.stopPrice.toFixed() }),
    ...(draft.type === 'MARKET' ? {} : { time_in_force: draft.timeInForce }),
    ...(draft.isReduceOnly && pair.trading_type === 'perpetual' ? { reduce_only: true } : {}),
    ...(draft.isBorrowing && pair.trading_type === 'margin' ? { auto_borrow: true } : {}),
    ...(draft.strategyId === '' ? {} : { strategy_id: draft.strategyId }),
  };
}
