/**
 * The port to an exchange: the interface that every venue implements and that the product calls.
 *
 * 1. Amounts and prices are canonical decimal strings (contracts/decimal.ts), never JavaScript numbers.
 * 2. The client order id is stored before the order is sent and identifies the order. A call that may have reached
 *    the exchange but got no response fails as `unknown`: the caller looks the order up by that id.
 * 3. Every failure is an {@link ExchangeError} with one of four outcomes. Messages are the product's own; no text of
 *    an exchange or of ccxt reaches a user. No error contains a credential.
 * 4. No call is retried automatically, and each call ends within the time limit of the venue. A read for background work
 *    may wait 15 s longer for the call budget.
 * 5. A stream lasts as long as its one connection. Exchanges do not resend events that a disconnected client missed:
 *    the caller reads open orders, fills and balances after it reconnects, before it trusts the new stream.
 *
 * The port covers spot, cross margin, and linear perpetuals in one-way mode. Amounts are always in base currency, also
 * of markets that trade in contracts.
 */
import type {
  CandleInterval,
  Decimal,
  TimeInForce,
  TradeSide,
  TradeType,
  TradingType,
  VenueStage,
} from '@trading-automation/contracts';
import type { CallPurpose } from './call-budget.js';

export interface ExchangeCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly passphrase?: string | undefined;
}

/** The result of the test that credentials must pass before they are stored. */
export interface CredentialsReport {
  readonly tradingTypes: readonly TradingType[];
  /** Null if the exchange does not report it. */
  readonly canTrade: boolean | null;
  /** Null if the exchange does not report it. */
  readonly canWithdraw: boolean | null;
  /** The exchange's own id of the account that the credentials belong to, if the exchange reports one. */
  readonly venueAccountId?: string | undefined;
  /** Whether all trading types of the account trade from one wallet. Default: false. */
  readonly isUnified?: boolean | undefined;
  /** Why the product cannot trade this kind of account. Undefined: it can. */
  readonly unsupported?: UnsupportedAccount | undefined;
}

/** A kind or setting of an account that the product refuses. */
export type UnsupportedAccount =
  /** Long and short positions of one market are separate. */
  | 'HEDGE_MODE'
  /** The margin of an account depends on the risk of the whole portfolio. */
  | 'PORTFOLIO_MARGIN'
  /** A kind of account that the page of the venue does not name. */
  | 'ACCOUNT_TYPE';

/** The balance of one asset at an exchange: the free amount, and the amount that open orders lock. */
export interface AssetBalance {
  readonly free: Decimal;
  readonly locked: Decimal;
  /**
   * The initial margin of positions and of orders on perpetuals, as the exchange reports it, if it is a part of `free`.
   * Default: none.
   */
  readonly margin?: Decimal;
  /** What `free` lacks already of the initial margin less the open result of positions. Default: nothing. */
  readonly marginDeducted?: Decimal;
}

/** Balances by asset. Assets without a balance are omitted. */
export type Balances = Readonly<Record<string, AssetBalance>>;

/** Balances, and when they were true by the exchange's clock. */
export interface BalanceReport {
  readonly balances: Balances;
  /** The balances include every change before this instant. Changes in the same millisecond may be missing. */
  readonly at: Date;
  /** The balances include no change after this instant. Equals `at` if the exchange dates its balances. */
  readonly until: Date;
}

