import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import BinanceClient from 'ccxt/js/src/binance';
import BinanceStreams from 'ccxt/js/src/pro/binance';
import { configSchema, startPaperExchange } from '../index.js';

export interface Keys {
  readonly api_key: string;
  readonly api_secret: string;
}

const OPTIONS = {
  defaultType: 'spot',
  fetchMarkets: { types: ['spot'] },
  fetchCurrencies: false,
  fetchMargins: false,
};

/** Runs an exchange for one test, and creates ccxt clients that trade on it. */
export class TestPaperExchange {
  private readonly watchers: BinanceStreams[] = [];
  private running: Awaited<ReturnType<typeof startPaperExchange>> | undefined;

  private constructor(private readonly directory: string) {}

  /** Starts on a free port with empty data. `MARKET` is off by default. */
  static async start(env: Record<string, string> = {}): Promise<TestPaperExchange> {
    const venue = new TestPaperExchange(await mkdtemp(join(tmpdir(), 'paper-exchange-')));
    await venue.restart(env);
    return venue;
  }

  get url(): string {
    if (this.running === undefined) throw new Error('The paper exchange is not running.');
    return this.running.url;
  }

  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.running?.close();
    const config = configSchema.parse({ DATA_DIR: this.directory, MARKET: 'off', ...env });
    this.running = await startPaperExchange(config);
  }

  async stop(): Promise<void> {
    for (const watcher of this.watchers) await watcher.close();
    await this.running?.close();
    await rm(this.directory, { recursive: true });
  }

  async admin<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
    const answer = await fetch(`${this.url}/admin/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  async account(balances: Record<string, number> = { USDT: 100_000, BTC: 2 }): Promise<Keys> {
    return (await this.admin<Keys>('POST', 'accounts', { balances })).body;
  }

  client(keys: Keys): BinanceClient {
    const exchange = new BinanceClient({ apiKey: keys.api_key, secret: keys.api_secret, options: OPTIONS });
    rewrite(exchange.urls.api as Record<string, unknown>, this.url);
    return exchange;
  }

  async trader(balances?: Record<string, number>): Promise<BinanceClient> {
    return this.client(await this.account(balances));
  }

  /** A client with its WebSocket side. */
  async watcher(keys: Keys): Promise<BinanceStreams> {
    const exchange = new BinanceStreams({ apiKey: keys.api_key, secret: keys.api_secret, options: OPTIONS });
    rewrite(exchange.urls.api as Record<string, unknown>, this.url);
    this.watchers.push(exchange);
    // The client must load its agents before it opens a socket without TLS.
    await exchange.loadHttpProxyAgent();
    return exchange;
  }
}

/** Repeats `nudge` until `wanted` resolves, because a stream reports only events after its subscription. */
export async function retryUntil<T>(wanted: Promise<T>, nudge: () => Promise<unknown>): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  wanted.then(done, done);
  while (!isDone) {
    await nudge();
    await delay(10);
  }
  return wanted;
}

function rewrite(urls: Record<string, unknown>, base: string): void {
  const hosts: [RegExp, string][] = [
    [/^https?:\/\/[^/]+/, base],
    [/^wss?:\/\/[^/]+/, base.replace('http', 'ws')],
  ];
  for (const [name, value] of Object.entries(urls)) {
    if (typeof value === 'string') {
      urls[name] = hosts.reduce((url, [pattern, host]) => url.replace(pattern, host), value);
    } else if (value !== null && typeof value === 'object') rewrite(value as Record<string, unknown>, base);
  }
}
