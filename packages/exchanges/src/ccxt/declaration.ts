/**
 * A declaration describes how one exchange differs from the others. Each exchange has a folder in `venues`, and each of
 * its trading types has a declaration of its own. The product offers a trading type only if it passes the conformance
 * suite. Support in ccxt is not sufficient: it does not prove that an order can be found by its client order id.
 */
import type { Decimal, TimeInForce, TradeType, TradingType } from '@trading-automation/contracts';
import type {
  AccountMargin,
  AssetLoan,
  BalanceReport,
  Balances,
  BookSides,
  CredentialForm,
  CredentialsReport,
  ExchangeOrderKey,
  FundingPayment,
  FundingRate,
  InterestCharge,
  LeverageSettings,
  OrderKey,
  OrderLookup,
  OrderRequest,
  PositionReport,
  VenueFill,
  VenueOrder,
  VenuePosition,
} from '../port.js';
import type { AccountLimit } from './budget.js';
import type { CcxtClient } from './ccxt-client.js';
import type { RejectionPatterns } from './failures.js';
import type { ConnectHeaders, Heartbeat, PingAnswer } from './streams/sockets.js';
import type { RateLimitResponse } from './transport.js';

/** An exchange. Its id is the name of its folder, and never changes: accounts and pairs store it. */
export interface VenueDeclaration {
  readonly id: string;
  readonly credentials: CredentialForm;
  readonly tradingTypes: Readonly<Partial<Record<TradingType, TradingTypeDeclaration>>>;
  /** Why the other trading types are not offered, for the page of the venue. */
  readonly notOffered?: Readonly<Partial<Record<TradingType, string>>> | undefined;
}

/** One trading type of an exchange. */
export interface TradingTypeDeclaration {
  readonly client: ClientDeclaration;
  /** ccxt's name of the market type. */
  readonly market: 'spot' | 'margin' | 'swap';
  readonly clientOrderId: ClientOrderIdRule;
  readonly rateLimits: RateLimitSchedule;
  readonly rejectionPatterns: RejectionPatterns;
  /** The order types that the product offers. A market may have fewer. */
  readonly orderTypes: readonly TradeType[];
  /** Whether every open order locks a balance of the account. */
  readonly openOrdersLockBalances: boolean;
  /** The maximum number of candles per response. */
  readonly candlesPerResponse: number;
  readonly orders: OrderCalls;
  readonly fills: FillCalls;
  readonly account: AccountCalls;
  /** Set for trading types with positions. */
  readonly positions?: PositionCalls | undefined;
  /** Set for trading types with loans. */
  readonly loans?: LoanCalls | undefined;
  /** @throws {MalformedResponse} if the market has no rules that can be parsed; the market is then omitted */
  nativeRules(info: unknown): NativeMarketRules;
  /** The account stream, if the exchange has one; otherwise accounts are polled. */
  readonly accountStream?: AccountStreamProtocol | undefined;
  readonly marketStream?: MarketStreamProtocol | undefined;
}

/** The exchange's rule for client order ids. */
interface ClientOrderIdRule {
  /**
   * An id is `prefix` followed by hexadecimal digits, `length` characters in total. The exchange must accept such an
   * id.
   */
  readonly prefix: string;
  readonly length: number;
  /** The characters and the length that the exchange accepts, for the page of the venue. */
  readonly accepts: string;
  /** Until when an id may not be used again. */
  readonly unique: 'AMONG_OPEN_ORDERS' | 'FOR_EVER' | 'NOT_ENFORCED';
  /** What the exchange does with a new order whose id is in use. */
  readonly repetition: 'REFUSED' | 'RETURNS_FIRST' | 'PLACES_ANOTHER';
  /** How an order is found by its id, and for how long, for the page of the venue. */
  readonly lookUp: string;
  /** When the absence of an order is proven, for the page of the venue. */
  readonly absence: string;
}

/** How a ccxt client of a trading type is created. */
interface ClientDeclaration {
  /** Loads ccxt's class of the exchange. Classes are large, so only those of configured exchanges are loaded. */
  load(): Promise<new (options: object) => object>;
  /** Options of the constructor. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Options that must stay constant, although ccxt would change them at run time. */
  readonly fixedOptions: Readonly<Record<string, unknown>>;
  /** Changes a new client. */
  prepare?(client: object): void;
  /** How ccxt switches to a test network or to demo trading; undefined if the exchange has neither. */
  readonly sandbox?: 'setSandboxMode' | 'enableDemoTrading' | undefined;
  /**
   * Whether each request of an account needs a higher nonce than the one before it. The requests of an account are then
   * sent one after another, with nonces from one place for all processes.
   */
  readonly hasRisingNonces?: boolean | undefined;
}

