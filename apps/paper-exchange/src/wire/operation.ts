import type { Exchange } from '../engine/exchange.js';
import type { Account } from '../engine/order.js';
import type { FeeRates } from '../engine/settlement.js';
import type { MarketHistories } from '../market-data/history.js';
import type { Weather } from '../weather/weather.js';
import type { OrderCounts, RateLimits } from './limits.js';
import { type Access, assertParams } from './params.js';

/** What the operations of the venue read and change. */
export interface VenueContext {
  readonly exchange: Exchange;
  readonly histories: MarketHistories;
  readonly weather: Weather;
  readonly limits: RateLimits;
  readonly fees: FeeRates;
  readonly now: () => number;
}

export interface Call {
  readonly params: URLSearchParams;
  /** The caller. Defined exactly if the access is not PUBLIC. */
  readonly account: Account | undefined;
  /** For the response headers. Set by an operation that places orders. */
  orderCounts?: OrderCounts;
}

/** The result of an operation whose response is never sent: the caller waits until its own time limit. */
export const NO_RESPONSE = Symbol('no response');

/** One operation of the venue, on REST and (if it has a `socketMethod`) in the WebSocket API. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly socketMethod?: string;
  readonly access: Access;
  readonly params: ReadonlySet<string>;
  readonly handle: (call: Call) => unknown;
}

export type SignedCall = Call & { readonly account: Account };

interface Names {
  readonly params?: readonly string[];
  readonly socketMethod?: string;
}

/** Declares an operation that anyone may call. */
export function publicOperation(
  route: `GET ${string}`,
  { params = [], socketMethod }: Names,
  handle: (params: URLSearchParams) => unknown,
): Operation {
  return declare(route, 'PUBLIC', params, socketMethod, (call) => handle(call.params));
}

/** Declares an operation that needs an API key, and a signature unless `access` is KEY. */
export function accountOperation(
  route: `${Operation['method']} ${string}`,
  { params = [], socketMethod, access = 'SIGNED' }: Names & { readonly access?: 'KEY' | 'SIGNED' },
  handle: (call: SignedCall) => unknown,
): Operation {
  return declare(route, access, params, socketMethod, (call) => {
    if (call.account === undefined) throw new Error(`${route} was called without an account.`);
    return handle(call as SignedCall);
  });
}

function declare(
  route: string,
  access: Access,
  params: readonly string[],
  socketMethod: string | undefined,
  handle: Operation['handle'],
): Operation {
  const [method, path] = route.split(' ') as [Operation['method'], string];
  const names = new Set(params);
  return {
    method,
    path,
    access,
    params: names,
    ...(socketMethod === undefined ? {} : { socketMethod }),
    handle: (call) => {
      assertParams(call.params, names, access);
      return handle(call);
    },
  };
}
