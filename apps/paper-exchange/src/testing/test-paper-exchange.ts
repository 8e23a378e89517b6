import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import BinanceClient from 'ccxt/js/src/binance';
import FuturesClient from 'ccxt/js/src/binanceusdm';
import BinanceStreams from 'ccxt/js/src/pro/binance';
import FuturesStreams from 'ccxt/js/src/pro/binanceusdm';
import { configSchema, startPaperExchange } from '../index.js';

export interface Keys {
  readonly api_key: string;
  readonly api_secret: string;
}

/** Runs an exchange for one test, and creates ccxt clients on it of which only the URLs are rewritten. */
export class TestPaperExchange {
  private readonly watchers: BinanceStreams[] = [];
  private running: Awaited<ReturnType<typeof startPaperExchange>> | undefined;

  private constructor(private readonly directory: string) {}

  /**
   * Starts on a free port with an empty directory. By default, no market maker moves the prices (`MARKET=off`), and
   * nothing is paid by the clock.
   */
  static async start(env: Record<string, string> = {}): Promise<TestPaperExchange> {
    const venue = new TestPaperExchange(await mkdtemp(join(tmpdir(), 'paper-exchange-')));
    await venue.restart(env);
    return venue;
  }

  get url(): string {
    if (this.running === undefined) throw new Error('The paper exchange is not running.');
    return this.running.url;
  }

  /** Stops the exchange and starts it again with the same data. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.running?.close();
    const config = configSchema.parse({
      DATA_DIR: this.directory,
      MARKET: 'off',
      SCHEDULED_PAYMENTS: 'off',
      ...env,
    });
    this.running = await startPaperExchange(config);
  }

  async stop(): Promise<void> {
    for (const watcher of this.watchers) await watcher.close();
    await this.running?.close();
    await rm(this.directory, { recursive: true });
  }

  /** Sends an admin call. */
  async admin<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
    const response = await fetch(`${this.url}/admin/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Sends a request of the venue, signed if `keys` is given, with its parameters in the query. */
  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    params: Record<string, string | number> = {},
    keys?: Keys,
  ): Promise<{ status: number; body: T }> {
    const texts = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
    const query = new URLSearchParams(texts);
    if (keys !== undefined) {
      query.set('timestamp', String(Date.now()));
      query.set('signature', createHmac('sha256', keys.api_secret).update(query.toString()).digest('hex'));
    }
    const response = await fetch(`${this.url}${path}?${query}`, {
      method,
      ...(keys === undefined ? {} : { headers: { 'x-mbx-apikey': keys.api_key } }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  async createAccount(balances: Record<string, number> = { USDT: 100_000, BTC: 2 }): Promise<Keys> {
    return (await this.admin<Keys>('POST', 'accounts', { balances })).body;
  }

  /** Creates an account with USDT for futures only. */
  async createFuturesAccount(usdt = 10_000): Promise<Keys> {
    return (await this.admin<Keys>('POST', 'accounts', { futures_balances: { USDT: usdt } })).body;
  }

  futuresClientOf(keys: Keys): FuturesClient {
    const exchange = new FuturesClient({ apiKey: keys.api_key, secret: keys.api_secret });
    rewrite(exchange.urls.api as Record<string, unknown>, this.url);
    return exchange;
  }

  /** Creates a ccxt.pro client for futures, which also reads WebSocket streams. */
  async createFuturesWatcher(keys: Keys): Promise<FuturesStreams> {
    const exchange = new FuturesStreams({ apiKey: keys.api_key, secret: keys.api_secret });
    // ccxt schedules the extension of its listen key by a timer that would keep the process alive for 20 minutes.
    exchange.delay = () => undefined;
    return this.prepareWatcher(exchange);
  }

  clientOf(keys: Keys): BinanceClient {
    const exchange = new BinanceClient({ apiKey: keys.api_key, secret: keys.api_secret });
    rewrite(exchange.urls.api as Record<string, unknown>, this.url);
    return exchange;
  }

  /** Creates an account and returns its client. */
  async createTrader(balances?: Record<string, number>): Promise<BinanceClient> {
    return this.clientOf(await this.createAccount(balances));
  }

  /** Creates a ccxt.pro client, which also reads WebSocket streams. */
  async createWatcher(keys: Keys): Promise<BinanceStreams> {
    return this.prepareWatcher(new BinanceStreams({ apiKey: keys.api_key, secret: keys.api_secret }));
  }

  private async prepareWatcher<T extends BinanceStreams>(exchange: T): Promise<T> {
    rewrite(exchange.urls.api as Record<string, unknown>, this.url);
    this.watchers.push(exchange);
    // Only after this call can the client open a WebSocket that does not use TLS.
    await exchange.loadHttpProxyAgent();
    return exchange;
  }
}

/**
 * Repeats `action`, which causes events, until `received` settles. One action is not enough, because a stream sends
 * only the events after its subscription.
 */
export async function retryUntil<T>(received: Promise<T>, action: () => Promise<unknown>): Promise<T> {
  let isSettled = false;
  const onSettled = () => {
    isSettled = true;
  };
  received.then(onSettled, onSettled);
  while (!isSettled) {
    await action();
    await delay(10);
  }
  return received;
}

/**
 * Replaces the origin in each URL of a ccxt client, recursively, by that of the test exchange. A WebSocket URL keeps the
 * venue's host as a path segment, by which ccxt distinguishes the messages of spot from those of futures.
 */
function rewrite(urls: Record<string, unknown>, base: string): void {
  const hosts: [RegExp, string][] = [
    [/^https?:\/\/[^/]+/, base],
    [/^wss?:\/(\/[^/]+)/, `${base.replace('http', 'ws')}$1`],
  ];
  for (const [name, value] of Object.entries(urls)) {
    if (typeof value === 'string') {
      urls[name] = hosts.reduce((url, [pattern, host]) => url.replace(pattern, host), value);
    } else if (value !== null && typeof value === 'object') rewrite(value as Record<string, unknown>, base);
  }
}
