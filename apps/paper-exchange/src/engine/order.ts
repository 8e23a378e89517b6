import type { OrderSide } from './book.js';

export type OrderType =
  | 'LIMIT'
  | 'MARKET'
  | 'LIMIT_MAKER'
  | 'STOP_LOSS'
  | 'STOP_LOSS_LIMIT'
  | 'TAKE_PROFIT'
  | 'TAKE_PROFIT_LIMIT';
/** What an order of a margin account does beside trading: borrow what it lacks, and repay debts with what it receives. */
export type SideEffect = 'NO_SIDE_EFFECT' | 'MARGIN_BUY' | 'AUTO_REPAY' | 'AUTO_BORROW_REPAY';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK';
type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED' | 'EXPIRED_IN_MATCH';

/** The state of a trailing stop, which triggers when the price returns by `bips` from its best price. */
export interface Trailing {
  readonly bips: number;
  /** The highest price (sale) or the lowest price (purchase) since tracking started, in ticks. */
  extremeTicks?: number;
  /** When tracking started. It starts once the stop price is reached, or at once without a stop price. */
  since?: number;
}

/** An order of a user. Times are in milliseconds since the epoch. A bigint is an amount in units of 10^-8. */
export interface Order {
  readonly id: number;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** 0 for an order without a limit price. */
  readonly priceTicks: number;
  /** 0 for an order without a stop price. */
  readonly stopTicks: number;
  readonly lots: number;
  /** The quote amount that a MARKET order by quote spends or receives; 0 for other orders. */
  readonly quoteOrderQty: bigint;
  readonly createdAt: number;
  executedLots: number;
  executedQuote: bigint;
  /** The amount that the order still locks: quote for a BUY, base for a SELL. */
  locked: bigint;
  status: OrderStatus;
  /** Set only for a trailing stop. */
  trailing?: Trailing;
  /** Set only for an order of a margin account. */
  readonly sideEffect?: SideEffect;
  /** What the order borrowed and repays, from what it releases, if it ends before it is filled. */
  readonly loan?: bigint;
  /** Set only for a leg of an order list. */
  listId?: number;
  /** False for a stop that is not triggered yet. */
  isWorking: boolean;
  updatedAt: number;
}

/** A user's side of a trade. The fee is in the asset received, or in the account's fee asset. */
export interface Fill {
  readonly id: number;
  readonly orderId: number;
  readonly accountId: string;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly side: OrderSide;
  readonly priceTicks: number;
  readonly lots: number;
  readonly quote: bigint;
  readonly fee: bigint;
  readonly feeAsset: string;
  readonly isMaker: boolean;
  readonly executedAt: number;
}

/** A public trade. */
export interface PublicTrade {
  readonly id: number;
  readonly symbol: string;
  readonly priceTicks: number;
  readonly lots: number;
  readonly quote: bigint;
  readonly isBuyerMaker: boolean;
  /** 0 if the taker was the house. */
  readonly takerOrderId: number;
  readonly at: number;
}

export interface Account {
  readonly id: string;
  readonly uid: number;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** An Ed25519 public key (PEM). If it is set, it verifies the account's signatures instead of the secret. */
  readonly publicKey?: string;
  readonly canTrade: boolean;
  readonly canWithdraw: boolean;
  readonly createdAt: number;
  /** The asset in which the account pays its fees; without it, the received asset. */
  readonly feeAsset?: string;
}

type ExecutionType = 'NEW' | 'TRADE' | 'CANCELED' | 'EXPIRED' | 'TRADE_PREVENTION';

/** One change of an order, with the state of the order after the change. */
export interface Report {
  readonly execution: ExecutionType;
  readonly order: Order;
  readonly fill?: Fill;
  /** The amount that the order no longer locks because it ended. */
  readonly released?: bigint;
  /** The client order id of the cancel request. The cancelled order has its own. */
  readonly cancelId?: string;
}

export function isOpen(order: Order): boolean {
  return order.status === 'NEW' || order.status === 'PARTIALLY_FILLED';
}
