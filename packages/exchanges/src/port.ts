/**
 * What the product asks of an exchange, whichever it is.
 *
 * 1. Amounts and prices are canonical decimal text (contracts/decimal.ts), never JavaScript numbers.
 * 2. An order is known by the client order id that was written down before it was sent. A call that may have
 *    reached the exchange and got no answer is `unknown`, never a failure: whoever asked looks by that id.
 * 3. Every failure is an {@link ExchangeError} with one of four outcomes; nothing an exchange or its client said
 *    reaches a user, only our own words. No credential ever stands in an error.
 * 4. No call retries by itself, and each ends within the adapter's time limit.
 * 5. A stream lives as long as its one connection. What happened while there was none is not made up for by any
 *    exchange: whoever opens the next one reads it (open orders, fills, balances) before trusting the stream.
 *
 * Written for spot, and open for more: amounts are in base currency whatever an exchange counts in (an adapter
 * multiplies by the contract size), a market names its settlement, an order may be reduce-only. Still spot alone:
 * positions, their side and mode, leverage, margin and funding. Each is a new optional field of an order or a new
 * call with a flag like {@link ExchangeClient.hasStream}; nothing that is here has to change for them.
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
  /** `BASE/QUOTE`; of what settles in a currency of its own `BASE/QUOTE:SETTLE`. */
  readonly symbol: string;
  /** The exchange's own name of it. */
  readonly exchangeSymbol: string;
  readonly base: string;
  readonly quote: string;
  /** What profits are paid in, where that isn't said by base and quote. */
  readonly settle?: string | undefined;
  readonly tradingType: TradingType;
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  readonly minAmount: Decimal;
  readonly maxAmount?: Decimal | undefined;
  readonly minNotional: Decimal;
  readonly maxNotional?: Decimal | undefined;
  /** Where market orders have a grid, or a greatest amount, of their own. */
  readonly marketAmountStep?: Decimal | undefined;
  readonly marketMaxAmount?: Decimal | undefined;
  /** Base currency in one contract, of what is traded by contracts. */
  readonly contractSize?: Decimal | undefined;
  /** The exchange's general rates, as a fraction of the amount received; an account may have better ones. */
  readonly makerFee?: Decimal | undefined;
  readonly takerFee?: Decimal | undefined;
  readonly orderTypes: readonly TradeType[];
  readonly timeInForces: readonly TimeInForce[];
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
  /** It leads out of the market: it goes before what leads in where calls have to wait. Never sent. */
  readonly isExit?: boolean | undefined;
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
  readonly side: TradeSide;
  readonly type: TradeType;
  readonly timeInForce: TimeInForce;
  readonly price?: Decimal | undefined;
  readonly stopPrice?: Decimal | undefined;
  readonly status: VenueOrderStatus;
  readonly amount: Decimal;
  /** The sum of the fills that the exchange counts; its list of fills may lag behind it for a moment. */
  readonly filledAmount: Decimal;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface VenueFill {
  /** One of a kind per order; an account that trades with itself has two fills of one id. */
  readonly exchangeFillId: string;
  readonly exchangeOrderId: string;
  /** Told by streams alone: an exchange's list of fills names orders by its own id. */
  readonly venueClientOrderId?: string | undefined;
  readonly symbol: string;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly fee: { readonly amount: Decimal; readonly currency: string };
  readonly liquidity: 'MAKER' | 'TAKER';
  readonly executedAt: Date;
}

/**
 * Hears of one account for as long as one connection lives. Called in the order of arrival, which need not be the
 * order of events: an exchange may tell twice, late and out of turn. What a call throws ends the stream as lost.
 */
export interface AccountStreamHandler {
  /** Called once: from now on the exchange tells everything. */
  onConnected(): void;
  /** Called once, and last; never after `close`. */
  onLost(error: ExchangeError): void;
  /** An order as it became, with the fills that made it so, where there are any. */
  onOrder(order: VenueOrder, fills: readonly VenueFill[]): void;
  /** The assets that changed, as they are now; an asset that is used up is there with zeros. */
  onBalances(balances: Balances): void;
}

export interface VenueStream {
  /** Nothing more is told from the moment of the call; the promise is kept when the connection is gone. */
  close(): Promise<void>;
}
export type AccountStream = VenueStream;

