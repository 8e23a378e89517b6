import type { Account } from '../../engine/order.js';
import type { State } from '../../engine/state.js';
import { VENUE_ERRORS } from '../../errors.js';
import type { Weather } from '../../weather/weather.js';
import { assertSessionTime, authenticateKey, authenticateParams } from '../auth.js';
import type { Operation } from '../operation.js';

/** The parameters of a request over the WebSocket API. */
export type RequestParams = Readonly<Record<string, string | number | boolean | string[]>>;

/** What a connection knows about its caller. */
export interface SocketSession {
  readonly openedAt: number;
  /** The account that logged on, and when. Its requests need no key and no signature. */
  session?: { readonly account: Account; readonly since: number };
}

/** Authenticates the requests of the WebSocket API: by key, by signature, or by the session of their connection. */
export class SocketSessions {
  constructor(
    private readonly state: State,
    private readonly weather: Weather,
    /** The time of the engine, in Unix milliseconds. */
    readonly now: () => number,
  ) {}

  open(): SocketSession {
    return { openedAt: this.now() };
  }

  /** @throws VenueError if the signature or its time is invalid */
  authenticate(params: RequestParams): Account {
    return authenticateParams(this.state, params, this.weather.venueTime());
  }

  /** @throws VenueError if the operation needs an account, and the request does not prove one */
  callerOf({ access }: Operation, { session }: SocketSession, params: RequestParams): Account | undefined {
    if (access === 'PUBLIC') return undefined;
    if (access === 'KEY') {
      const { apiKey } = params;
      return apiKey === undefined && session !== undefined
        ? session.account
        : authenticateKey(this.state, apiKey === undefined ? undefined : String(apiKey));
    }
    const isSession = session !== undefined && params.signature === undefined && params.apiKey === undefined;
    if (!isSession) return this.authenticate(params);
    assertSessionTime(params, this.weather.venueTime());
    return session.account;
  }

  /** @throws VenueError -4056 for an account whose key is not an Ed25519 key, as at the venue */
  logon(connection: SocketSession, params: RequestParams): void {
    const account = this.authenticate(params);
    if (account.publicKey === undefined) throw VENUE_ERRORS.hmacSession();
    connection.session = { account, since: this.now() };
  }

  view({ session, openedAt }: SocketSession): object {
    return {
      apiKey: session?.account.apiKey ?? null,
      authorizedSince: session?.since ?? null,
      connectedSince: openedAt,
      serverTime: this.weather.venueTime(),
    };
  }
}
