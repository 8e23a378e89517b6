/** The calls from the APIs to the trading worker, with their inputs and replies. */
import {
  type CandleInterval,
  type Decimal,
  DomainError,
  ERRORS,
  type ErrorCode,
  type ExchangeCredentials,
  type MarginMode,
  type TradingType,
} from '@trading-automation/contracts';
import type { BookLevel, CredentialsReport, LeverageSettings, Ticker } from '@trading-automation/exchanges';
import {
  type CallHandler,
  type CallOwner,
  CallRefused,
  type CallTimes,
  callProcess,
  type SlotLimits,
  serveCalls,
} from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

interface PairInput {
  readonly exchange: string;
  readonly symbol: string;
}

interface Dated {
  /** Time at which the response of the exchange arrived, ISO 8601. */
  readonly as_of: string;
}

/** Opening time in Unix milliseconds, open, high, low, close, volume. */
type CandleRow = readonly [number, Decimal, Decimal, Decimal, Decimal, Decimal];

export interface WorkerCalls {
  /** Tests credentials at their exchange. `sealed` contains them, and can only be opened with the same `context`. */
  'exchange_account.test': {
    input: { exchange: string; trading_type: TradingType; sealed: string; context: string };
    reply: CredentialsReport;
  };
  /** Reads an account's balances; replies when they are stored. */
  'exchange_account.sync': { input: { account_id: string }; reply: null };
  /** Sets the leverage, and the margin mode if it is given, of an account for a market; replies when it is stored. */
  'position.set_leverage': {
    input: { account_id: string; symbol: string; leverage: Decimal; margin_mode?: MarginMode | undefined };
    reply: LeverageSettings;
  };
  /**
   * Reads the middle between the best prices of each pair's order book; null where a side has no orders or the exchange
   * does not respond.
   */
  'trade_pair.book_mids': {
    input: { exchange: string; symbols: readonly string[] };
    reply: Readonly<Record<string, Decimal | null>>;
  };
  /** Fetches the ticker of a pair. */
  'trade_pair.ticker': { input: PairInput; reply: Ticker & Dated };
  /** Fetches candles of a pair. `from` and `to` are in Unix milliseconds. */
  'trade_pair.candles': {
    input: PairInput & { interval: CandleInterval; from: number; to: number };
    reply: { candles: readonly CandleRow[] } & Dated;
  };
  /** Fetches the order book of a pair. */
  'trade_pair.order_book': {
    input: PairInput & { depth: number };
    reply: { bids: readonly BookLevel[]; asks: readonly BookLevel[] } & Dated;
  };
  /** Cancels the open part of a trade; replies when its state is stored. */
  'trade.cancel': { input: { trade_id: string }; reply: null };
}

export type WorkerCallName = keyof WorkerCalls;

/**
 * The time limits of a call, in ms: 10 s in all with the margin for the reply. A worker that is down is therefore
 * reported after 5 s (`service_unavailable`), and an exchange that does not respond after at most 8 s
 * (`exchange_unavailable`), whatever number of requests to the exchange an operation needs.
 */
export const WORKER_CALL_TIMES: CallTimes = { startWithinMs: 5_000, operationMs: 3_000 };

/**
 * The lanes of the worker, with the concurrent calls of a worker and the open calls of a user. Cancellations and
 * emergency stops have a lane of their own, so that slow tests of credentials never delay them. One account may use all
 * slots of its user there: at a slow exchange, cancellations that wait for each other would be refused. Market data has a
 * lane, too: charts must not delay a test of credentials.
 */
const LANES = {
  cancel: { slots: { total: 64, perUser: 16, perAccount: 16 }, openCallsMax: 64 },
  default: { slots: { total: 32, perUser: 4, perAccount: 2 }, openCallsMax: 16 },
  market: { slots: { total: 32, perUser: 4, perAccount: 4 }, openCallsMax: 16 },
} as const satisfies Record<string, { slots: SlotLimits; openCallsMax: number }>;

const LANE_OF: Readonly<Record<WorkerCallName, keyof typeof LANES>> = {
  'exchange_account.test': 'default',
  'exchange_account.sync': 'default',
  'position.set_leverage': 'default',
  'trade_pair.book_mids': 'default',
  'trade_pair.ticker': 'market',
  'trade_pair.candles': 'market',
  'trade_pair.order_book': 'market',
  'trade.cancel': 'cancel',
};

/**
 * Calls the trading worker on behalf of `owner`.
 *
 * @throws {DomainError} the worker's error; `exchange_unavailable` if its operation reaches the time limit, or
 *   `rate_limited` if it waits because the user's share of the exchange's limit is used up
 * @throws {CallTimeout} if no worker starts the call in time, or the worker that started it dies
 * @throws {CallQueueFull} if the owner's open calls leave no slot
 */