/** The published rate limits of an exchange. */
interface RateLimitSchedule {
  /** Names the limits if other trading types of the exchange have others. */
  readonly scope?: string | undefined;
  /** Returns the exchange's request weight of a call, from ccxt's cost of it. */
  weightOf(cost: number): number;
  /** The limit per IP address. */
  readonly weightPerMinute: number;
  /** The limit per account. */
  readonly ordersPer10s: number;
  /**
   * The limit per account of a weight that the exchange counts for all its calls together; undefined if it counts none,
   * or counts each endpoint separately.
   */
  readonly account?: AccountRateLimit | undefined;
  /** Whether the body of a rate-limit response shows that the limit applies to one account only. */
  isAccountLimit(body: string): boolean;
  /**
   * Whether such a limit counts all calls of the account together, so that all of them wait. Default: only calls of the same
   * kind wait, which are new orders, other writes, or reads.
   */
  readonly countsAccountTogether?: boolean | undefined;
  /**
   * Returns for how long the exchange asks not to be called, in milliseconds. Default: `retry-after` of a response with
   * the status 429 or 418.
   */
  pauseOf?(response: RateLimitResponse): number | undefined;
}

/** A limit of the request weight of one account. */
interface AccountRateLimit extends AccountLimit {
  /** Returns the weight of a call, from ccxt's cost of it. */
  weightOf(cost: number): number;
}

/** What the calls of a trading type use. They run in the context of one account, with the markets loaded. */
export interface VenueSession {
  readonly ccxt: CcxtClient;
  /** Returns the result of a call; null if the exchange reports that it has no such order. */
  orNull<T>(call: () => Promise<T>): Promise<T | null>;
}

export interface OrderCalls {
  place(session: VenueSession, order: OrderRequest): Promise<VenueOrder>;
  /** @throws {ExchangeError} `rejected`/`order_not_found` if no open order has this id */
  cancel(session: VenueSession, key: OrderKey): Promise<void>;
  /** @throws {ExchangeError} `rejected`/`order_not_found` if no open order has this id */
  cancelByExchangeId(session: VenueSession, key: ExchangeOrderKey): Promise<void>;
  find(session: VenueSession, key: OrderKey): Promise<OrderLookup>;
  findByExchangeId(session: VenueSession, key: ExchangeOrderKey): Promise<VenueOrder | null>;
  /** Returns the open orders of a symbol; without a symbol, those of the account. */
  fetchOpen(session: VenueSession, symbol: string | undefined): Promise<readonly VenueOrder[]>;
}

/** Calls about fills; results are complete, oldest first. */
export interface FillCalls {
  /** For how long `since` certainly returns a fill, in milliseconds; `Infinity` if the exchange lists fills without limit. */
  readonly listedForMs: number;
  ofOrder(session: VenueSession, key: ExchangeOrderKey): Promise<readonly VenueFill[]>;
  since(session: VenueSession, symbol: string, since: Date): Promise<readonly VenueFill[]>;
}

interface AccountCalls {
  inspectCredentials(session: VenueSession): Promise<CredentialsReport>;
  fetchBalances(session: VenueSession): Promise<BalanceReport>;
}

export interface PositionCalls {
  fetchPositions(session: VenueSession): Promise<PositionReport>;
  fetchMargin(session: VenueSession): Promise<AccountMargin>;
  fetchLeverage(session: VenueSession, symbol: string): Promise<LeverageSettings>;
  setLeverage(
    session: VenueSession,
    symbol: string,
    settings: Pick<LeverageSettings, 'leverage'> & Partial<Pick<LeverageSettings, 'marginMode'>>,
  ): Promise<LeverageSettings>;
  fetchFunding(session: VenueSession, since: Date): Promise<readonly FundingPayment[]>;
  /** Returns the mark prices of listed symbols. Public data. */
  fetchMarkPrices(
    session: VenueSession,
    symbols: readonly string[],
  ): Promise<Readonly<Record<string, Decimal>>>;
  /** Returns the funding rates of a listed symbol in a range, oldest first. Public data. */
  fetchFundingRates(
    session: VenueSession,
    symbol: string,
    range: { readonly from: Date; readonly to: Date },
  ): Promise<readonly FundingRate[]>;
}