/** Price and amount; an amount of 0 takes the level out. */
export type BookLevel = readonly [price: Decimal, amount: Decimal];

/** One message about an order book. Numbers are the exchange's own and grow; they need not be dense. */
export interface BookUpdate {
  readonly symbol: string;
  readonly sequence: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly exchangeTimestamp: Date;
}

export interface BookHandler {
  /** The whole book: at the beginning, and after each gap in the exchange's numbers. Best levels first. */
  onSnapshot(book: BookUpdate): void;
  /** What changed since `previousSequence`, which is the sequence of the message before. */
  onDelta(change: BookUpdate & { readonly previousSequence: number }): void;
  /** Called once, and last; never after `close`. */
  onLost(error: ExchangeError): void;
}

export interface PriceHandler {
  /** Called once: from now on every change is told. */
  onConnected(): void;
  /** The last traded price of a symbol, in quote currency. */
  onPrice(symbol: string, price: Decimal, exchangeTimestamp: Date): void;
  /** Called once, and last; never after `close`. */
  onLost(error: ExchangeError): void;
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
  /** The same by the exchange's own id. */
  findOrderByExchangeId(key: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<VenueOrder | null>;
  /** Every order that is open at this moment, whoever placed it; without a symbol those of all. */
  fetchOpenOrders(symbol?: string): Promise<readonly VenueOrder[]>;
  /** Every fill of one order, oldest first. */
  fetchFills(key: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<readonly VenueFill[]>;
  /** Every fill of one symbol executed at `since` or later, of whatever order, oldest first. */
  fetchFillsSince(request: { readonly symbol: string; readonly since: Date }): Promise<readonly VenueFill[]>;
  /** Whether {@link watch} can be asked for; otherwise the account has to be looked at. */
  readonly hasStream: boolean;
  /**
   * Opens one connection on which the exchange tells of the account. It doesn't come back by itself: `onLost` ends
   * it, also where it never came to be. A peer that has fallen silent is found out within 30 s.
   */
  watch(handler: AccountStreamHandler): AccountStream;
  /** Ends the account's streams. Calls under way end by themselves. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** By which a budget knows the account; from the credentials where it isn't given. No secret. */
  readonly accountKey?: string | undefined;
}

/** An exchange that the deployment offers. */
export interface ExchangeVenue {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  /** Whether the conformance suite was run for it: no other is offered to users. */
  readonly isCertified: boolean;
  /** A client order id within the exchange's own limits; the same for the same seed, another for any other. */
  clientOrderIdFor(seed: string): string;
  /** Public data, no credentials. */
  fetchMarkets(): Promise<readonly Market[]>;
  /** The last price of each symbol that has one, in quote currency. Public data, no credentials. */
  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>>;
  /** One connection's life, as {@link ExchangeClient.watch}. */
  watchBook(symbol: string, handler: BookHandler): VenueStream;
  /** The same for the last prices of these symbols. */
  watchPrices(symbols: readonly string[], handler: PriceHandler): VenueStream;
  connect(
    credentials: ExchangeCredentials,
    tradingType: TradingType,
    options?: ConnectOptions,
  ): ExchangeClient;
  /** Ends every connection; what is under way fails. */
  close(): Promise<void>;
}

/** One request that is about to be sent. */
export interface BudgetedCall {
  /** Id of the {@link ExchangeVenue}. */
  readonly venue: string;
  /** The account that it is for; public data is asked for nobody. */
  readonly accountKey?: string | undefined;
  /** By the exchange's own tariff. */
  readonly weight: number;
  /** Whether it counts as a new order of the account. */
  readonly isOrder: boolean;
  readonly isExit?: boolean | undefined;
}

/** Decides when a request may be sent, within what an exchange allows all of the deployment's processes together. */
export interface CallBudget {
  /**
   * Kept when the request may be dispatched. Ends at the signal at the latest.
   * @throws {ExchangeError} `retryable`/`rate_limited`, and nothing else
   */
  take(call: BudgetedCall, signal: AbortSignal): Promise<void>;
  /** The exchange asked for silence: nothing more is sent to it for this long. */
  pause(venue: string, forMs: number): void;
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