export async function callWorker<Name extends WorkerCallName>(
  { database, listener }: Platform,
  name: Name,
  input: WorkerCalls[Name]['input'],
  owner: CallOwner,
  times: CallTimes = WORKER_CALL_TIMES,
): Promise<WorkerCalls[Name]['reply']> {
  const lane = LANE_OF[name];
  try {
    const bytes = Buffer.from(JSON.stringify(input));
    const reply = await callProcess({
      dataSource: database,
      listener,
      name,
      owner,
      lane,
      input: bytes,
      openCallsMax: LANES[lane].openCallsMax,
      ...times,
    });
    return JSON.parse(Buffer.from(reply).toString());
  } catch (error) {
    throw error instanceof CallRefused && Object.hasOwn(ERRORS, error.code) ? errorOf(error) : error;
  }
}

/** Serialises credentials for sealing. */
export function serializeCredentials({ api_key, api_secret, passphrase }: ExchangeCredentials): string {
  return JSON.stringify({ apiKey: api_key, apiSecret: api_secret, passphrase });
}

/** Returns the context with which the credentials of a stored account are sealed. */
export function credentialsContext(accountId: string): string {
  return `exchange_account/${accountId}`;
}

/** The share of each user in the limits of the exchanges. */
export interface UserShares {
  /** Returns how long calls of the user that wait for the user's own share have to wait; 0 if none waits for it. */
  userWaitMs(userId: string): number;
}

/**
 * The operations of a trading worker. The signal is aborted at the time limit of the call. `userId` is the user on
 * whose behalf it is made; undefined for a call of the previous release.
 */
export type WorkerCallHandlers = {
  readonly [Name in WorkerCallName]: (
    input: WorkerCalls[Name]['input'],
    signal: AbortSignal,
    userId: string | undefined,
  ) => Promise<WorkerCalls[Name]['reply']>;
};

/**
 * Serves the given calls in a trading worker. The caller gets a `DomainError` that a handler throws. When a handler reaches
 * the time limit, it gets `rate_limited` while calls of its user wait for the user's own share of an exchange's limit, and
 * otherwise `exchange_unavailable`.
 */
export function serveWorkerCalls(
  { database, listener }: Platform,
  handlers: Partial<WorkerCallHandlers>,
  onError: (error: unknown) => void,
  shares: UserShares = { userWaitMs: () => 0 },
): { stop(): Promise<void> } {
  const names = Object.keys(handlers) as WorkerCallName[];
  const lanes = [...new Set(names.map((name) => LANE_OF[name]))];
  const servers = lanes.map((lane) =>
    serveCalls({
      dataSource: database,
      listener,
      slots: LANES[lane].slots,
      onError,
      onTimeLimit: (userId) => {
        const waitMs = userId === undefined ? 0 : shares.userWaitMs(userId);
        return refusalOf(waitMs > 0 ? shareUsedUp(waitMs) : new DomainError('exchange_unavailable'));
      },
      handlers: Object.fromEntries(
        names
          .filter((name) => LANE_OF[name] === lane)
          .map((name) => [name, toCallHandler(handlers[name] as AnyHandler)]),
      ),
    }),
  );
  return {
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

type AnyHandler = (input: unknown, signal: AbortSignal, userId: string | undefined) => Promise<unknown>;

function toCallHandler(handle: AnyHandler): CallHandler {
  return async (bytes, { signal, userId }) => {
    try {
      const input = JSON.parse(Buffer.from(bytes).toString());
      return Buffer.from(JSON.stringify(await handle(input, signal, userId ?? undefined)));
    } catch (error) {
      throw error instanceof DomainError ? refusalOf(error) : error;
    }
  };
}

/** The error of a user whose own calls have used up the user's share of an exchange's limit. */
export function shareUsedUp(retryInMs: number): DomainError {
  const message =
    'Your calls have used up your share of the rate limit of the exchange. Wait the number of seconds in Retry-After, then retry.';
  return new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.ceil(retryInMs / 1_000) });
}

const refusalOf = ({ code, message, retryAfterSeconds }: DomainError) =>
  new CallRefused(code, message, Buffer.from(JSON.stringify({ retryAfterSeconds })));

/** A worker of the previous release sends no data. */
function errorOf({ code, message, data }: CallRefused): DomainError {
  const { retryAfterSeconds } = data === undefined ? {} : JSON.parse(Buffer.from(data).toString());
  return new DomainError(code as ErrorCode, message, [], { retryAfterSeconds });
}
