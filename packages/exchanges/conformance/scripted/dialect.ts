/**
 * A dialect speaks the wire format of one venue for the scripted exchange. It is written from recordings and from the
 * venue's public documentation. It imports neither ccxt nor the declaration of the venue, so that an error in the one is
 * not repeated in the other.
 */
import type { TradingType } from '@trading-automation/contracts';
import type { z } from 'zod';
import type { Account, ExchangeEvent, RefusalKind } from './model.js';
import type { ExchangeSettings, ScriptedExchange } from './scripted-exchange.js';

/** A request as the exchange receives it. */
export interface VenueRequest {
  readonly method: string;
  readonly path: string;
  /** The query as sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent. */
  readonly body: string;
}

export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a part of a dialect follows. */
export type Source =
  /** Names of recordings; their answers define the fields and types. */
  | {
      readonly recordings: readonly string[];
      readonly documented?: readonly string[] | undefined;
      /** The objects of an answer whose keys are ids. */
      readonly maps?: readonly string[] | undefined;
      /** The field of the recordings that is compared, if what was recorded is wrapped in a message. */
      readonly part?: string | undefined;
      readonly page?: string;
    }
  /** The address of the page of the venue's documentation. */
  | { readonly page: string };

/** What a user gets from a route or channel; the generated table has a row for each. */
export type Capability =
  | 'markets'
  | 'prices'
  | 'order book'
  | 'candles'
  | 'credentials'
  | 'balances'
  | 'place'
  | 'find'
  | 'cancel'
  | 'open orders'
  | 'fills'
  | 'positions'
  | 'leverage'
  | 'funding'
  | 'loans'
  | 'stream login'
  | 'stream of orders'
  | 'stream of fills'
  | 'stream of balances'
  | 'stream of positions'
  | 'stream of books'
  | 'stream of prices'
  | 'clock';

export interface RouteContext<P> {
  readonly exchange: ScriptedExchange;
  readonly params: P;
  /** The account that signed the request. Throws if the route is public. */
  readonly account: Account;
  /** The parts of the path that `:name` stands for. */
  readonly path: Readonly<Record<string, string>>;
}

/** One call of the venue's REST API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path with `:name` for variable parts. */
  readonly path: string;
  readonly capability: Capability;
  readonly tradingTypes: readonly TradingType[];
  readonly isSigned: boolean;
  readonly source: Source;
  /** The parameters, written from the page; others are refused. */
  readonly params: z.ZodType;
  /** @throws {Refusal} if the exchange refuses the request */
  answer(context: RouteContext<never>): unknown;
}

/** Declares a route with the type of its parameters. */
export function route<P extends z.ZodType>(
  declared: Omit<Route, 'params' | 'answer'> & {
    readonly params: P;
    answer(context: RouteContext<z.output<P>>): unknown;
  },
): Route {
  return declared as unknown as Route;
}

/** A WebSocket connection of a client. */
export interface StreamConnection {
  readonly path: string;
  readonly query: string;
  /** The headers of the request that opened the connection. */
  readonly headers: VenueRequest['headers'];
  readonly exchange: ScriptedExchange;
  /** Sends a message; `source` names what it follows. */
  send(message: unknown, source: Source): void;
  /** Sends a string without checking it: a pong, for example. */
  sendText(text: string): void;
  close(): void;
}

/** What a dialect does with one connection. */
export interface StreamSession {
  onMessage(text: string): void;
  onEvent(event: ExchangeEvent): void;
}

export interface Dialect {
  /** The name of the venue folder. */
  readonly venue: string;
  readonly traits: {
    /** Whether the response to a new order contains its state, or only that the exchange accepted it. */
    readonly placement: 'STATE' | 'ACKNOWLEDGEMENT';
    /** Whether the exchange reports what a key may do. */
    readonly reportsPermissions: boolean;
    /** Whether look-ups report the time in force of limit orders. Default: true. */
    readonly reportsTimeInForce?: boolean;
    /** Whether the account stream has balances, or they are read by calls. Default: true. */
    readonly streamsBalances?: boolean;
    /** Whether accounts can keep long and short positions of a market apart. Default: true. */
    readonly hasHedgeMode?: boolean;
    /** Whether a position with cross margin has a leverage of its own, or the highest of its market. Default: true. */
    readonly hasCrossLeverage?: boolean;
    /** Whether interest becomes a part of the loan when it is charged. Default: it is reported separately. */
    readonly interestIsPartOfLoan?: boolean;
  };
  /** The traits in which a trading type differs from the others. */
  traitsFor?(tradingType: TradingType): Partial<Dialect['traits']>;
  /** The settings of the exchange for a trading type. */
  settingsFor(tradingType: TradingType): ExchangeSettings;
  readonly routes: readonly Route[];
  /** The channels of the venue's streams, for the generated table. */
  readonly channels: readonly {
    readonly name: string;
    readonly capability: Capability;
    readonly tradingTypes: readonly TradingType[];
    readonly source: Source;
  }[];
  /** Reads the parameters of a request: of the query, or of the body. */
  readParams(request: VenueRequest): unknown;
  /**
   * Returns the account that signed a request. Recomputes the signature with `node:crypto`.
   * @throws {Refusal} if the signature, the key or the time is wrong
   */
  authenticate(request: VenueRequest, exchange: ScriptedExchange): Account;
  /** Wraps the answer of a route as the venue does. */
  wrap(answer: unknown, request: VenueRequest): unknown;
  /** Renders a refusal. Undefined: the venue documents no error for it. */
  refuse(
    kind: RefusalKind,
    request: Pick<VenueRequest, 'path'> &
      Partial<Pick<VenueRequest, 'method'>> & { readonly tradingType: TradingType },
  ): VenueAnswer | undefined;
  /** The pages that document the refusals. */
  readonly refusalPages: readonly string[];
  /** Whether the messages of the stream at this path are compressed with gzip. Default: none are. */
  compressesStream?(path: string): boolean;
  /** Returns the session of a new connection; undefined if the venue has no stream at this path. */
  openStream(connection: StreamConnection): StreamSession | undefined;
}
