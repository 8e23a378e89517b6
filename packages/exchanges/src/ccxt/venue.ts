import { createHash } from 'node:crypto';
import type { Decimal, TradingType } from '@trading-automation/contracts';
import {
  type BookHandler,
  type CallBudget,
  type ConnectOptions,
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeVenue,
  type Market,
  type PriceHandler,
  type VenueStream,
} from '../port.js';
import { AccountClient, type VenueCalls } from './account-client.js';
import type { Adapter, VenueSession } from './adapter.js';
import { adapterOf } from './adapters.js';
import { LocalBudget } from './budget.js';
import { type Call, type CallRequest, currentCall, type Deadline, noDeadline, runCall } from './call.js';
import type { CcxtClient } from './ccxt-client.js';
import { isCertified, type VenueConfig } from './config.js';
import { failure, toExchangeError } from './failures.js';
import { readMarkets, readPrices } from './markets.js';
import { AccountStreams } from './streams/account-streams.js';
import { BookStream } from './streams/book-stream.js';
import { PriceStream } from './streams/price-stream.js';
import { Sockets } from './streams/sockets.js';
import { Transport } from './transport.js';

export interface VenueOptions {
  /** Shared with whoever else speaks to the exchange; by default this process keeps to the tariff by itself. */
  readonly budget?: CallBudget | undefined;
  /** A stream on which nothing was heard for this long is lost; at most 30 s, less for tests. */
  readonly idleTimeoutMs?: number | undefined;
}

const SILENCE_MAX_MS = 25_000;

/** An exchange of the deployment, ready to be spoken to; nothing is sent yet. */
export function createVenue(config: VenueConfig, options: VenueOptions = {}): ExchangeVenue {
  const adapter = adapterOf(config.adapter);
  if (adapter === undefined) throw new Error(`no adapter ${config.adapter}`);
  return new CcxtVenue(config, adapter, options);
}

/**
 * Markets, the clock's difference, the rate limit, the connections and the library itself belong to the exchange, not
 * to an account: an account is its credentials alone.
 */
class CcxtVenue implements ExchangeVenue, VenueCalls {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  readonly isCertified: boolean;
  readonly sockets: Sockets;
  readonly startTimeoutMs: number;
  readonly accountStreams: AccountStreams | undefined;
  readonly #transport: Transport;
  readonly #budget: CallBudget;
  readonly #opened = new Map<TradingType, VenueSession>();
  readonly #first: VenueSession;
  #loading: Promise<void> | undefined;
  #isClockKnown = false;

