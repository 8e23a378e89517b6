/** Tests the local addresses from which an exchange is called. On Linux, every address of 127.0.0.0/8 is a local one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { createVenue, type VenueConfig, venueConfig } from '../src/ccxt/index.js';
import type { BudgetedCall, CallBudget, ExchangeVenue } from '../src/index.js';
import { failureOf } from './conformance-fixture.js';
import { respondWith, ScriptedExchangeServer } from './scripted-exchange.js';

const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
const ACCOUNT = '/api/v3/account';
const account = { canTrade: true, balances: [] };

let exchange: ScriptedExchangeServer;
let sources: string[];
let venues: ExchangeVenue[];
beforeEach(async () => {
  exchange = await ScriptedExchangeServer.start();
  venues = [];
  sources = [];
  exchange.on(ACCOUNT, (response, request) => {
    sources.push(request.socket.remoteAddress ?? '');
    respondWith(account)(response, request);
  });
});
afterEach(async () => {
  for (const venue of venues) await venue.close();
  await exchange.close();
});

function open(budget?: CallBudget, more: Partial<VenueConfig> = {}): ExchangeVenue {
  const config = { id: 'x', name: 'X', adapter: 'binance', tradingTypes: ['spot'], url: exchange.url };
  const venue = createVenue(venueConfig.parse({ ...config, egress: ADDRESSES, ...more }), { budget });
  venues.push(venue);
  return venue;
}
const credentials = (i: number) => ({ apiKey: `key-${i}`, apiSecret: 'secret' });

describe('an exchange with several local addresses', () => {
  it('is called for each account from one address, for all accounts together from each of them', async () => {
    const venue = open();
    const clients = Array.from({ length: 30 }, (_, i) => venue.connect(credentials(i), 'spot'));
    for (const client of [...clients, ...clients]) await client.fetchBalances();
    expect(sources.slice(0, 30)).toEqual(clients.map(({ egress }) => egress));
    expect(sources.slice(30)).toEqual(sources.slice(0, 30));
    expect([...new Set(sources)].sort()).toEqual(ADDRESSES);
  });

  it('is called from the address that an account has, not from the one that its key would get', async () => {
    const venue = open();
    const chosen = venue.connect(credentials(1), 'spot').egress;
    const assigned = ADDRESSES.find((address) => address !== chosen)!;
    const client = venue.connect(credentials(1), 'spot', { egress: assigned });
    await client.fetchBalances();
    expect([client.egress, ...sources]).toEqual([assigned, assigned]);
    const removed = venue.connect(credentials(1), 'spot', { egress: '10.1.1.1' });
    expect(removed.egress).toBe(chosen);
  });

  it('reports the address, the user and the purpose of each call to the budget', async () => {
    const calls: BudgetedCall[] = [];
    const venue = open({ take: async (call) => void calls.push(call), pause: () => undefined });
    await venue.fetchMarkets();
    calls.splice(0);
    const options = { accountKey: 'exa_1', userId: 'usr_1', egress: '127.0.0.3' };
    const client = venue.connect(credentials(1), 'spot', options);
    await client.fetchBalances();
    await client.as('user').fetchBalances();
    await client.as('rotation').fetchBalances();
    expect(calls.map(({ egress, userId, purpose }) => [egress, userId, purpose])).toEqual([
      ['127.0.0.3', 'usr_1', undefined],
      ['127.0.0.3', 'usr_1', 'user'],
      ['127.0.0.3', 'usr_1', 'rotation'],
    ]);
  });

  it('pauses only the address to which it sent a 429 or a 418', async () => {
    for (const status of [429, 418]) {
      const pauses: (string | undefined)[] = [];
      const pause = (_venue: string, _forMs: number, egress?: string) => void pauses.push(egress);
      const venue = open({ take: async () => undefined, pause });
      await venue.fetchMarkets();
      const [limited, other] = ['127.0.0.2', '127.0.0.3'].map((egress, i) =>
        venue.connect(credentials(i), 'spot', { egress }),
      );
      exchange.on(ACCOUNT, respondWith({ code: -1003, msg: 'x' }, status, { 'retry-after': '60' }));
      expect(await failureOf(limited!.fetchBalances())).toBe('retryable/rate_limited');
      expect(pauses).toEqual(['127.0.0.2']);
      exchange.on(ACCOUNT, respondWith(account));
      const requests = exchange.requestsTo(ACCOUNT).length;
      expect(await failureOf(limited!.fetchBalances())).toBe('retryable/rate_limited');
      expect(exchange.requestsTo(ACCOUNT)).toHaveLength(requests);
      await expect(other!.fetchBalances()).resolves.toMatchObject({ balances: {} });
    }
  });

  it('carries the streams of an account on a connection from its address', async () => {
    const streamSources: string[] = [];
    const http = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ server: http });
    sockets.on('connection', (socket: WebSocket, request) => {
      streamSources.push(request.socket.remoteAddress ?? '');
      let subscriptionId = 0;
      socket.on('message', (data) => {
        const { id } = JSON.parse(String(data)) as { id: string };
        socket.send(JSON.stringify({ id, status: 200, result: { subscriptionId: subscriptionId++ } }));
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const venue = open(undefined, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
    http.removeAllListeners('request');
    http.on('request', (request, response) =>
      respondWith(request.url?.startsWith('/api/v3/time') ? { serverTime: Date.now() } : { symbols: [] })(
        response,
        request,
      ),
    );
    const watch = (i: number, egress: string) =>
      new Promise<void>((resolve, reject) => {
        venue.connect(credentials(i), 'spot', { egress }).watch({
          onConnected: resolve,
          onLost: reject,
          onOrder: () => undefined,
          onBalances: () => undefined,
        });
      });
    await Promise.all([watch(1, '127.0.0.2'), watch(2, '127.0.0.3'), watch(3, '127.0.0.2')]);
    expect(streamSources.sort()).toEqual(['127.0.0.2', '127.0.0.3']);
    await venue.close();
    sockets.close();
    http.closeAllConnections();
    http.close();
  });
});
