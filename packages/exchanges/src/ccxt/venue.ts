import { createHash } from 'node:crypto';
import { CANDLE_MS, type Decimal, type TradingType } from '@trading-automation/contracts';
import type { BudgetedCall, CallBudget, CallPurpose } from '../call-budget.js';
import {
  type BestPrices,
  type BookHandler,
  type BookSides,
  type Candle,
  type CandleRange,
  type ConnectOptions,
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeVenue,
  type Market,
  type PriceHandler,
  type Ticker,
  type VenueStream,
} from '../port.js';
import { AccountClient, type VenueCalls } from './account-client.js';
import type { Adapter, VenueSession } from './adapter.js';
import { adapterOf } from './adapters.js';
import { LocalBudget } from './budget.js';
import {
  type Call,
  type CallAccount,
  type CallRequest,
  currentCall,
  type Deadline,
  noDeadline,
  runCall,
} from './call.js';
import type { CcxtClient } from './ccxt-client.js';
import { isCertified, type VenueConfig } from './config.js';
import { chooseEgress } from './egress.js';
import { failure, toExchangeError } from './failures.js';
import { readCandles, readCloseAt, readMarkets, readPrices, readTicker } from './markets.js';
import { AccountStreams } from './streams/account-streams.js';
import { BookStream } from './streams/book-stream.js';
import { marketIdOf } from './streams/market-stream.js';
import { PriceStream } from './streams/price-stream.js';
import { Sockets } from './streams/sockets.js';
import { Transport } from './transport.js';

export interface VenueOptions {
  /**
   * The call budget shared with other processes. Default: a budget of this process alone, with the
   * exchange's rate limits.
   */
  readonly budget?: CallBudget | undefined;
  /** Milliseconds without a message after which a stream is lost. At most 30,000; tests use less. */
  readonly idleTimeoutMs?: number | undefined;
}

const IDLE_TIMEOUT_DEFAULT_MS = 25_000;
/** How much longer than the time limit a background read may wait for the budget. */
const BACKGROUND_WAIT_MS = 15_000;

/**
 * Creates a venue of the deployment. Sends nothing yet.
 * @throws if no adapter has the configured id
 */
export function createVenue(config: VenueConfig, options: VenueOptions = {}): ExchangeVenue {
  const adapter = adapterOf(config.adapter);
  if (adapter === undefined) throw new Error(`Exchange adapter "${config.adapter}" does not exist.`);
  return new CcxtVenue(config, adapter, options);
}

/**
 * The venue owns the markets, the clock offset, the call budget, the connections and the ccxt clients. An account adds
 * only its credentials.
 */
/** The least depth that the exchanges accept; its request is the cheapest. */
const BEST_PRICES_DEPTH = 5;
const MINUTE_MS = 60_000;
/** An hour of candles of one minute; exchanges omit minutes without trades. */
const CANDLES_READ = 60;

class CcxtVenue implements ExchangeVenue, VenueCalls {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  readonly isCertified: boolean;
  readonly sockets: Sockets;
  readonly startTimeoutMs: number;
  readonly accountStreams: AccountStreams | undefined;
  readonly publicEgress: string | undefined;
  readonly #transport: Transport;
  readonly #budget: CallBudget;
  readonly #sessions = new Map<TradingType, VenueSession>();
  readonly #defaultSession: VenueSession;
  #loading: Promise<void> | undefined;
  #isClockKnown = false;

