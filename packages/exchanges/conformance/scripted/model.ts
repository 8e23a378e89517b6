/** The records of the scripted exchange. Amounts are in base currency, money in quote or settlement currency. */
import { Decimal } from 'decimal.js';

/** Exact decimals without exponents. */
export const Exact = Decimal.clone({ precision: 60, toExpNeg: -9e15, toExpPos: 9e15 });
export type Exact = Decimal;
export const exact = (value: Decimal.Value): Exact => new Exact(value);

export type Side = 'BUY' | 'SELL';
type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';
export type Cause = 'LIQUIDATION' | 'ADL' | 'SETTLEMENT';

export interface ScriptedMarket {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly kind: 'SPOT' | 'PERPETUAL';
  readonly tick: string;
  readonly step: string;
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly marketMaxAmount: string;
  readonly minNotional: string;
  readonly makerFee: string;
  readonly takerFee: string;
  /** Base currency per contract; 1 if the exchange does not count in contracts. */
  readonly contractSize: string;
  readonly maxLeverage: string;
  /** Maintenance margin as a fraction of the notional. */
  readonly maintenanceRate: string;
}

export interface Wallet {
  free: Exact;
  locked: Exact;
  borrowed: Exact;
  interest: Exact;
}

export interface Position {
  readonly market: ScriptedMarket;
  /** Negative for a short position. */
  size: Exact;
  entryPrice: Exact;
  openedAt: number;
  updatedAt: number;
}

export interface Leverage {
  leverage: Exact;
  marginMode: 'CROSS' | 'ISOLATED';
}

export interface Account {
  /** The exchange's number of the account, from 1 on. */
  readonly number: number;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly passphrase: string | undefined;
  readonly wallets: Map<string, Wallet>;
  readonly positions: Map<string, Position>;
  readonly leverages: Map<string, Leverage>;
  canTrade: boolean;
  canWithdraw: boolean;
  isHedged: boolean;
  /** A kind of account that the product refuses. */
  kind: 'NORMAL' | 'PORTFOLIO_MARGIN' | 'UNKNOWN';
}

export interface OrderTerms {
  readonly market: ScriptedMarket;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly type: 'LIMIT' | 'MARKET';
  readonly timeInForce: TimeInForce;
  readonly amount: Exact;
  readonly price?: Exact | undefined;
  readonly stopPrice?: Exact | undefined;
  readonly reduceOnly?: boolean | undefined;
  /** Whether the order trades from the margin account, and what the exchange may lend and repay. */
  readonly margin?: { readonly borrows: boolean; readonly repays: boolean } | undefined;
}

/** `WAITING`: the order waits for its stop price. */
type OrderStatus = 'WAITING' | 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED';

export interface Order extends OrderTerms {
  /** Unique on the exchange, from 1 on. */
  readonly number: number;
  readonly account: Account;
  readonly cause?: Cause | undefined;
  status: OrderStatus;
  filled: Exact;
  /** The sum of price × amount of the fills. */
  cost: Exact;
  /** What the order still locks of an asset. */
  locked: Exact;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Fill {
  /** Unique on the exchange, from 1 on. */
  readonly number: number;
  readonly order: Order;
  readonly price: Exact;
  readonly amount: Exact;
  readonly fee: { readonly amount: Exact; readonly currency: string };
  readonly isMaker: boolean;
  /** The result that the fill realised, of perpetuals. */
  readonly realized: Exact;
  readonly at: number;
}

export interface Funding {
  readonly number: number;
  readonly account: Account;
  readonly market: ScriptedMarket;
  /** Positive if the account received it. */
  readonly amount: Exact;
  readonly rate: Exact;
  readonly markPrice: Exact;
  /** The position at that time. */
  readonly size: Exact;
  readonly at: number;
}

export interface Interest {
  readonly number: number;
  readonly account: Account;
  readonly asset: string;
  readonly amount: Exact;
  readonly rate: Exact;
  readonly principal: Exact;
  readonly at: number;
}

export interface FundingRate {
  readonly market: ScriptedMarket;
  readonly rate: Exact;
  readonly markPrice: Exact;
  readonly at: number;
}

/** A change that streams report. */
export type ExchangeEvent =
  | { readonly kind: 'order'; readonly order: Order; readonly fill?: Fill | undefined }
  | { readonly kind: 'balances'; readonly account: Account; readonly assets: readonly string[] }
  | { readonly kind: 'position'; readonly account: Account; readonly position: Position }
  | { readonly kind: 'mark price'; readonly market: ScriptedMarket }
  | { readonly kind: 'trade'; readonly market: ScriptedMarket; readonly price: Exact; readonly amount: Exact }
  | { readonly kind: 'book'; readonly market: ScriptedMarket; readonly change: BookChange };

export interface BookChange {
  /** The number of this change; each market counts from 1 on without a gap. */
  readonly sequence: number;
  /** The new total of each price level that changed; zero removes the level. */
  readonly bids: readonly (readonly [price: Exact, amount: Exact])[];
  readonly asks: readonly (readonly [price: Exact, amount: Exact])[];
}

/** Why the exchange refuses a request. A dialect renders it as the exchange's documented error. */
export const REFUSALS = [
  'UNKNOWN_KEY',
  'BAD_SIGNATURE',
  'BAD_TIMESTAMP',
  'ORDER_EXPIRED',
  'NO_PERMISSION',
  'UNKNOWN_SYMBOL',
  'BAD_PARAMETER',
  'PRICE_TICK',
  'AMOUNT_STEP',
  'MIN_AMOUNT',
  'MAX_AMOUNT',
  'MIN_NOTIONAL',
  'INSUFFICIENT_BALANCE',
  'INSUFFICIENT_MARGIN',
  'WOULD_TAKE',
  'WOULD_NOT_FILL',
  'DUPLICATE_CLIENT_ORDER_ID',
  'UNKNOWN_ORDER',
  'REDUCE_ONLY',
  'MAX_LEVERAGE',
  'LEVERAGE_UNCHANGED',
  'OPEN_POSITION',
  'POSITION_MODE',
  'BORROW_LIMIT',
  'RATE_LIMIT',
  'MAINTENANCE',
] as const;
export type RefusalKind = (typeof REFUSALS)[number];

export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(readonly kind: RefusalKind) {
    super(kind);
  }
}
