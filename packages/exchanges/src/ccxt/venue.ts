import { createHash } from 'node:crypto';
import { CANDLE_MS, type Decimal, type TradingType } from '@trading-automation/contracts';
import type { CallBudget } from '../call-budget.js';
import {
  type BestPrices,
  type BookHandler,
  type BookSides,
  type Candle,
  type CandleRange,
  type ConnectOptions,
  type CredentialForm,
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeVenue,
  type FundingRate,
  type Market,
  type PriceHandler,
  type Ticker,
  type VenueStream,
} from '../port.js';
import { declarationOf, stageOf } from '../venues/index.js';
import { AccountClient } from './account-client.js';
import { VenueBudgets } from './budget.js';
import type { CcxtClient } from './ccxt-client.js';
import { isOffered, isPaper, limitsByBudget, type VenueConfig } from './config.js';
import type { VenueDeclaration } from './declaration.js';
import { chooseEgress } from './egress.js';
import { failure } from './failures.js';
import { readCandles, readCloseAt, readPrices, readTicker } from './markets.js';
import { LocalNonces, type NonceSource } from './nonces.js';
import { Segment } from './segment.js';
import { BookStream } from './streams/book-stream.js';
import { CombinedPriceStream, PriceStream } from './streams/price-stream.js';

export interface VenueOptions {
  /**
   * The call budget shared with other processes. Default: a budget of this process alone, with the
   * exchange's rate limits.
   */
  readonly budget?: CallBudget | undefined;
  /** The nonces shared with other processes. Default: nonces of this process alone. */
  readonly nonces?: NonceSource | undefined;
  /** Whether the venue is the exchange's test network or its demo trading. Default: false. */
  readonly isSandbox?: boolean | undefined;
  /** Milliseconds without a message after which a stream is lost. At most 30,000; tests use less. */
  readonly idleTimeoutMs?: number | undefined;
}

const IDLE_TIMEOUT_DEFAULT_MS = 25_000;
/** The least depth that the exchanges accept; its request is the cheapest. */
const BEST_PRICES_DEPTH = 5;
const MINUTE_MS = 60_000;
/** An hour of candles of one minute; exchanges omit minutes without trades. */
const CANDLES_READ = 60;

/**
 * Creates a venue of the deployment. Sends nothing yet.
 * @throws if no venue folder has the configured adapter's name
 */
export function createVenue(config: VenueConfig, options: VenueOptions = {}): ExchangeVenue {
  const declaration = declarationOf(config.adapter);
  if (declaration === undefined) throw new Error(`Exchange adapter "${config.adapter}" does not exist.`);
  return new CcxtVenue(config, declaration, options);
}

/** A venue: one segment for each of its trading types. */
class CcxtVenue implements ExchangeVenue {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  readonly stages: ExchangeVenue['stages'];
  readonly credentialForm: CredentialForm;
  readonly isCertified: boolean;
  readonly #segments: ReadonlyMap<TradingType, Segment>;
  /** The segment of public data for symbols that no segment lists. */
  readonly #defaultSegment: Segment;

  constructor(
    private readonly config: VenueConfig,
    declaration: VenueDeclaration,
    {
      budget,
      nonces = new LocalNonces(),
      isSandbox = false,
      idleTimeoutMs = IDLE_TIMEOUT_DEFAULT_MS,
    }: VenueOptions,
  ) {
    this.id = config.id;
    this.name = config.name;
    this.tradingTypes = config.tradingTypes;
    this.isCertified = isOffered(config);
    // A key of the paper exchange has no permissions to choose.
    this.credentialForm = isPaper(config)
      ? { ...declaration.credentials, permissions: {} }
      : declaration.credentials;
    this.stages = Object.fromEntries(
      config.tradingTypes.map((type) => [type, isPaper(config) ? 'STABLE' : stageOf(declaration.id, type)]),
    );
    const options = {
      config,
      budget: budget ?? new VenueBudgets(limitsByBudget(config)),
      nonces,
      connections: new Map(),
      isSandbox,
      idleTimeoutMs,
    };
    const segments = config.tradingTypes.flatMap((type) => {
      const declared = declaration.tradingTypes[type];
      return declared === undefined ? [] : [new Segment(type, declared, options)];
    });
    const [first] = segments;
    if (first === undefined) throw new Error(`Exchange "${config.id}" has no trading type.`);
    this.#defaultSegment = first;
    this.#segments = new Map(segments.map((segment) => [segment.tradingType, segment]));
  }