/** A pair and its rules. Amounts are in base currency, prices and notionals in quote currency. */
export interface Market {
  /** `BASE/QUOTE`, or `BASE/QUOTE:SETTLE` for a market with a separate settlement currency. */
  readonly symbol: string;
  /** The exchange's own name for the market. */
  readonly exchangeSymbol: string;
  readonly base: string;
  readonly quote: string;
  /** The currency of profits, if base and quote do not determine it. */
  readonly settle?: string | undefined;
  readonly tradingType: TradingType;
  readonly priceTick: Decimal;
  readonly amountStep: Decimal;
  readonly minAmount: Decimal;
  readonly maxAmount?: Decimal | undefined;
  readonly minNotional: Decimal;
  readonly maxNotional?: Decimal | undefined;
  /** The amount step and maximum of market orders, if they differ from those of limit orders. */
  readonly marketAmountStep?: Decimal | undefined;
  readonly marketMaxAmount?: Decimal | undefined;
  /** Base currency per contract, for markets that trade in contracts. */
  readonly contractSize?: Decimal | undefined;
  /** The highest leverage of the smallest positions, for perpetuals. */
  readonly maxLeverage?: Decimal | undefined;
  /** The exchange's general fee rates, as a fraction of the amount received. An account may have lower rates. */
  readonly makerFee?: Decimal | undefined;
  readonly takerFee?: Decimal | undefined;
  readonly orderTypes: readonly TradeType[];
  readonly timeInForces: readonly TimeInForce[];
  readonly isActive: boolean;
}

export interface OrderRequest {
  readonly symbol: string;
  /** The client order id in the exchange's format, from {@link ExchangeVenue.clientOrderIdFor}. */
  readonly venueClientOrderId: string;
  readonly type: TradeType;
  readonly side: TradeSide;
  readonly timeInForce: TimeInForce;
  readonly amount: Decimal;
  readonly price?: Decimal | undefined;
  readonly stopPrice?: Decimal | undefined;
  readonly reduceOnly: boolean;
  /** Margin only: whether the exchange lends what the account lacks. Default: false. */
  readonly autoBorrow?: boolean | undefined;
  /** Margin only: whether the exchange uses what the order receives to repay a loan. Default: false. */
  readonly autoRepay?: boolean | undefined;
  /**
   * True if the order closes exposure. When calls have to wait, exits are sent before entries. The exchange does not
   * receive this field.
   */
  readonly isExit?: boolean | undefined;
  /** True if the order copies another order. Copies and users' own orders have separate shares of the call budget. */
  readonly isCopy?: boolean | undefined;
}

export interface PlaceOrderOptions {
  readonly sendByMs?: number | undefined;
}

export interface OrderKey {
  readonly symbol: string;
  readonly venueClientOrderId: string;
  /** When the order was sent. Without it, some exchanges cannot prove that an order does not exist. */
  readonly sentAt?: Date | undefined;
}

/** An order by the exchange's own id. */
export interface ExchangeOrderKey {
  readonly symbol: string;
  readonly exchangeOrderId: string;
}

/**
 * The result of looking up an order.
 *
 * - `FOUND`: the exchange has the order.
 * - `ABSENT`: the exchange has no such order and will not get it from a request that it has already received.
 * - `NOT_KNOWN`: the exchange did not return the order, but that does not prove that it has none. Do not send it again.
 */
export type OrderLookup =
  | { readonly outcome: 'FOUND'; readonly order: VenueOrder }
  | { readonly outcome: 'ABSENT' }
  | { readonly outcome: 'NOT_KNOWN' };

/** `EXPIRED`: the exchange ended the remainder under the order's own terms (IOC, FOK, POST_ONLY). */
export type VenueOrderStatus = 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';

/** The current state of an order at the exchange. */
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
  /** The filled amount that the exchange reports with the order. The list of fills may add up to less for a moment. */
  readonly filledAmount: Decimal;
  /** Default: false. */
  readonly reduceOnly?: boolean | undefined;
  /** Set if the exchange itself placed the order. */
  readonly cause?: ForcedCause | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Why an exchange changes a position without an order of the account. */
export type ForcedCause = 'LIQUIDATION' | 'ADL' | 'SETTLEMENT';

export interface VenueFill {
  /** Unique within an order. An account that trades with itself has two fills with the same id. */
  readonly exchangeFillId: string;
  readonly exchangeOrderId: string;
  /** Set on streams only: an exchange's list of fills identifies orders by the exchange's own id. */
  readonly venueClientOrderId?: string | undefined;
  readonly symbol: string;
  readonly side: TradeSide;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly fee: { readonly amount: Decimal; readonly currency: string };
  readonly liquidity: 'MAKER' | 'TAKER';
  /** Set if the exchange itself changed the position. */
  readonly cause?: ForcedCause | undefined;
  readonly executedAt: Date;
}

