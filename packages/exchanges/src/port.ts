/**
 * What the product asks of an exchange, whichever it is.
 *
 * 1. Amounts and prices are canonical decimal text (contracts/decimal.ts), never JavaScript numbers.
 * 2. An order is known by the client order id that was written down before it was sent. A call that may have
 *    reached the exchange and got no answer is `unknown`, never a failure: whoever asked looks by that id.
 * 3. Every failure is an {@link ExchangeError} with one of four outcomes; nothing an exchange or its client said
 *    reaches a user, only our own words. No credential ever stands in an error.
 * 4. No call retries by itself, and each ends within the adapter's time limit.
 */
import type { Decimal, TimeInForce, TradeSide, TradeType, TradingType } from '@trading-automation/contracts';

export interface ExchangeCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly passphrase?: string | undefined;
}

/** What is asked of credentials before they are kept. */
export interface CredentialsReport {
  readonly tradingTypes: readonly TradingType[];
  readonly canTrade: boolean;
  readonly canWithdraw: boolean;
  /** The exchange's own id of the account behind the credentials, where it tells one. */
  readonly venueAccountId?: string | undefined;
}

/** What one asset's balance is at an exchange: what can be used, and what open orders hold. */
export interface AssetBalance {
  readonly free: Decimal;
  readonly locked: Decimal;
}

/** By asset; assets without any balance are left out. */
export type Balances = Readonly<Record<string, AssetBalance>>;

/** A pair and its rules. Amounts in base currency, prices and notionals in quote currency. */
export interface Market {
  /** `BASE/QUOTE`. */
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tradingType: TradingType;
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  readonly minAmount: Decimal;
  readonly maxAmount?: Decimal | undefined;
  readonly minNotional: Decimal;
  readonly maxNotional?: Decimal | undefined;
  readonly isActive: boolean;
}

export interface OrderRequest {
  readonly symbol: string;
  /** The exchange's own client order id, from {@link ExchangeVenue.clientOrderIdFor}. */
  readonly venueClientOrderId: string;
  readonly type: TradeType;
  readonly side: TradeSide;
  readonly timeInForce: TimeInForce;
  readonly amount: Decimal;
  readonly price?: Decimal | undefined;
  readonly stopPrice?: Decimal | undefined;
  readonly reduceOnly: boolean;
}

export interface OrderKey {
  readonly symbol: string;
  readonly venueClientOrderId: string;
}

/** `EXPIRED`: the exchange ended the rest by the order's own terms (IOC, FOK, POST_ONLY). */
export type VenueOrderStatus = 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';

/** An order as the exchange sees it at this moment. */
export interface VenueOrder {
  readonly exchangeOrderId: string;
  readonly venueClientOrderId: string;
  readonly symbol: string;
  readonly status: VenueOrderStatus;
  readonly amount: Decimal;
  /** The sum of the fills that the exchange counts; its list of fills may lag behind it for a moment. */
  readonly filledAmount: Decimal;
  readonly updatedAt: Date;
}

export interface VenueFill {
  /** One of a kind per order; an account that trades with itself has two fills of one id. */
  readonly exchangeFillId: string;
  readonly exchangeOrderId: string;
  readonly symbol: string;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly fee: { readonly amount: Decimal; readonly currency: string };
  readonly liquidity: 'MAKER' | 'TAKER';
  readonly executedAt: Date;
}

/** One account at one exchange. Calls may run side by side. */
export interface ExchangeClient {
  /** @throws {ExchangeError} `fatal`/`credentials_rejected` where the exchange refuses them */
  testCredentials(): Promise<CredentialsReport>;
  fetchBalances(): Promise<Balances>;
  /** Sends a new order. `unknown` where it may have been accepted; `rejected` where it certainly was not. */
  placeOrder(order: OrderRequest): Promise<VenueOrder>;
  /** Cancels what is open; `rejected`/`order_not_found` where nothing open has this id (it may be filled). */
  cancelOrder(key: OrderKey): Promise<void>;
  /** The order of this id, or null where the exchange says that it has none. */
  findOrder(key: OrderKey): Promise<VenueOrder | null>;
  /** Every order of one symbol that is open at this moment, whoever placed it. */
  fetchOpenOrders(symbol: string): Promise<readonly VenueOrder[]>;
  /** Every fill of one order, oldest first. */
  fetchFills(key: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<readonly VenueFill[]>;
  close(): Promise<void>;
}

/** An exchange that the deployment offers. */
export interface ExchangeVenue {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  /** A client order id within the exchange's own limits; the same for the same seed, another for any other. */
  clientOrderIdFor(seed: string): string;
  /** Public data, no credentials. */
  fetchMarkets(): Promise<readonly Market[]>;
  /** The last price of each symbol that has one, in quote currency. Public data, no credentials. */
  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>>;
  connect(credentials: ExchangeCredentials, tradingType: TradingType): ExchangeClient;
  close(): Promise<void>;
}

/**
 * - `retryable`: it certainly had no effect, and may work later.
 * - `rejected`: the exchange looked at it and refused; the same again will be refused again.
 * - `fatal`: nothing works with these credentials or this configuration until somebody acts.
 * - `unknown`: it may have had its effect. Look before anything else.
 */
export type ExchangeOutcome = 'retryable' | 'rejected' | 'fatal' | 'unknown';

export type ExchangeErrorCode =
  /** No connection, or the exchange is down for maintenance. */
  | 'unreachable'
  /** No answer in time, or one that says nothing. */
  | 'no_answer'
  | 'rate_limited'
  /** An answer that can't be understood. */
  | 'bad_answer'
  | 'credentials_rejected'
  | 'insufficient_balance'
  /** Tick, lot, notional, price band and the like. */
  | 'rule_violated'
  | 'order_not_found'
  /** POST_ONLY that would take, FOK that can't fill. */
  | 'would_not_fit_book'
  | 'duplicate_client_order_id'
  | 'not_supported'
  | 'refused';

export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  constructor(
    readonly outcome: ExchangeOutcome,
    readonly code: ExchangeErrorCode,
    /** Our own words, fit for the user. */
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}