export interface LoanCalls {
  fetchLoans(session: VenueSession): Promise<Readonly<Record<string, AssetLoan>>>;
  fetchInterest(session: VenueSession, since: Date): Promise<readonly InterestCharge[]>;
}

/** Market rules that ccxt leaves in the exchange's own format; the declaration parses them. */
export interface NativeMarketRules {
  /** The amount step of MARKET orders, if it differs from that of limit orders. */
  readonly marketAmountStep?: Decimal | undefined;
  readonly orderTypes: readonly TradeType[];
  readonly timeInForces: readonly TimeInForce[];
}

/** A parsed message on an account's stream. */
export type AccountEvent =
  | { readonly kind: 'order'; readonly order: VenueOrder; readonly fills: readonly VenueFill[] }
  | { readonly kind: 'balances'; readonly balances: Balances; readonly at: Date }
  | { readonly kind: 'positions'; readonly positions: readonly VenuePosition[]; readonly at: Date }
  /** Funding was paid or received. The report does not identify the payment. */
  | { readonly kind: 'funding' }
  /** The exchange reports that it ends the stream. */
  | { readonly kind: 'ended' };
type AccountStreamProtocol = SharedStreamProtocol | OwnStreamProtocol;

/** The protocol that carries the streams of several accounts on one connection. */
export interface SharedStreamProtocol {
  readonly kind: 'SHARED';
  /** The address in ccxt's configuration. */
  url(ccxt: CcxtClient): string;
  /** The maximum number of accounts per connection. */
  readonly accountsPerConnection: number;
  /** The request weight of opening one stream. */
  readonly weight: number;
  /** Builds the subscription request, signed with the credentials of the current call (see `runAsAccount`). */
  subscribe(ccxt: CcxtClient, requestId: string): object;
  unsubscribe(streamId: string, requestId: string): object;
  /** Returns the request or the stream that a message belongs to; undefined if it belongs to neither. */
  routeMessage(message: unknown): StreamMessage | undefined;
  /**
   * Parses an event; returns undefined for a kind of event that the product does not use.
   * @throws {MalformedResponse} if the event cannot be parsed
   */
  read(ccxt: CcxtClient, event: unknown): AccountEvent | undefined;
}

/** The protocol of a connection that carries the stream of one account. */
export interface OwnStreamProtocol {
  readonly kind: 'OWN';
  /**
   * Whether the streams of the venue's trading types use one connection if they have the same address and key. Each reader
   * then gets the messages of all of them, and ignores those of other trading types. Default: false.
   */
  readonly isShared?: boolean | undefined;
  /** The request weight of opening one stream, without the calls of {@link plan}. */
  readonly weight: number;
  readonly heartbeat?: Heartbeat | undefined;
  /** Whether nothing may be sent before the exchange has sent a first message. */
  readonly isGreeted?: boolean | undefined;
  readonly answerPing?: PingAnswer | undefined;
  /** Headers of the request that opens the connection. */
  readonly connectHeaders?: ConnectHeaders | undefined;
  readonly keepAlive?: StreamKeepAlive | undefined;
  /** Runs in the context of the account; may make calls, for example for a token. */
  plan(session: VenueSession): Promise<StreamPlan>;
  /** Returns whether a message accepts or rejects the last step; undefined for any other message. */
  responseOf(message: unknown): StepResponse | undefined;
  /** Whether readers see the messages that accept a step, too, because they are numbered. Default: false. */
  readonly numbersAcknowledgements?: boolean;
  /** Creates the state of one stream. */
  open(session: VenueSession): StreamReader;
}

/** A call that an exchange requires at intervals so that it continues a stream. */
interface StreamKeepAlive {
  readonly everyMs: number;
  /** Runs in the context of the account. If it fails, the stream is lost. */
  run(session: VenueSession): Promise<void>;
}

/** How one stream is opened. */
export interface StreamPlan {
  readonly url: string;
  /** The messages that authenticate the connection, before {@link steps}. A stream that joins a connection skips them. */
  readonly login?: readonly StreamStep[] | undefined;
  /** The messages to send; each is sent when the exchange has accepted the one before it. */
  readonly steps: readonly StreamStep[];
  /** Default: the heartbeat of the protocol. */
  readonly heartbeat?: Heartbeat | undefined;
}

/** A message, or a function that creates it from the message that accepted the step before it. */
export type StreamStep = object | ((accepted: unknown) => object);

