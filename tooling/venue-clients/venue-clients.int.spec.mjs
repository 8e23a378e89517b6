import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Binance from 'node-binance-api';
import { CLIENTS } from './client.mjs';
import { FUTURES_CHECKS } from './futures-checks.mjs';
import { FUTURES_CLIENTS } from './futures-client.mjs';
import { startVenue } from './venue.mjs';

/** Some clients never clear the timers that extend their listen keys or reconnect. A test run must not wait for them. */
const { setTimeout: setTimer, setInterval: setRepeatedTimer } = globalThis;
Object.assign(globalThis, {
  setTimeout: (...args) => setTimer(...args).unref(),
  setInterval: (...args) => setRepeatedTimer(...args).unref(),
});

describe('a third-party client of the venue, of which only the URLs are replaced', () => {
  let venue;
  let client;
  beforeAll(async () => {
    // One of the clients logs every connection otherwise.
    process.env.LOG_LEVEL = 'error';
    venue = await startVenue();
  });
  afterEach(() => client?.close());
  afterAll(() => venue.stop());

  it.each(Object.entries(CLIENTS))(
    '%s trades: places, queries, fills, cancels, and receives each change',
    async (_name, open) => {
      client = await open(await venue.createAccount());
      const heard = [];
      const waiting = [];
      await client.watchOrders((id, status) => {
        heard.push(`${id} ${status}`);
        for (const check of waiting) check();
      });
      const hears = (event) =>
        new Promise((resolve) => {
          const check = () => heard.includes(event) && resolve(event);
          waiting.push(check);
          check();
        });
      await client.placeLimit({ id: 'rests', price: 50_000, quantity: 0.01 });
      expect(await client.statusOf('rests')).toBe('NEW');
      expect(await hears('rests NEW')).toBe('rests NEW');
      await client.cancel('rests');
      expect(await client.statusOf('rests')).toBe('CANCELED');
      expect(await hears('rests CANCELED')).toBe('rests CANCELED');
      await client.placeMarket({ id: 'fills', quantity: 0.01 });
      expect(await client.statusOf('fills')).toBe('FILLED');
      expect(await hears('fills FILLED')).toBe('fills FILLED');
    },
  );
});

describe.each(Object.entries(FUTURES_CLIENTS))(
  '%s on futures, of which only the URLs are replaced',
  (_name, open) => {
    let venue;
    let client;
    beforeAll(async () => {
      process.env.LOG_LEVEL = 'error';
      venue = await startVenue();
      client = await open(await venue.createAccount());
    });
    afterAll(async () => {
      await client?.close();
      await venue.stop();
    });

    it.each(Object.entries(FUTURES_CHECKS))('%s', (_check, run) => run(client));
  },
);

it('node-binance-api ignores its option for the URL of futures streams, as a note of the table says', () => {
  const client = new Binance({ urls: { fstreamSingle: 'ws://127.0.0.1:4010/ws/' } });
  expect(client.getFStreamSingleUrl('market')).toBe('wss://fstream.binance.com/market/ws/');
});

describe('the example of ccxt.pro in the README of the paper exchange', () => {
  const readme = readFileSync(new URL('../../apps/paper-exchange/README.md', import.meta.url), 'utf8');
  const URL_OF_EXAMPLE = 'http://127.0.0.1:4010';
  let venue;
  beforeAll(async () => {
    venue = await startVenue();
  });
  afterAll(() => venue.stop());

  it('trades and reads streams as printed', async () => {
    const blocks = [...readme.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block]) => block);
    expect(blocks).toHaveLength(1);
    expect(blocks[0].split(URL_OF_EXAMPLE)).toHaveLength(2);
    const { url } = await venue.createAccount();
    const example = blocks[0].replace(URL_OF_EXAMPLE, url);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', example],
      {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
        timeout: 50_000,
        killSignal: 'SIGKILL',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^best ask 6\d{4}(?:\.\d+)?\nbuy 0\.01 (?:open|closed)\n$/);
  });
});