/** A position in a perpetual. Amounts of money are in the settlement currency of the market. */
export interface VenuePosition {
  readonly symbol: string;
  readonly side: 'LONG' | 'SHORT';
  /** Zero only in a stream's report that a position was closed. */
  readonly amount: Decimal;
  /** The exchange's average entry price; undefined without a position. */
  readonly entryPrice?: Decimal | undefined;
  readonly markPrice?: Decimal | undefined;
  readonly liquidationPrice?: Decimal | undefined;
  readonly leverage?: Decimal | undefined;
  readonly marginMode: 'CROSS' | 'ISOLATED';
  readonly unrealizedPnl?: Decimal | undefined;
  readonly maintenanceMargin?: Decimal | undefined;
  /** The margin of this position alone, including its open result. Only of isolated positions. */
  readonly isolatedMargin?: Decimal | undefined;
  /** False for a position that the product lists and never touches: of a hedge mode, inverse or dated. */
  readonly isSupported: boolean;
}

/** All positions of an account, and when they were true by the exchange's clock. */
export interface PositionReport {
  readonly positions: readonly VenuePosition[];
  readonly at: Date;
  readonly until: Date;
}

/** The cross margin of an account. */
export interface AccountMargin {
  /** The currency of the amounts; USD if the exchange values several currencies. */
  readonly currency: string;
  /** The wallet with the open result of all positions. */
  readonly equity: Decimal;
  /** What new orders may use. */
  readonly available: Decimal;
  readonly maintenanceMargin: Decimal;
}

export interface LeverageSettings {
  readonly leverage: Decimal;
  readonly marginMode: 'CROSS' | 'ISOLATED';
  /** The highest leverage that the exchange allows for a small position, if it reports it. */
  readonly maxLeverage?: Decimal | undefined;
}

