/** Runs the conformance suite for the venue `paper`. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import { describeBalances } from './suite-balances.js';
import { describeOrders } from './suite-orders.js';
import { describeStreams } from './suite-streams.js';
import { describeWeather, type WeatherVenueUnderTest } from './suite-weather.js';

const VENUE = 'paper';
const builtEntryUrl = new URL('../../../apps/paper-exchange/dist/index.js', import.meta.url).href;
const hostProgram = new URL('./paper-exchange-host.mjs', import.meta.url).pathname;

let host: ChildProcess;
let calls = 0;
beforeAll(async () => {
  host = fork(hostProgram, [builtEntryUrl], { execArgv: [], env: { PATH: process.env.PATH } });
  await once(host, 'message');
});
afterAll(() => host.kill('SIGKILL'));

/** Sends a request to the process that runs the exchanges. Rejects if that process ends. */
function callHost(message: { open: object } | { close: string }): Promise<{ url?: string }> {
  const id = ++calls;
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the process of the paper exchanges has ended'));
    const onMessage = (response: unknown) => {
      const { id: responseId, url } = response as { id: number; url?: string };
      if (responseId !== id) return;
      host.off('message', onMessage).off('exit', onExit);
      resolve(url === undefined ? {} : { url });
    };
    host.on('message', onMessage).once('exit', onExit);
    host.send({ id, ...message });
  });
}

/** Opens a built paper exchange without a simulated market: only users trade. */
async function startPaperExchange(timeoutMs = 10_000): Promise<WeatherVenueUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-'));
  const { url = '' } = await callHost({ open: { DATA_DIR: directory, MARKET: 'off' } });
  const venue = createVenue(
    venueConfig.parse({
      id: VENUE,
      name: 'Paper',
      adapter: 'binance',
      tradingTypes: ['spot'],
      url,
      timeoutMs,
    }),
  );
  const admin = async (method: string, path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${url}/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  return {
    venue,
    tradingType: 'spot',
    traits: {
      placement: 'STATE',
      spotFeeIn: 'RECEIVED',
      postOnlyThatTakes: 'REFUSED',
      reportsPermissions: true,
      clientOrderIds: 'UNIQUE_AMONG_OPEN',
    },
    symbol: 'BTC/USDT',
    otherSymbol: 'ETH/USDT',
    rules: { priceTick: '0.01', amountStep: '0.00001', minAmount: '0.00001', minNotional: '10' },
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'],
    timeoutMs,
    openAccount: async (balances) => {
      const keys = await admin('POST', 'accounts', { balances });
      const { api_key, api_secret } = keys as { api_key: string; api_secret: string };
      return { apiKey: api_key, apiSecret: api_secret };
    },
    weather: async (settings) => void (await admin('PUT', 'weather', settings)),
    cutStreams: async () => void (await admin('POST', 'streams/disconnect', {})),
    close: async () => {
      await venue.close();
      await callHost({ close: url });
      rmSync(directory, { recursive: true });
    },
  };
}

describeOrders('the paper exchange', startPaperExchange);
describeBalances('the paper exchange', startPaperExchange);
describeStreams('the paper exchange', startPaperExchange);
describeWeather('the paper exchange', () => startPaperExchange(3_000));