export type StepResponse =
  | { readonly isAccepted: true }
  | { readonly isAccepted: false; readonly status: number; readonly rejection: unknown };

/** Parses the messages of one stream. */
export interface StreamReader {
  /** @throws {MalformedResponse} if an event cannot be parsed */
  read(message: unknown): readonly StreamReport[];
}

/** What a message reports. Exchanges may report an order and its fills in separate messages. */
export type StreamReport =
  | Exclude<AccountEvent, { kind: 'order' }>
  | { readonly kind: 'order'; readonly order: VenueOrder }
  | { readonly kind: 'fill'; readonly fill: VenueFill }
  | StreamCall;

/** A report that something has changed, without its new state. A call reads the state. */
export interface StreamCall {
  readonly kind: 'call';
  /** Names what has changed. Calls with the same key run one after another, and those that wait become one. */
  readonly key: string;
  read(session: VenueSession): Promise<readonly StreamReport[]>;
}

export type StreamMessage =
  | { readonly to: 'request'; readonly id: string; readonly streamId: string }
  | { readonly to: 'request'; readonly id: string; readonly rejection: unknown; readonly status: number }
  | { readonly to: 'stream'; readonly id: string; readonly event: unknown };

/** Changes of an order book. `first` and `last` are the exchange's sequence numbers of the first and last change. */
export interface BookDiff extends BookSides {
  readonly first: number;
  readonly last: number;
  readonly at: Date;
}

export interface BookSnapshot extends BookSides {
  readonly last: number;
}

/** A message about an order book on a stream. */
type BookMessage =
  | ({ readonly kind: 'SNAPSHOT'; readonly at: Date } & BookSnapshot)
  | ({ readonly kind: 'CHANGE' } & BookDiff)
  /** The message contradicts the earlier ones; the book has to begin again. */
  | { readonly kind: 'GAP' };

/** Parses the messages of one order book. */
export interface BookReader {
  /**
   * Returns undefined for a message of another kind.
   * @throws {MalformedResponse} if the message cannot be parsed
   */
  read(message: unknown): BookMessage | undefined;
}

/** A price on a stream. The market has the name that it has on streams. */
interface StreamPrice {
  readonly marketId: string;
  readonly price: Decimal;
  readonly at: Date;
}

/** The protocol of public market data. Each connection subscribes once, to one list of streams. */
export interface MarketStreamProtocol {
  /** The address for these streams. May make calls, for example for a token. */
  url(ccxt: CcxtClient, streams: readonly string[]): string | Promise<string>;
  readonly heartbeat?: Heartbeat | undefined;
  /** Whether nothing may be sent before the exchange has sent a first message. */
  readonly isGreeted?: boolean | undefined;
  readonly answerPing?: PingAnswer | undefined;
  /** Headers of the request that opens the connection. */
  readonly connectHeaders?: ConnectHeaders | undefined;
  /** The maximum number of streams per connection. */
  readonly streamsPerConnection: number;
  /** Returns the message that subscribes; a list of messages, if the exchange needs several. */
  subscribe(streams: readonly string[]): object | readonly object[];
  unsubscribe(streams: readonly string[]): object | readonly object[];
  /**
   * Returns whether the message accepts or rejects a subscription; undefined for any other message. The streams count as
   * subscribed with the first acceptance.
   */
  acknowledgementOf(message: unknown): 'accepted' | 'rejected' | undefined;
  /** Returns the name of a market on streams. Default: its id. */
  nameOf?(ccxt: CcxtClient, symbol: string): string;
  /** Whether a book's reader sees the answers to subscriptions, too, because they are numbered. Default: false. */
  readonly numbersAcknowledgements?: boolean;
  bookStream(marketId: string): string;
  priceStream(marketId: string): string;
  /** Where the first state of a book comes from: a call, or the first message after the subscription. */
  readonly bookSnapshots: 'CALL' | 'STREAM';
  /** Creates the state of one order book. */
  openBook(ccxt: CcxtClient, symbol: string): BookReader;
  /**
   * Returns the prices in a message; none for a message of another kind.
   * @throws {MalformedResponse} if the message cannot be parsed
   */
  readPrices(message: unknown): readonly StreamPrice[];
  /** @param depth number of levels of each side; by default the maximum */
  fetchBook(ccxt: CcxtClient, symbol: string, depth?: number): Promise<BookSnapshot>;
}