/** One funding payment of a position. */
export interface FundingPayment {
  /** Unique within the account. */
  readonly id: string;
  readonly symbol: string;
  /** Positive if the account received it. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly paidAt: Date;
}

/** Interest on a loan of the exchange. */
export interface InterestCharge {
  /** Unique within the account. */
  readonly id: string;
  readonly asset: string;
  readonly amount: Decimal;
  readonly chargedAt: Date;
}

/** What an account owes the exchange in one asset. */
export interface AssetLoan {
  readonly borrowed: Decimal;
  /** Interest that is charged and not paid yet. */
  readonly interest: Decimal;
}

/** The funding of a perpetual at one time. */
export interface FundingRate {
  readonly symbol: string;
  /** The fraction of the notional that longs pay to shorts. */
  readonly rate: Decimal;
  /** The mark price at that time, if the exchange reports it. */
  readonly markPrice?: Decimal | undefined;
  readonly at: Date;
}

/**
 * Receives the events of one account while one connection lasts. The methods are called in the order in which messages
 * arrive. An exchange may repeat, delay or reorder messages. If a method throws, the stream is lost.
 */
export interface AccountStreamHandler {
  /** Called once: from now on the exchange reports every change. */
  onConnected(): void;
  /** Called at most once, as the last call; never after `close`. */
  onLost(error: ExchangeError): void;
  /** The new state of an order, with the fills that led to it, if any. */
  onOrder(order: VenueOrder, fills: readonly VenueFill[]): void;
  /**
   * The balances of the assets that changed, as they were at `at` by the exchange's clock. An asset whose balance became
   * zero is included with zeros.
   */
  onBalances(balances: Balances, at: Date): void;
  /** Perpetuals only: the positions that changed. A closed position is included with the amount zero. */
  onPositions?(positions: readonly VenuePosition[], at: Date): void;
  /** Perpetuals only: funding was paid or received. Not every exchange reports it. `fetchFunding` returns the payments. */
  onFunding?(): void;
}

export interface VenueStream {
  /** Stops all handler calls immediately. Resolves when the connection is closed. */
  close(): Promise<void>;
}

/** Price and amount. An amount of 0 removes the level. */
export type BookLevel = readonly [price: Decimal, amount: Decimal];

/** The levels of an order book: bids with the highest price first, asks with the lowest price first. */
export interface BookSides {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** One message about an order book. Sequence numbers are the exchange's own; they increase but may have gaps. */
export interface BookUpdate {
  readonly symbol: string;
  readonly sequence: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly exchangeTimestamp: Date;
}

export interface BookHandler {
  /** The complete book, best levels first. Called at the start and after each gap in the exchange's sequence. */
  onSnapshot(book: BookUpdate): void;
  /** The changes since `previousSequence`, the sequence number of the previous message. */
  onDelta(change: BookUpdate & { readonly previousSequence: number }): void;
  /** Called at most once, as the last call; never after `close`. */
  onLost(error: ExchangeError): void;
}

export interface PriceHandler {
  /** Called once: from now on the exchange reports every change. */
  onConnected(): void;
  /** The last traded price of a symbol, in quote currency. */
  onPrice(symbol: string, price: Decimal, exchangeTimestamp: Date): void;
  /** Called at most once, as the last call; never after `close`. */
  onLost(error: ExchangeError): void;
}

/** One account at one exchange. Calls may run concurrently. */
export interface ExchangeClient {
  /** The local address of the account's connections; undefined if the venue is configured without addresses. */
  readonly egress?: string | undefined;
  /**
   * Whether every open order locks a balance that {@link fetchBalances} reports. Then an account without locked
   * balances has no open order.
   */
  readonly openOrdersLockBalances: boolean;
  /**
   * Returns a client of the same account whose reads use the share of `purpose` in the call budget. Default: `check`.
   * Orders and cancellations have a purpose of their own.
   */
  as(purpose: CallPurpose): ExchangeClient;
  /** @throws {ExchangeError} `fatal`/`credentials_rejected` if the exchange rejects the credentials */
  testCredentials(): Promise<CredentialsReport>;
  /** Returns all balances of the account. */
  fetchBalances(): Promise<BalanceReport>;
  /**
   * Sends a new order. Fails as `unknown` if the exchange may have accepted it.
   *
   * @param options.sendByMs nothing is written to the exchange after this value of `performance.now()`, and the
   * exchange rejects the request if it arrives more than 5 s later. Default: the time limit of the venue.
   */
  placeOrder(order: OrderRequest, options?: PlaceOrderOptions): Promise<VenueOrder>;
  /**
   * Cancels an open order. Fails as `rejected`/`order_not_found` if no open order has this id; the order may have been
   * filled.
   */
  cancelOrder(key: OrderKey): Promise<void>;
  /** Cancels an open order by its exchange order id, with the same failures as {@link cancelOrder}. */
  cancelOrderByExchangeId(key: ExchangeOrderKey): Promise<void>;
  /** Looks up the order with this client order id. */
  findOrder(key: OrderKey): Promise<OrderLookup>;
  /** Returns the order with this exchange order id, or null if the exchange reports that it has none. */
  findOrderByExchangeId(key: ExchangeOrderKey): Promise<VenueOrder | null>;
  /** Returns every open order of the account, including external orders; without a symbol, for all symbols. */
  fetchOpenOrders(symbol?: string): Promise<readonly VenueOrder[]>;
  /** Returns every fill of one order, oldest first. */
  fetchFills(key: ExchangeOrderKey): Promise<readonly VenueFill[]>;
  /**
   * For how long after its execution {@link fetchFillsSince} certainly returns a fill, in milliseconds; `Infinity`
   * without limit.
   */
  readonly fillsListedForMs: number;
  /** Returns every fill of one symbol executed at or after `since`, for any order, oldest first. */
  fetchFillsSince(request: { readonly symbol: string; readonly since: Date }): Promise<readonly VenueFill[]>;
  /** The calls about positions; undefined for trading types without positions. */
  readonly positions?: PositionClient | undefined;
  /** The calls about loans; undefined for trading types without loans. */
  readonly loans?: LoanClient | undefined;
  /** Whether {@link watch} is supported; otherwise the caller polls the account. */
  readonly hasStream: boolean;
  /**
   * Opens a stream of the account's events. The stream does not reconnect: it ends with `onLost`, also if it never
   * connected. A connection on which nothing arrives is detected within 30 s.
   */
  watch(handler: AccountStreamHandler): VenueStream;
  /** Closes the account's streams. Calls in flight continue. */
  close(): Promise<void>;
}

/** The positions of one account. */
export interface PositionClient {
  /** Returns every position of the account, those that the product does not support included. */
  fetchPositions(): Promise<PositionReport>;
  fetchMargin(): Promise<AccountMargin>;
  fetchLeverage(symbol: string): Promise<LeverageSettings>;
  /**
   * Changes the leverage, and the margin mode if it is named. Fails as `rejected`/`rule_violated` above the exchange's
   * limit, as `rejected`/`refused` if an open order or position forbids the change.
   */
  setLeverage(
    symbol: string,
    settings: { readonly leverage: Decimal; readonly marginMode?: 'CROSS' | 'ISOLATED' | undefined },
  ): Promise<LeverageSettings>;
  /** Returns every funding payment at or after `since`, oldest first. */
  fetchFunding(since: Date): Promise<readonly FundingPayment[]>;
}

/** The loans of one account with cross margin. */
export interface LoanClient {
  /**
   * Returns the loans by asset. Assets without a loan are omitted. The balances of {@link ExchangeClient.fetchBalances}
   * do not contain them: what an account holds of an asset is free plus locked less borrowed.
   */
  fetchLoans(): Promise<Readonly<Record<string, AssetLoan>>>;
  /** Returns every interest charge at or after `since`, oldest first. */
  fetchInterest(since: Date): Promise<readonly InterestCharge[]>;
}

export interface ConnectOptions {
  /** The key in the call budget; accounts that share a wallet have the same one. Not a secret. Default: derived from the credentials. */
  readonly accountKey?: string | undefined;
  /** The user of the account. In each share of the call budget, users take turns. */
  readonly userId?: string | undefined;
  /**
   * The local address that was chosen for the account before. It is kept as long as it is configured. Default: chosen
   * by a hash of the API key.
   */
  readonly egress?: string | undefined;
}

/** The best prices of an order book; null for a side without orders. */
export interface BestPrices {
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
}

/** The state of a market now and over the last 24 hours. Null: nothing was traded, or a side has no orders. */
export interface Ticker {
  readonly last: Decimal | null;
  readonly bid: Decimal | null;
  readonly ask: Decimal | null;
  readonly open: Decimal | null;
  readonly high: Decimal | null;
  readonly low: Decimal | null;
  /** In base currency. */
  readonly volume: Decimal;
  readonly quoteVolume: Decimal;
}

/** The prices of one interval, in quote currency. */
export interface Candle {
  readonly openedAt: Date;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  /** In base currency. */
  readonly volume: Decimal;
}

/** The candles that open at or after `from` and before `to`. */
export interface CandleRange {
  readonly interval: CandleInterval;
  readonly from: Date;
  readonly to: Date;
}

/** The permissions of a key, as the exchange names them. */
export interface KeyPermissions {
  readonly needed: readonly string[];
  readonly refused: readonly string[];
  /** What else to know when the key is created. Plain sentences for users. */
  readonly notes: readonly string[];
}

/** The credentials that an exchange issues. */
export interface CredentialForm {
  readonly secret: 'HMAC_SECRET' | 'EC_PRIVATE_KEY';
  readonly hasPassphrase: boolean;
  /** By trading type. Empty for an exchange whose keys have no permissions. */
  readonly permissions: Readonly<Partial<Record<TradingType, KeyPermissions>>>;
}

/** An exchange that the deployment has configured. */
export interface ExchangeVenue {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  /** The stage of each trading type. */
  readonly stages: Readonly<Partial<Record<TradingType, VenueStage>>>;
  /** What a user enters to connect an account. */
  readonly credentialForm: CredentialForm;
  /** Whether the venue passed the conformance suite. Only certified venues are offered to users. */
  readonly isCertified: boolean;
  /**
   * Returns a client order id within the exchange's limits for a trading type. Equal seeds give equal ids; different
   * seeds give different ids.
   */
  clientOrderIdFor(seed: string, tradingType: TradingType): string;
  /** Returns public data; needs no credentials. */
  fetchMarkets(): Promise<readonly Market[]>;
  /** Returns the last price of each symbol that has one, in quote currency. Public data; needs no credentials. */
  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>>;
  /**
   * Returns the best prices of an order book, in quote currency; null for a side without orders. Public data; needs no
   * credentials.
   */
  fetchBestPrices(symbol: string): Promise<BestPrices>;
  /**
   * Returns the last price of a symbol at the end of the minute of `at`, in quote currency; null if nothing was traded in
   * this minute and the hour before it. Public data; needs no credentials.
   */
  fetchPriceAt(symbol: string, at: Date): Promise<Decimal | null>;
  /**
   * Returns the best levels of an order book. Public data; needs no credentials.
   *
   * @param depth number of levels of each side, at most 500
   * @param userId the user who waits for it, and whose share of the call budget it uses
   */
  fetchBook(symbol: string, depth: number, userId?: string): Promise<BookSides>;
  /**
   * Returns the ticker of a symbol. Public data; needs no credentials.
   *
   * @param userId the user who waits for it, and whose share of the call budget it uses
   */
  fetchTicker(symbol: string, userId?: string): Promise<Ticker>;
  /**
   * Returns candles, oldest first; intervals without a trade may be missing. Public data; needs no credentials.
   *
   * @param userId the user who waits for them, and whose share of the call budget they use
   */
  fetchCandles(symbol: string, range: CandleRange, userId?: string): Promise<readonly Candle[]>;
  /** Returns the mark price of each perpetual that has one. Public data; needs no credentials. */
  fetchMarkPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>>;
  /**
   * Returns the funding rates that a perpetual had at or after `from` and before `to`, oldest first. Public data; needs
   * no credentials.
   */
  fetchFundingRates(
    symbol: string,
    range: { readonly from: Date; readonly to: Date },
  ): Promise<readonly FundingRate[]>;
  /** Streams one order book for as long as one connection lasts, as {@link ExchangeClient.watch} does. */
  watchBook(symbol: string, handler: BookHandler): VenueStream;
  /** Streams the last prices of these symbols for as long as one connection lasts. */
  watchPrices(symbols: readonly string[], handler: PriceHandler): VenueStream;
  connect(
    credentials: ExchangeCredentials,
    tradingType: TradingType,
    options?: ConnectOptions,
  ): ExchangeClient;
  /** Closes every connection; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * - `retryable`: the call certainly had no effect and may succeed later.
 * - `rejected`: the exchange processed the request and rejected it. The same request will be rejected again.
 * - `fatal`: no call works with these credentials or this configuration until a user or an operator acts.
 * - `unknown`: the call may have had its effect. Look the order up before any other step.
 */
export type ExchangeOutcome = 'retryable' | 'rejected' | 'fatal' | 'unknown';

export type ExchangeErrorCode =
  /** No connection, or the exchange is down for maintenance. */
  | 'unreachable'
  /** No response in time, or a response that does not state the result. */
  | 'no_answer'
  | 'rate_limited'
  /** A response that cannot be parsed. */
  | 'bad_answer'
  | 'credentials_rejected'
  | 'insufficient_balance'
  /** Price tick, amount step, notional, price band and similar rules. */
  | 'rule_violated'
  | 'order_not_found'
  /** A POST_ONLY order that would take liquidity, or a FOK order that cannot fill. */
  | 'would_not_fit_book'
  | 'duplicate_client_order_id'
  /** The account keeps long and short positions of a market apart, which the product does not support. */
  | 'position_mode'
  | 'not_supported'
  /** The exchange rejected the request for a reason without a code of its own. */
  | 'refused';

export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  constructor(
    readonly outcome: ExchangeOutcome,
    readonly code: ExchangeErrorCode,
    /** The product's own text, suitable for users. */
    message: string,
    options?: { cause?: unknown; retryInMs?: number },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.retryInMs = options?.retryInMs;
  }

  /**
   * Of `rate_limited`: the time after which the user may call again, if the calls of this user alone have used up the
   * user's share of the limit.
   */
  readonly retryInMs: number | undefined;
}
