import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TradingType } from '@trading-automation/contracts';
import type {
  CallBudget,
  ExchangeClient,
  ExchangeCredentials,
  ExchangeVenue,
} from '@trading-automation/exchanges';
import { createVenue, venueConfig } from '@trading-automation/exchanges/ccxt';

const main = new URL('../../../paper-exchange/dist/main.js', import.meta.url).pathname;

interface Ledger {
  readonly balances: Readonly<Record<string, { readonly free: string; readonly locked: string }>>;
  readonly orders: readonly { readonly client_order_id: string; readonly status: string }[];
  readonly fills: readonly { readonly fill_id: string; readonly amount: string }[];
}

/** Runs the paper exchange in its own process, without a market maker: only users trade on it. */
export class PaperExchange {
  private readonly venues: ExchangeVenue[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    readonly url: string,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PaperExchange> {
    const directory = mkdtempSync(join(tmpdir(), 'worker-'));
    const env = { PATH: process.env.PATH, DATA_DIR: directory, MARKET: 'off', ...settings };
    const child = fork(main, [], { silent: true, execArgv: [], env });
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    const { url } = JSON.parse(line as string) as { url: string };
    return new PaperExchange(child, directory, url);
  }

  /** Creates a venue that connects to this exchange, as a worker does. */
  venue(
    timeoutMs = 10_000,
    budget?: CallBudget,
    tradingTypes: readonly TradingType[] = ['spot'],
  ): ExchangeVenue {
    const { url } = this;
    const config = { id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes, url, timeoutMs };
    const venue = createVenue(venueConfig.parse(config), { budget });
    this.venues.push(venue);
    return venue;
  }

  async openAccount(balances: Readonly<Record<string, number>>): Promise<ExchangeCredentials> {
    const { api_key, api_secret } = await this.admin<{ api_key: string; api_secret: string }>(
      'POST',
      'accounts',
      { balances },
    );
    return { apiKey: api_key, apiSecret: api_secret };
  }

  /** Opens an account that trades on margin, with amounts in its margin account. */
  async openMarginAccount(balances: Readonly<Record<string, number>>): Promise<ExchangeCredentials> {
    const { api_key, api_secret } = await this.admin<{ api_key: string; api_secret: string }>(
      'POST',
      'accounts',
      { margin_balances: balances },
    );
    return { apiKey: api_key, apiSecret: api_secret };
  }

  /** Charges an hour of interest on all loans. */
  async chargeInterest(): Promise<void> {
    await this.admin('POST', 'interest', {});
  }

  /** Adds an amount to the spot account. */
  async deposit({ apiKey }: ExchangeCredentials, asset: string, amount: string): Promise<void> {
    await this.admin('POST', 'deposits', { api_key: apiKey, asset, amount });
  }

  /** Opens an account that trades perpetuals, with an amount of USDT. */
  async openFuturesAccount(usdt: number): Promise<ExchangeCredentials> {
    const { api_key, api_secret } = await this.admin<{ api_key: string; api_secret: string }>(
      'POST',
      'accounts',
      { futures_balances: { USDT: usdt } },
    );
    return { apiKey: api_key, apiSecret: api_secret };
  }

  /** Moves the price and the mark price of a perpetual. The mark price then stays. */
  async moveTo(symbol: string, price: string, markPrice = price): Promise<void> {
    await this.admin('POST', 'market', { symbol, price, mark_price: markPrice });
  }

  /** Returns the exchange's own records of an account. */
  ledger({ apiKey }: ExchangeCredentials): Promise<Ledger> {
    return this.admin('GET', `ledger?api_key=${apiKey}`);
  }

  async weather(forecast: Readonly<Record<string, number | boolean>>): Promise<void> {
    await this.admin('PUT', 'weather', forecast);
  }

  async cutStreams(): Promise<void> {
    await this.admin('POST', 'streams/disconnect', {});
  }

  async close(): Promise<void> {
    await Promise.all(this.venues.map((venue) => venue.close()));
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    rmSync(this.directory, { recursive: true });
  }

  private async admin<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}/admin/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  }
}

/** A user of the exchange itself, independent of the product. */
export class DirectUser {
  private orders = 0;

  constructor(
    readonly client: ExchangeClient,
    private readonly name: string,
  ) {}

  async limit(side: 'BUY' | 'SELL', amount: string, price: string, symbol = 'BTC/USDT') {
    this.orders++;
    return this.client.placeOrder({
      symbol,
      venueClientOrderId: `${this.name}-${this.orders}`,
      type: 'LIMIT',
      side,
      timeInForce: 'GTC',
      amount,
      price,
      reduceOnly: false,
    });
  }
}