  constructor(
    private readonly config: VenueConfig,
    readonly adapter: Adapter,
    { budget, idleTimeoutMs = SILENCE_MAX_MS }: VenueOptions,
  ) {
    this.id = config.id;
    this.name = config.name;
    this.tradingTypes = config.tradingTypes;
    this.isCertified = isCertified(config);
    this.#budget = budget ?? new LocalBudget({ ...adapter.rateLimits, ...config.limits });
    this.#transport = new Transport({
      origin: config.url,
      timeoutMs: config.timeoutMs,
      isAccountLimit: adapter.rateLimits.isAccountLimit,
      onPause: (forMs) => this.#budget.pause(this.id, forMs),
    });
    this.sockets = new Sockets({
      origin: config.url,
      timeoutMs: config.timeoutMs,
      idleTimeoutMs: idleTimeoutMs,
    });
    // Markets, a turn and the connection, each within its own limit.
    this.startTimeoutMs = 3 * config.timeoutMs;
    const dialect = adapter.accountStream;
    this.accountStreams = dialect && new AccountStreams(this, dialect);
    this.#first = this.sessionFor(this.tradingTypes[0] ?? 'spot');
  }

  clientOrderIdFor(tradeId: string): string {
    const { prefix, length } = this.adapter.clientOrderId;
    return (prefix + createHash('sha256').update(tradeId).digest('hex')).slice(0, length);
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    await this.#load();
    return readMarkets(this.#first.library.markets ?? {}, this.tradingTypes, this.adapter);
  }

  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>> {
    return this.read(async (library) => {
      const known = symbols.filter((symbol) => library.markets?.[symbol] !== undefined);
      if (known.length === 0) return {};
      if (library.has.fetchLastPrices === true)
        return readPrices(await library.fetchLastPrices(known), known);
      return readPrices(await library.fetchTickers(known), known);
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
    { accountKey }: ConnectOptions = {},
  ): ExchangeClient {
    if (!this.tradingTypes.includes(tradingType)) throw failure(['rejected', 'not_supported']);
    const key = accountKey ?? createHash('sha256').update(credentials.apiKey).digest('hex').slice(0, 32);
    return new AccountClient(this, { credentials, key }, tradingType);
  }

  async close(): Promise<void> {
    await Promise.all([this.sockets.close(), this.#transport.close()]);
  }

  /** Runs one call, with markets and clock in place, within the time limit. */
  async run<T>(
    request: CallRequest,
    tradingType: TradingType,
    work: (opened: VenueSession) => Promise<T>,
  ): Promise<T> {
    return this.#withDeadline(async (limit) => {
      const opened = await this.preparedSession(tradingType);
      return runCall(request, limit, () => work(opened), this.#toExchangeError);
    });
  }

  /** Asks for public data. */
  read<T>(work: (library: CcxtClient) => Promise<T>): Promise<T> {
    return this.run({ kind: 'read' }, this.tradingTypes[0] ?? 'spot', ({ library }) => work(library));
  }

  /** Waits for a turn that no call of the library takes. */
  async acquireBudget(accountKey: string, weight: number): Promise<void> {
    await this.#withDeadline(({ signal }) =>
      this.#acquire({ venue: this.id, accountKey, weight, isOrder: false }, signal),
    );
  }

  /** What a refusal on a stream means, told as one of a call would be. */
  explainRefusal(library: CcxtClient, status: number, refused: unknown): ExchangeError {
    const body = JSON.stringify(refused) ?? '';
    const call: Call = {
      kind: 'read',
      ...noDeadline(),
      isDispatched: true,
      isSent: true,
      response: { status, body },
    };
    try {
      library.handleErrors(status, '', library.urls.api.private, 'GET', {}, body, refused, {}, '');
    } catch (error) {
      return this.#toExchangeError(error, call);
    }
    return failure(['retryable', 'bad_answer']);
  }

  async preparedSession(tradingType: TradingType): Promise<VenueSession> {
    if (!this.#isClockKnown) await this.#load();
    const opened = this.sessionFor(tradingType);
    const { library } = this.#first;
    if (opened.library !== library && opened.library.markets !== library.markets) {
      opened.library.setMarketsFromExchange(library);
      opened.library.options.timeDifference = library.options.timeDifference;
    }
    return opened;
  }

  /** Reads markets and clock anew; who asks meanwhile waits for the same answer. A failure keeps what was known. */
  #load(): Promise<void> {
    const reload = async () => {
      await this.#first.library.loadMarkets(true);
      this.#isClockKnown = true;
    };
    this.#loading ??= this.#withDeadline((limit) =>
      runCall({ kind: 'read' }, limit, reload, this.#toExchangeError),
    ).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** A timer that ends with the work: those of thousands of calls a second would stay until their time is up. */
  async #withDeadline<T>(work: (limit: Deadline) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.config;
    const over = new AbortController();
    const endsAtMs = performance.now() + timeoutMs;
    const timer = setTimeout(() => over.abort(), timeoutMs);
    try {
      return await work({ signal: over.signal, endsAtMs });
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #toExchangeError = (error: unknown, call: Call): ExchangeError => {
    const explained = toExchangeError(error, call, this.adapter.refusals);
    // Only a clock that is off makes an exchange refuse what may work later.
    if (explained.outcome === 'retryable' && explained.code === 'refused') this.#isClockKnown = false;
    return explained;
  };

  private sessionFor(tradingType: TradingType): VenueSession {
    const known = this.#opened.get(tradingType);
    if (known !== undefined) return known;
    const opened = this.adapter.open({
      transport: this.#transport,
      options: {
        ...this.adapter.marketOptions(this.tradingTypes),
        ...this.adapter.tradingTypes[tradingType]?.options,
      },
      fixedOptions: this.adapter.fixedOptions,
      acquireBudget: (cost) => this.#acquireCallBudget(cost),
    });
    this.#opened.set(tradingType, opened);
    return opened;
  }

  #acquireCallBudget(cost: number): Promise<void> {
    const { account, isOrder = false, isExit, signal } = currentCall();
    const weight = Math.ceil(cost * this.adapter.rateLimits.weightPerCost);
    return this.#acquire({ venue: this.id, accountKey: account?.key, weight, isOrder, isExit }, signal);
  }

  /** A budget that breaks down is as one that is used up: nothing was sent. */
  async #acquire(call: Parameters<CallBudget['take']>[0], signal: AbortSignal): Promise<void> {
    try {
      await this.#budget.take(call, signal);
    } catch (error) {
      throw error instanceof ExchangeError ? error : failure(['retryable', 'rate_limited']);
    }
  }
}
