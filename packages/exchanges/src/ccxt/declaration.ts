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
  BookLevel,
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
import type { CcxtClient } from './ccxt-client.js';
import type { RejectionPatterns } from './failures.js';

/** An exchange. Its id is the name of its folder, and never changes: accounts and pairs store it. */
export interface VenueDeclaration {
  readonly id: string;
  readonly tradingTypes: Readonly<Partial<Record<TradingType, TradingTypeDeclaration>>>;
}

/** One trading type of an exchange. */
export interface TradingTypeDeclaration {
  readonly client: ClientDeclaration;
  /** ccxt's name of the market type. */
  readonly market: 'spot' | 'margin' | 'swap';
  /**
   * A client order id is `prefix` followed by hexadecimal digits, `length` characters in total. The exchange must
   * accept such an id.
   */
  readonly clientOrderId: { readonly prefix: string; readonly length: number };
  readonly rateLimits: RateLimitSchedule;
  readonly rejectionPatterns: RejectionPatterns;
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
}

/** The published rate limits of an exchange. */
interface RateLimitSchedule {
  /** Names the limits if other trading types of the exchange have others. */
  readonly scope?: string | undefined;
  /** The exchange's request weight per unit of ccxt's cost. */
  readonly weightPerCost: number;
  /** The limit per IP address. */
  readonly weightPerMinute: number;
  /** The limit per account. */
  readonly ordersPer10s: number;
  /** Whether the body of a rate-limit response shows that the limit applies to one account only. */
  isAccountLimit(body: string): boolean;
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
  find(session: VenueSession, key: OrderKey): Promise<OrderLookup>;
  findByExchangeId(session: VenueSession, key: ExchangeOrderKey): Promise<VenueOrder | null>;
  /** Returns the open orders of a symbol; without a symbol, those of the account. */
  fetchOpen(session: VenueSession, symbol: string | undefined): Promise<readonly VenueOrder[]>;
}

/** Calls about fills; results are complete, oldest first. */
export interface FillCalls {
  ofOrder(session: VenueSession, key: ExchangeOrderKey): Promise<readonly VenueFill[]>;
  since(session: VenueSession, symbol: string, since: Date): Promise<readonly VenueFill[]>;
}

interface AccountCalls {
  inspectCredentials(session: VenueSession): Promise<CredentialsReport>;
  fetchBalances(session: VenueSession): Promise<BalanceReport>;
}

interface PositionCalls {
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

interface LoanCalls {
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
  /** The exchange reports that it ends the stream. */
  | { readonly kind: 'ended' };
/** The protocol that carries the streams of several accounts on one connection. */
export interface AccountStreamProtocol {
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

export type StreamMessage =
  | { readonly to: 'request'; readonly id: string; readonly streamId: string }
  | { readonly to: 'request'; readonly id: string; readonly rejection: unknown; readonly status: number }
  | { readonly to: 'stream'; readonly id: string; readonly event: unknown };

/** Changes of an order book. `first` and `last` are the exchange's sequence numbers of the first and last change. */
export interface BookDiff {
  readonly first: number;
  readonly last: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly at: Date;
}

export interface BookSnapshot extends Pick<BookDiff, 'last' | 'bids' | 'asks'> {}

/** The protocol of public market data. Each connection subscribes once, to one list of streams. */
export interface MarketStreamProtocol {
  /** The address in ccxt's configuration. */
  url(ccxt: CcxtClient): string;
  /** The maximum number of streams per connection. */
  readonly streamsPerConnection: number;
  subscribe(streams: readonly string[]): object;
  /** Returns whether the message accepts or rejects the subscription; undefined for any other message. */
  acknowledgementOf(message: unknown): 'accepted' | 'rejected' | undefined;
  bookStream(marketId: string): string;
  priceStream(marketId: string): string;
  /**
   * Returns undefined for a message of another kind.
   * @throws {MalformedResponse} if the message cannot be parsed
   */
  readBook(message: unknown): BookDiff | undefined;
  /**
   * Returns undefined for a message of another kind.
   * @throws {MalformedResponse} if the message cannot be parsed
   */
  readPrice(
    message: unknown,
  ): { readonly marketId: string; readonly price: Decimal; readonly at: Date } | undefined;
  /** @param depth number of levels of each side; by default the maximum */
  fetchBook(ccxt: CcxtClient, marketId: string, depth?: number): Promise<BookSnapshot>;
}
