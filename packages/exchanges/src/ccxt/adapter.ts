/**
 * What differs from exchange to exchange. An exchange is offered once it has an adapter and passes the conformance
 * suite; ccxt alone is not taken as a proof that an order can be found again by its client order id.
 */
import type { Decimal, TimeInForce, TradeType, TradingType } from '@trading-automation/contracts';
import type { Balances, BookLevel, CredentialsReport, VenueFill, VenueOrder } from '../port.js';
import type { CcxtClient, CcxtClientOptions } from './ccxt-client.js';
import type { Refusals } from './failures.js';

/** How one trading type is asked for. */
interface TradingMode {
  /** ccxt's options of a client that trades this. */
  readonly options: Readonly<Record<string, unknown>>;
  /** ccxt's kind of market. */
  readonly market: 'spot' | 'margin' | 'swap';
  /** Added to each call about orders. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A client, and what the adapter asks of it beyond ccxt's unified calls. */
export interface VenueSession {
  readonly library: CcxtClient;
  inspectCredentials(): Promise<CredentialsReport>;
}

/** What an exchange allows, by its own tariff. */
interface RateLimitSchedule {
  /** What one of ccxt's units of cost is in the exchange's weight. */
  readonly weightPerCost: number;
  /** Of one address. */
  readonly weightPerMinute: number;
  /** Of one account. */
  readonly ordersPer10s: number;
  /** Whether a refusal for too many requests means one account alone, by its body. */
  isAccountLimit(body: string): boolean;
}

/** The rules of a market that ccxt leaves in the exchange's own words. */
export interface NativeMarketRules {
  readonly marketAmountStep?: Decimal | undefined;
  readonly orderTypes: readonly TradeType[];
  readonly timeInForces: readonly TimeInForce[];
}

/** What a message on an account's stream means. */
export type AccountEvent =
  | { readonly kind: 'order'; readonly order: VenueOrder; readonly fills: readonly VenueFill[] }
  | { readonly kind: 'balances'; readonly balances: Balances }
  /** The exchange ends the stream. */
  | { readonly kind: 'ended' };

/** Several accounts' streams on one connection. */
export interface AccountStreamProtocol {
  /** ccxt's address. */
  url(library: CcxtClient): string;
  /** The most accounts of one connection. */
  readonly accountsPerConnection: number;
  /** By the tariff, for opening one stream. */
  readonly weight: number;
  /** Asks for the stream of the account that is spoken for. */
  subscribe(library: CcxtClient, requestId: string): object;
  unsubscribe(streamId: string, requestId: string): object;
  /** Which request or stream a message is for; nothing where it is for neither. */
  routeMessage(message: unknown): StreamMessage | undefined;
  /** @throws {MalformedResponse} where it can't be read */
  read(library: CcxtClient, event: unknown): AccountEvent | undefined;
}

export type StreamMessage =
  | { readonly to: 'request'; readonly id: string; readonly streamId: string }
  | { readonly to: 'request'; readonly id: string; readonly refused: unknown; readonly status: number }
  | { readonly to: 'stream'; readonly id: string; readonly event: unknown };

/** A change of a book, with the exchange's numbers of the first and the last change that it sums up. */
export interface BookDiff {
  readonly first: number;
  readonly last: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly at: Date;
}

export interface BookSnapshot extends Pick<BookDiff, 'last' | 'bids' | 'asks'> {}

/** Public data. One connection follows one list of streams. */
export interface MarketStreamProtocol {
  /** ccxt's address. */
  url(library: CcxtClient): string;
  /** The most streams of one connection. */
  readonly streamsPerConnection: number;
  subscribe(streams: readonly string[]): object;
  /** Whether the subscription is taken, refused, or the message is about something else. */
  acknowledges(message: unknown): boolean | undefined;
  bookStream(marketId: string): string;
  priceStream(marketId: string): string;
  /** @throws {MalformedResponse} where it can't be read */
  readBook(message: unknown): BookDiff | undefined;
  /** @throws {MalformedResponse} where it can't be read */
  readPrice(
    message: unknown,
  ): { readonly marketId: string; readonly price: Decimal; readonly at: Date } | undefined;
  fetchBook(library: CcxtClient, marketId: string): Promise<BookSnapshot>;
}

export interface Adapter {
  readonly tradingTypes: Readonly<Partial<Record<TradingType, TradingMode>>>;
  /** The prefix and hexadecimal digits both fit the exchange's alphabet. */
  readonly clientOrderId: { readonly prefix: string; readonly length: number };
  readonly rateLimits: RateLimitSchedule;
  /** ccxt's options that load the markets of these trading types. */
  marketOptions(types: readonly TradingType[]): Readonly<Record<string, unknown>>;
  readonly fixedOptions: Readonly<Record<string, unknown>>;
  readonly refusals: Refusals;
  readonly fills: {
    /** The most fills of one answer. */
    readonly pageSize: number;
    /** How to ask for one and those after it: of an account that trades with itself two have the same id. */
    from(fillId: string): Readonly<Record<string, unknown>>;
    /** How to ask for a span of time, and the longest that can be asked for. */
    between(from: Date, to: Date): Readonly<Record<string, unknown>>;
    readonly spanMs: number;
  };
  /** Whether this is an answer about balances at all: ccxt reads anything else as an empty account. */
  isBalanceResponse(info: unknown): boolean;
  nativeRules(info: unknown): NativeMarketRules;
  open(options: CcxtClientOptions): VenueSession;
  /** Where the exchange pushes; without it accounts have to be looked at. */
  readonly accountStream?: AccountStreamProtocol | undefined;
  readonly marketStream?: MarketStreamProtocol | undefined;
}
