import { createHash } from 'node:crypto';
import type { Decimal, TradingType } from '@trading-automation/contracts';
import type { ExchangeClient, ExchangeCredentials, ExchangeVenue, Market } from '../port.js';
import { type Adapter, adapterOf, type OpenedClient } from './adapters.js';
import { type Call, type CallKind, runCall } from './call.js';
import { AccountClient, type VenueCalls } from './client.js';
import type { ClientLibrary } from './client-library.js';
import type { VenueConfig } from './config.js';
import { failure, toExchangeError } from './failures.js';
import { readMarkets, readPrices } from './markets.js';
import { Transport } from './transport.js';

/** An exchange of the deployment, ready to be spoken to; nothing is sent yet. */
export function createVenue(config: VenueConfig): ExchangeVenue {
  const adapter = adapterOf(config.adapter);
  if (adapter === undefined) throw new Error(`no adapter ${config.adapter}`);
  return new CcxtVenue(config, adapter);
}

/**
 * Markets, the clock's difference, the rate limit and the connections belong to the exchange, not to an account: all
 * clients of a venue share those of its one client without credentials.
 */
class CcxtVenue implements ExchangeVenue, VenueCalls {
  readonly id: string;
  readonly name: string;
  readonly tradingTypes: readonly TradingType[];
  readonly #transport: Transport;
  readonly #public: ClientLibrary;
  #loading: Promise<void> | undefined;
  #isClockKnown = false;

  constructor(
    private readonly config: VenueConfig,
    readonly adapter: Adapter,
  ) {
    this.id = config.id;
    this.name = config.name;
    this.tradingTypes = config.tradingTypes;
    this.#transport = new Transport({ origin: config.url, timeoutMs: config.timeoutMs });
    this.#public = this.#open(this.tradingTypes[0] ?? 'spot').library;
  }

  clientOrderIdFor(tradeId: string): string {
    const { prefix, length } = this.adapter.clientOrderId;
    return (prefix + createHash('sha256').update(tradeId).digest('hex')).slice(0, length);
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    await this.#load();
    return readMarkets(this.#public.markets ?? {}, this.tradingTypes, this.adapter);
  }

  fetchPrices(symbols: readonly string[]): Promise<Readonly<Record<string, Decimal>>> {
    return this.run('read', this.#public, async () => {
      const known = symbols.filter((symbol) => this.#public.markets?.[symbol] !== undefined);
      if (known.length === 0) return {};
      if (this.#public.has.fetchLastPrices === true)
        return readPrices(await this.#public.fetchLastPrices(known), known);
      return readPrices(await this.#public.fetchTickers(known), known);
    });
  }

  connect(credentials: ExchangeCredentials, tradingType: TradingType): ExchangeClient {
    if (!this.tradingTypes.includes(tradingType)) throw failure(['rejected', 'not_supported']);
    return new AccountClient(this, this.#open(tradingType, credentials), tradingType);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Runs one call on a client of this venue, with markets and clock in place, within the time limit. */
  async run<T>(kind: CallKind, library: ClientLibrary, work: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.config.timeoutMs);
    await this.#prepare(library);
    return runCall(kind, signal, work, this.#explain);
  }

  async #prepare(library: ClientLibrary): Promise<void> {
    if (!this.#isClockKnown) await this.#load();
    if (library === this.#public || library.markets === this.#public.markets) return;
    library.setMarketsFromExchange(this.#public);
    library.options.timeDifference = this.#public.options.timeDifference;
  }

  /** Reads markets and clock anew; who asks meanwhile waits for the same answer. A failure keeps what was known. */
  #load(): Promise<void> {
    const signal = AbortSignal.timeout(this.config.timeoutMs);
    const reload = async () => {
      await this.#public.loadMarkets(true);
      this.#isClockKnown = true;
    };
    this.#loading ??= runCall('read', signal, reload, this.#explain).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  readonly #explain = (error: unknown, call: Call): Error => {
    const explained = toExchangeError(error, call, this.adapter.refusals);
    // Only a clock that is off makes an exchange refuse what may work later.
    if (explained.outcome === 'retryable' && explained.code === 'refused') this.#isClockKnown = false;
    return explained;
  };

  #open(tradingType: TradingType, credentials?: ExchangeCredentials): OpenedClient {
    const opened = this.adapter.open({
      transport: this.#transport,
      timeoutMs: this.config.timeoutMs,
      credentials,
      options: {
        ...this.adapter.marketOptions(this.tradingTypes),
        ...this.adapter.tradingTypes[tradingType]?.options,
      },
      fixedOptions: this.adapter.fixedOptions,
    });
    if (credentials !== undefined) opened.library.throttler = this.#public.throttler;
    return opened;
  }
}
