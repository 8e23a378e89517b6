/**
 * An adapter describes how one exchange differs from the others. The product offers a venue to users only if the venue
 * has an adapter and passes the conformance suite. Support in ccxt is not sufficient: it does not prove that an order
 * can be found by its client order id.
 */
import type { Decimal, TimeInForce, TradeType, TradingType } from '@trading-automation/contracts';
import type { Balances, BookLevel, CredentialsReport, VenueFill, VenueOrder } from '../port.js';
import type { CcxtClient, CcxtClientOptions } from './ccxt-client.js';
import type { RejectionPatterns } from './failures.js';

/** How ccxt selects one trading type. */
interface TradingMode {
  /** Constructor options of a ccxt client for this trading type. */
  readonly options: Readonly<Record<string, unknown>>;
  /** ccxt's market type. */
  readonly market: 'spot' | 'margin' | 'swap';
  /** Parameters that are added to each call about orders or fills. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A ccxt client, and the calls that ccxt's unified API lacks. */
export interface VenueSession {
  readonly ccxt: CcxtClient;
  inspectCredentials(): Promise<CredentialsReport>;
}

/** The published rate limits of the exchange. */
interface RateLimitSchedule {
  /** The exchange's request weight per unit of ccxt's cost. */
  readonly weightPerCost: number;
  /** The limit per IP address. */
  readonly weightPerMinute: number;
  /** The limit per account. */
  readonly ordersPer10s: number;
  /** Whether the body of a rate-limit response shows that the limit applies to one account only. */
  isAccountLimit(body: string): boolean;
}

/** Market rules that ccxt leaves in the exchange's own format; the adapter parses them. */
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

export interface Adapter {
  readonly tradingTypes: Readonly<Partial<Record<TradingType, TradingMode>>>;
  /**
   * A client order id is `prefix` followed by hexadecimal digits, `length` characters in total. The exchange must
   * accept such an id.
   */
  readonly clientOrderId: { readonly prefix: string; readonly length: number };
  readonly rateLimits: RateLimitSchedule;
  /** ccxt options that load the markets of these trading types. */
  marketOptions(types: readonly TradingType[]): Readonly<Record<string, unknown>>;
  /** Options of every ccxt client of this exchange; ccxt cannot change them at run time. */
  readonly clientOptions: Readonly<Record<string, unknown>>;
  readonly rejectionPatterns: RejectionPatterns;
  /** The trading types in which every open order locks a balance of the account. */
  readonly lockingTypes: ReadonlySet<TradingType>;
  readonly fills: {
    /** The maximum number of fills per response. */
    readonly pageSize: number;
    /**
     * Parameters that request the fills from this id on. The fill with this id is included, because the two fills of a
     * self-trade have the same id.
     */
    from(fillId: string): Readonly<Record<string, unknown>>;
    /** Parameters that request the fills of a time range, at most `spanMs` long. */
    between(from: Date, to: Date): Readonly<Record<string, unknown>>;
    /** The longest time range that the exchange accepts, in milliseconds. */
    readonly spanMs: number;
  };
  /** The maximum number of candles per response. */
  readonly candlesPerResponse: number;
  /**
   * Returns whether a response contains balances. ccxt would parse a response without balances as an empty account.
   */
  isBalanceResponse(info: unknown): boolean;
  /**
   * Returns the instant of the balances in a response: they include every change before it and none after it. Undefined
   * if the exchange does not report one.
   */
  balancesDatedAt(info: unknown): Date | undefined;
  nativeRules(info: unknown): NativeMarketRules;
  open(options: CcxtClientOptions): VenueSession;
  /** The account stream, if the exchange has one; otherwise accounts are polled. */
  readonly accountStream?: AccountStreamProtocol | undefined;
  readonly marketStream?: MarketStreamProtocol | undefined;
}