  clientOrderIdFor(tradeId: string, tradingType: TradingType): string {
    const { prefix, length } = this.#segmentOf(tradingType).declaration.clientOrderId;
    return (prefix + createHash('sha256').update(tradeId).digest('hex')).slice(0, length);
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    const segments = [...this.#segments.values()];
    const lists = await Promise.all(segments.map((segment) => segment.fetchMarkets()));
    // The caller takes what is missing for delisted. An empty list of one trading type is an error of the exchange.
    if (lists.some((list) => list.length === 0) && lists.some((list) => list.length > 0))
      throw new ExchangeError(
        'retryable',
        'bad_answer',
        'The exchange returned no pairs of one trading type.',
      );
    return lists.flat();
  }

  async fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>> {
    const prices = [...this.#bySegment(symbols)].map(([segment, group]) =>
      segment.read(async (ccxt) => {
        const listed = group.filter((symbol) => ccxt.markets?.[symbol] !== undefined);
        if (listed.length === 0) return {};
        if (ccxt.has.fetchLastPrices === true) return readPrices(await ccxt.fetchLastPrices(listed), listed);
        return readPrices(await ccxt.fetchTickers(listed), listed);
      }),
    );
    return Object.assign({}, ...(await Promise.all(prices)));
  }

  async fetchBestPrices(symbol: string): Promise<BestPrices> {
    const segment = this.#segmentFor(symbol);
    const protocol = segment.declaration.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    // Users and copies wait for these prices.
    return segment.run({ kind: 'read', purpose: 'user' }, async ({ ccxt }) => {
      if (ccxt.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
      const { bids, asks } = await protocol.fetchBook(ccxt, symbol, BEST_PRICES_DEPTH);
      return { bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null };
    });
  }

  fetchPriceAt(symbol: string, at: Date): Promise<Decimal | null> {
    const minute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
    return this.#segmentFor(symbol).read(async (ccxt) => {
      if (ccxt.markets?.[symbol] === undefined) return null;
      const since = minute - (CANDLES_READ - 1) * MINUTE_MS;
      const until = { until: minute + MINUTE_MS - 1 };
      return readCloseAt(await ccxt.fetchOHLCV(symbol, '1m', since, CANDLES_READ, until), minute);
    });
  }

  async fetchBook(symbol: string, depth: number, userId?: string): Promise<BookSides> {
    const protocol = this.#segmentFor(symbol).declaration.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    return this.#readForUser(userId, symbol, async (ccxt) => {
      const { bids, asks } = await protocol.fetchBook(ccxt, symbol, depth);
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
    const size = this.#segmentFor(symbol).declaration.candlesPerResponse;
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

  async fetchMarkPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>> {
    const segment = this.#segments.get('perpetual');
    const calls = segment?.declaration.positions;
    if (segment === undefined || calls === undefined) return {};
    return segment.run({ kind: 'read', purpose: 'check' }, async (session) => {
      const listed = symbols.filter((symbol) => session.ccxt.markets?.[symbol] !== undefined);
      return listed.length === 0 ? {} : calls.fetchMarkPrices(session, listed);
    });
  }

  async fetchFundingRates(
    symbol: string,
    range: { readonly from: Date; readonly to: Date },
  ): Promise<readonly FundingRate[]> {
    const segment = this.#segmentOf('perpetual');
    const calls = segment.declaration.positions;
    if (calls === undefined) throw failure(['rejected', 'not_supported']);
    return segment.run({ kind: 'read', purpose: 'check' }, (session) => {
      if (session.ccxt.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
      return calls.fetchFundingRates(session, symbol, range);
    });
  }

  watchBook(symbol: string, handler: BookHandler): VenueStream {
    return new BookStream(this.#segmentFor(symbol), symbol, handler);
  }

  watchPrices(symbols: readonly string[], handler: PriceHandler): VenueStream {
    const groups = [...this.#bySegment(symbols)];
    if (groups.length === 1) return new PriceStream(groups[0]![0], symbols, handler);
    return new CombinedPriceStream(groups, handler);
  }

  connect(
    credentials: ExchangeCredentials,
    tradingType: TradingType,
    { accountKey, userId, egress: assigned }: ConnectOptions = {},
  ): ExchangeClient {
    const hash = createHash('sha256').update(credentials.apiKey).digest('hex').slice(0, 32);
    // By the hash of the API key, so that a test of credentials uses the address that the account will have.
    const egress = chooseEgress(this.config.egress ?? [], hash, assigned);
    const account = { credentials, key: accountKey ?? hash, userId, egress };
    return new AccountClient(this.#segmentOf(tradingType), account);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#segments.values()].map((segment) => segment.close()));
  }

  /** @throws {ExchangeError} `rejected`/`not_supported` if the venue is not configured for the trading type */
  #segmentOf(tradingType: TradingType): Segment {
    const segment = this.#segments.get(tradingType);
    if (segment === undefined) throw failure(['rejected', 'not_supported']);
    return segment;
  }

  /** Returns the segment with public data of a symbol: only those of perpetuals name a settlement currency. */
  #segmentFor(symbol: string): Segment {
    const types: readonly TradingType[] = symbol.includes(':') ? ['perpetual'] : ['spot', 'margin'];
    const type = types.find((candidate) => this.#segments.has(candidate));
    return (type && this.#segments.get(type)) ?? this.#defaultSegment;
  }

  #bySegment(symbols: readonly string[]): ReadonlyMap<Segment, readonly string[]> {
    const groups = new Map<Segment, string[]>();
    for (const symbol of symbols) {
      const segment = this.#segmentFor(symbol);
      const group = groups.get(segment);
      if (group === undefined) groups.set(segment, [symbol]);
      else group.push(symbol);
    }
    return groups;
  }

  /** Fetches public data of a listed symbol for which a user waits. */
  #readForUser<T>(
    userId: string | undefined,
    symbol: string,
    work: (ccxt: CcxtClient) => Promise<T>,
  ): Promise<T> {
    const request = { kind: 'read', purpose: 'user', userId } as const;
    return this.#segmentFor(symbol).run(request, async ({ ccxt }) => {
      if (ccxt.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
      return work(ccxt);
    });
  }
}