  constructor(
    private readonly config: VenueConfig,
    readonly adapter: Adapter,
    { budget, idleTimeoutMs = IDLE_TIMEOUT_DEFAULT_MS }: VenueOptions,
  ) {
    this.id = config.id;
    this.name = config.name;
    this.tradingTypes = config.tradingTypes;
    this.isCertified = isCertified(config);
    this.#budget = budget ?? new LocalBudget({ ...adapter.rateLimits, ...config.limits });
    this.publicEgress = config.egress?.[0];
    this.#transport = new Transport({
      origin: config.url,
      publicEgress: this.publicEgress,
      timeoutMs: config.timeoutMs,
      isAccountLimit: adapter.rateLimits.isAccountLimit,
      onPause: (forMs, egress) => this.#budget.pause(this.id, forMs, egress),
    });
    this.sockets = new Sockets({
      origin: config.url,
      timeoutMs: config.timeoutMs,
      idleTimeoutMs: idleTimeoutMs,
    });
    // A stream loads the markets, waits for the call budget and connects. Each step has its own time limit.
    this.startTimeoutMs = 3 * config.timeoutMs;
    const protocol = adapter.accountStream;
    this.accountStreams = protocol && new AccountStreams(this, protocol);
    this.#defaultSession = this.sessionFor(this.tradingTypes[0] ?? 'spot');
  }

  clientOrderIdFor(tradeId: string): string {
    const { prefix, length } = this.adapter.clientOrderId;
    return (prefix + createHash('sha256').update(tradeId).digest('hex')).slice(0, length);
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    await this.#load();
    return readMarkets(this.#defaultSession.ccxt.markets ?? {}, this.tradingTypes, this.adapter);
  }

  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>> {
    return this.read(async (ccxt) => {
      const listed = symbols.filter((symbol) => ccxt.markets?.[symbol] !== undefined);
      if (listed.length === 0) return {};
      if (ccxt.has.fetchLastPrices === true) return readPrices(await ccxt.fetchLastPrices(listed), listed);
      return readPrices(await ccxt.fetchTickers(listed), listed);
    });
  }

  async fetchBestPrices(symbol: string): Promise<BestPrices> {
    const protocol = this.adapter.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    const readBest = async (ccxt: CcxtClient) => {
      const { bids, asks } = await protocol.fetchBook(ccxt, marketIdOf(ccxt, symbol), BEST_PRICES_DEPTH);
      return { bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null };
    };
    // Users and copies wait for these prices.
    return this.read(readBest, 'user');
  }

  fetchPriceAt(symbol: string, at: Date): Promise<Decimal | null> {
    const minute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
    return this.read(async (ccxt) => {
      if (ccxt.markets?.[symbol] === undefined) return null;
      const since = minute - (CANDLES_READ - 1) * MINUTE_MS;
      const until = { until: minute + MINUTE_MS - 1 };
      return readCloseAt(await ccxt.fetchOHLCV(symbol, '1m', since, CANDLES_READ, until), minute);
    });
  }

  async fetchBook(symbol: string, depth: number, userId?: string): Promise<BookSides> {
    const protocol = this.adapter.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    return this.#readForUser(userId, symbol, async (ccxt) => {
      const { bids, asks } = await protocol.fetchBook(ccxt, marketIdOf(ccxt, symbol), depth);
      return { bids: bids.slice(0, depth), asks: asks.slice(0, depth) };
    });
  }

  fetchTicker(symbol: string, userId?: string): Promise<Ticker> {
    return this.#readForUser(userId, symbol, async (ccxt) => readTicker(await ccxt.fetchTicker(symbol)));
  }

  fetchCandles(
    symbol: string,
    { interval, from, to }: CandleRange,
    userId?: string,
  ): Promise<readonly Candle[]> {
    const size = this.adapter.candlesPerResponse;
    const pageMs = size * CANDLE_MS[interval];
    return this.#readForUser(userId, symbol, async (ccxt) => {
      const candles: Candle[] = [];
      for (let since = from.getTime(); since < to.getTime(); since += pageMs) {
        const range = { from: since, to: Math.min(to.getTime(), since + pageMs) };
        const page = await ccxt.fetchOHLCV(symbol, interval, since, size, { until: range.to - 1 });
        candles.push(...readCandles(page, range));
      }
      return candles;
    });
  }

  watchBook(symbol: string, handler: BookHandler): VenueStream {
    return new BookStream(this, symbol, handler);
  }

  watchPrices(symbols: readonly string[], handler: PriceHandler): VenueStream {
    return new PriceStream(this, symbols, handler);
  }

  connect(
    credentials: ExchangeCredentials,
    tradingType: TradingType,
    { accountKey, userId, egress: assigned }: ConnectOptions = {},
  ): ExchangeClient {
    if (!this.tradingTypes.includes(tradingType)) throw failure(['rejected', 'not_supported']);
    const hash = createHash('sha256').update(credentials.apiKey).digest('hex').slice(0, 32);
    // By the hash of the API key, so that a test of credentials uses the address that the account will have.
    const egress = chooseEgress(this.config.egress ?? [], hash, assigned);
    return new AccountClient(this, { credentials, key: accountKey ?? hash, userId, egress }, tradingType);
  }

  async close(): Promise<void> {
    await Promise.all([this.sockets.close(), this.#transport.close()]);
  }

  /** Runs one call within the time limit. Loads the markets and the clock offset first if they are not loaded yet. */
  async run<T>(
    request: CallRequest,
    tradingType: TradingType,
    work: (session: VenueSession) => Promise<T>,
  ): Promise<T> {
    return this.#withDeadline(async (limit) => {
      const session = await this.preparedSession(tradingType);
      return runCall(request, limit, () => work(session), this.#toExchangeError);
    }, waitsInBackground(request));
  }

  /** Fetches public data. */
  read<T>(work: (ccxt: CcxtClient) => Promise<T>, purpose: CallPurpose = 'check'): Promise<T> {
    return this.run({ kind: 'read', purpose }, this.tradingTypes[0] ?? 'spot', ({ ccxt }) => work(ccxt));
  }

  /** Fetches public data of a listed symbol for which a user waits. */
  #readForUser<T>(
    userId: string | undefined,
    symbol: string,
    work: (ccxt: CcxtClient) => Promise<T>,
  ): Promise<T> {
    const request = { kind: 'read', purpose: 'user', userId } as const;
    return this.run(request, this.tradingTypes[0] ?? 'spot', async ({ ccxt }) => {
      if (ccxt.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
      return work(ccxt);
    });
  }

  /** Waits for the budget of a stream's connection, which does not go through ccxt. */
  async acquireBudget({ key, userId, egress }: CallAccount, weight: number): Promise<void> {
    const call = {
      venue: this.id,
      egress,
      accountKey: key,
      userId,
      weight,
      isOrder: false,
      purpose: 'resume',
    } as const;
    await this.#withDeadline(({ signal }) => this.#acquire(call, signal), true);
  }

  /** Converts the rejection of a subscription to the error that a call with the same rejection would throw. */
  classifyRejection(ccxt: CcxtClient, status: number, rejection: unknown): ExchangeError {
    const body = JSON.stringify(rejection) ?? '';
    const call: Call = {
      kind: 'read',
      ...noDeadline(),
      isReleased: true,
      isSent: true,
      response: { status, body },
    };
    try {
      ccxt.handleErrors(status, '', ccxt.urls.api.private, 'GET', {}, body, rejection, {}, '');
    } catch (error) {
      return this.#toExchangeError(error, call);
    }
    return failure(['retryable', 'bad_answer']);
  }

  async preparedSession(tradingType: TradingType): Promise<VenueSession> {
    if (!this.#isClockKnown) await this.#load();
    const session = this.sessionFor(tradingType);
    const { ccxt } = this.#defaultSession;
    if (session.ccxt !== ccxt && session.ccxt.markets !== ccxt.markets) {
      session.ccxt.setMarketsFromExchange(ccxt);
      session.ccxt.options.timeDifference = ccxt.options.timeDifference;
    }
    return session;
  }

  /** Reloads markets and clock offset. Concurrent callers share one request. After a failure, the old data remains. */
  #load(): Promise<void> {
    const reload = async () => {
      await this.#defaultSession.ccxt.loadMarkets(true);
      this.#isClockKnown = true;
    };
    // Calls of users wait for the markets, too. They are read rarely.
    this.#loading ??= this.#withDeadline((limit) =>
      runCall({ kind: 'read', purpose: 'user' }, limit, reload, this.#toExchangeError),
    ).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /**
   * Runs work with a time limit. The timer is cleared when the work ends; otherwise timers would pile up at a high
   * call rate.
   *
   * @param isBackground whether the work may wait longer for the budget; the time limit begins after that
   */
  async #withDeadline<T>(work: (limit: Deadline) => Promise<T>, isBackground = false): Promise<T> {
    const { timeoutMs } = this.config;
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startTimer = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => deadline.abort(), ms);
      return performance.now() + ms;
    };
    const endsAtMs = startTimer(timeoutMs + (isBackground ? BACKGROUND_WAIT_MS : 0));
    const restart = isBackground ? () => startTimer(timeoutMs) : undefined;
    try {
      return await work({ signal: deadline.signal, endsAtMs, restart });
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #toExchangeError = (error: unknown, call: Call): ExchangeError => {
    const classified = toExchangeError(error, call, this.adapter.rejectionPatterns);
    // `refused` and `retryable` together mean that the clock offset is wrong; the next call reloads it.
    if (classified.outcome === 'retryable' && classified.code === 'refused') this.#isClockKnown = false;
    return classified;
  };

  private sessionFor(tradingType: TradingType): VenueSession {
    const existing = this.#sessions.get(tradingType);
    if (existing !== undefined) return existing;
    const session = this.adapter.open({
      transport: this.#transport,
      options: {
        ...this.adapter.marketOptions(this.tradingTypes),
        ...this.adapter.tradingTypes[tradingType]?.options,
      },
      clientOptions: this.adapter.clientOptions,
      acquireBudget: (cost) => this.#acquireCallBudget(cost),
    });
    this.#sessions.set(tradingType, session);
    return session;
  }

  async #acquireCallBudget(cost: number): Promise<void> {
    const call = currentCall();
    const { account, isOrder = false, isExit, purpose, signal } = call;
    const { key: accountKey, userId = call.userId, egress = this.publicEgress } = account ?? {};
    const weight = Math.ceil(cost * this.adapter.rateLimits.weightPerCost);
    const budgeted = { venue: this.id, egress, accountKey, userId, weight, isOrder, isExit, purpose };
    await this.#acquire(budgeted, signal);
    if (call.restart !== undefined) call.endsAtMs = call.restart();
  }

  /**
   * Waits until the call budget admits a call. If the budget itself fails, nothing was sent either, so the error is the
   * same as for an exhausted budget.
   */
  async #acquire(call: BudgetedCall, signal: AbortSignal): Promise<void> {
    try {
      await this.#budget.take(call, signal);
    } catch (error) {
      throw error instanceof ExchangeError ? error : failure(['retryable', 'rate_limited']);
    }
  }
}

/** Whether the time in the queue of the budget does not count towards the time limit of a call. */
function waitsInBackground({ kind, purpose = 'check' }: CallRequest): boolean {
  return kind === 'read' && (purpose === 'check' || purpose === 'rotation');
}
