import type { OrderSide } from '../book.js';
import type { Trailing } from '../order.js';

export type FuturesTimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTX';
export type FuturesOrderStatus =
  | 'NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELED'
  | 'EXPIRED'
  | 'EXPIRED_IN_MATCH';

/** Why the exchange itself closes a position. */
export type ForcedReason = 'LIQUIDATION' | 'ADL' | 'SETTLEMENT';

/** An order that is or was in the book of a contract. Times are in Unix milliseconds, bigints in units of 10^-8 USDT. */
export interface FuturesOrder {
  readonly id: number;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: OrderSide;
  readonly type: 'LIMIT' | 'MARKET';
  readonly timeInForce: FuturesTimeInForce;
  readonly isReduceOnly: boolean;
  /** True for an order that a conditional order with `closePosition` created. */
  readonly isClosePosition: boolean;
  readonly createdAt: number;
  /** The conditional order that created this one. */
  readonly algoId?: number;
  /** Set only for an order of the exchange itself. */
  readonly forced?: ForcedReason;
  /** 0 for a MARKET order. An amendment changes it. */
  priceTicks: number;
  /** An amendment changes it, and so does a shrinking position of a reduce-only order. */
  lots: number;
  executedLots: number;
  executedQuote: bigint;
  status: FuturesOrderStatus;
  updatedAt: number;
}

/** An account's side of a trade. */
export interface FuturesFill {
  readonly id: number;
  readonly orderId: number;
  readonly accountId: string;
  readonly symbol: string;
  readonly side: OrderSide;
  readonly priceTicks: number;
  readonly lots: number;
  readonly quote: bigint;
  readonly fee: bigint;
  /** The profit of the lots that the fill closed. */
  readonly realized: bigint;
  readonly isMaker: boolean;
  readonly executedAt: number;
}

type IncomeType = 'TRANSFER' | 'REALIZED_PNL' | 'COMMISSION' | 'FUNDING_FEE' | 'INSURANCE_CLEAR';

/** One change of a wallet balance. */
export interface Income {
  readonly id: number;
  readonly accountId: string;
  /** Empty for a transfer. */
  readonly symbol: string;
  readonly type: IncomeType;
  /** Positive if the account received it. */
  readonly amount: bigint;
  /** The trade that caused it, if any. */
  readonly tradeId?: number;
  readonly at: number;
}

export type AlgoType = 'STOP' | 'STOP_MARKET' | 'TAKE_PROFIT' | 'TAKE_PROFIT_MARKET' | 'TRAILING_STOP_MARKET';
export type WorkingType = 'MARK_PRICE' | 'CONTRACT_PRICE';
type AlgoStatus = 'NEW' | 'CANCELED' | 'TRIGGERED' | 'FINISHED' | 'REJECTED' | 'EXPIRED';

/** A conditional order, which waits for a price and then places an order. */
export interface AlgoOrder {
  readonly id: number;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientAlgoId: string;
  readonly side: OrderSide;
  readonly type: AlgoType;
  readonly timeInForce: FuturesTimeInForce;
  /** 0 for an order with `closePosition`. */
  readonly lots: number;
  readonly priceTicks: number;
  /** The trigger price; for a trailing stop the activation price, or 0 if it tracks the price at once. */
  readonly triggerTicks: number;
  readonly workingType: WorkingType;
  readonly isReduceOnly: boolean;
  readonly isClosePosition: boolean;
  readonly createdAt: number;
  /** Set only for a trailing stop. Its prices are in steps of a mark price. */
  readonly trailing?: Trailing;
  status: AlgoStatus;
  updatedAt: number;
  /** 0 until it is triggered. */
  triggeredAt: number;
  /** The order that it placed when it was triggered. */
  orderId?: number;
  /** Why the order that it would have placed was rejected. */
  failure?: string;
}

type FuturesExecution = 'NEW' | 'TRADE' | 'CALCULATED' | 'CANCELED' | 'EXPIRED' | 'AMENDMENT';

/** One change of an order, with a copy of the order after the change. */
export interface FuturesReport {
  readonly execution: FuturesExecution;
  readonly order: FuturesOrder;
  readonly fill?: FuturesFill;
}

export function isOpenOrder({ status }: Pick<FuturesOrder, 'status'>): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED';
}

export function openLotsOf({ lots, executedLots }: FuturesOrder): number {
  return lots - executedLots;
}

/** A new order: prices in ticks, amounts in lots. `priceTicks` is 0 for a MARKET order. */
export interface FuturesOrderRequest {
  readonly side: OrderSide;
  readonly type: 'LIMIT' | 'MARKET';
  readonly timeInForce: FuturesTimeInForce;
  readonly lots: number;
  readonly priceTicks: number;
  readonly isReduceOnly: boolean;
  readonly clientOrderId: string;
  readonly isClosePosition?: boolean;
  readonly algoId?: number;
}

export type AlgoRequest = Pick<
  AlgoOrder,
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'lots'
  | 'priceTicks'
  | 'triggerTicks'
  | 'workingType'
  | 'isReduceOnly'
  | 'isClosePosition'
  | 'clientAlgoId'
> & { readonly trailingBips?: number };
