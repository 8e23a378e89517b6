/** An exchange whose responses a test sets. It has Binance's wire format and one pair, and records all requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
  readonly apiKey: string | undefined;
}

export type Reaction = (response: ServerResponse, request: IncomingMessage) => void;

/** Responds with JSON; a string is sent unchanged. */
export function respondWith(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reaction {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export const respondWithError = (code: number, msg: string, status = 400): Reaction =>
  respondWith({ code, msg }, status);
export const silence: Reaction = () => undefined;
export const reset: Reaction = (_response, request) => request.socket.resetAndDestroy();
/** Sends the headers of a response and a part of its body, then nothing more. */
export const truncatedResponse: Reaction = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"symbol":');
};

const market = {
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  baseAssetPrecision: 8,
  quotePrecision: 8,
  quoteAssetPrecision: 8,
  orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'],
  isSpotTradingAllowed: true,
  permissions: ['SPOT'],
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.00000001', maxPrice: '999999999999', tickSize: '0.00000001' },
    { filterType: 'LOT_SIZE', minQty: '0.00000001', maxQty: '999999999999', stepSize: '0.00000001' },
    { filterType: 'MARKET_LOT_SIZE', minQty: '0.00000000', maxQty: '90.0', stepSize: '0.00100000' },
    { filterType: 'NOTIONAL', minNotional: '5.00000000', maxNotional: '0.00000000' },
  ],
};

export class ScriptedExchangeServer {
  readonly requests: RecordedRequest[] = [];
  readonly #reactions = new Map<string, Reaction>();
  readonly #server: Server;

  private constructor() {
    this.on('/api/v3/exchangeInfo', respondWith({ symbols: [market] }));
    this.on('/api/v3/time', (response) => respondWith({ serverTime: Date.now() })(response, response.req));
    this.#server = createServer((request, response) => this.#handle(request, response));
  }

  static async start(): Promise<ScriptedExchangeServer> {
    const exchange = new ScriptedExchangeServer();
    exchange.#server.listen(0, '127.0.0.1');
    await once(exchange.#server, 'listening');
    return exchange;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the response of a path, for every method. */
  on(path: string, reaction: Reaction): void {
    this.#reactions.set(path, reaction);
  }

  requestsTo(path: string): readonly RecordedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://exchange');
    let body = '';
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return;
    }
    this.requests.push({
      method: request.method ?? '',
      path: url.pathname,
      params: new URLSearchParams([url.search.slice(1), body].filter(Boolean).join('&')),
      apiKey: request.headers['x-mbx-apikey'] as string | undefined,
    });
    const react = this.#reactions.get(url.pathname) ?? respondWith({ code: -1000, msg: 'no such path' }, 404);
    react(response, request);
  }
}
