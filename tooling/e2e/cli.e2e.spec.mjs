import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { until } from '../launch/first-trade/scenario.mjs';
import { root } from '../launch/paths.mjs';
import { openHome, startRawReceiver } from './cli-runs.mjs';
import { startProduct } from './product.mjs';

/** Runs the command line against the whole product, beginning with an empty home folder. */

/** @type {import('./product.mjs').Product} */
let product;
/** @type {ReturnType<typeof openHome>} */
let home;
beforeAll(async () => {
  product = await startProduct({ graphqlApis: 1 });
  home = openHome(product);
}, 120_000);
afterAll(async () => {
  await home?.close();
  await product?.stop();
});

/** Runs a command and returns its data. Fails with stderr if the command failed. */
async function dataOf(args, extraEnv) {
  const { code, stdout, stderr } = await home.svc([...args, '--json'], extraEnv);
  expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
  return JSON.parse(stdout);
}
/** Runs the shell commands of a section of README.md against this product's API. */
function runReadmeSection(section) {
  const [, text] = readFileSync(join(root, 'README.md'), 'utf8').split(`\n## ${section}\n`);
  const [, block] = /```sh\n([\s\S]*?)```/.exec(text);
  const commands = block.replace(/^alias .*$/m, '').replaceAll('http://127.0.0.1:4000', product.restUrl);
  return home.shell(commands);
}
const order = [
  'trades',
  'create',
  '--pair',
  'BTC/USDT',
  '--side',
  'BUY',
  '--type',
  'MARKET',
  '--amount',
  '0.01',
];

describe('svc against the real product', () => {
  it('gets from an empty home folder to a filled trade with the four commands of README', async () => {
    const { code, stdout, stderr } = await runReadmeSection('The first trade');
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const last = stdout.split('\n').at(-2);
    expect(last).toMatch(/^trd_\w{26}\tBTC\/USDT\tBUY\tMARKET\tFILLED\t0\.01\/0\.01\t\d+(\.\d+)?\t$/);
  });

  it('links no second practice account if one with the same name exists', async () => {
    const seeded = await dataOf(['dev', 'seed', '--paper-url', product.paperExchangeUrl]);
    const accounts = await dataOf(['exchanges', 'list']);
    expect(accounts.map(({ id }) => id)).toEqual([seeded.id]);
  });

  it('forwards an event with the same bytes as the platform delivers, and standardwebhooks verifies both', async () => {
    const [local, registered] = [await startRawReceiver(), await startRawReceiver()];
    const webhook = await dataOf(['webhooks', 'create', '--url', registered.url, '--events', 'trade.filled']);
    const listening = home.begin([
      'listen',
      '--forward-to',
      local.url,
      '--events',
      'trade.filled,trade.created',
    ]);
    try {
      await listening.until('ready', () => listening.stderr().includes('Ready'));
      const trade = await dataOf(order);
      const isFilled = ({ text }) => text.includes('"trade.filled"') && text.includes(trade.id);
      const forwarded = await until(async () => local.received.find(isFilled), Boolean);
      const delivered = await until(async () => registered.received.find(isFilled), Boolean);
      expect(forwarded.text).toBe(delivered.text);
      expect(forwarded.headers['webhook-id']).toBe(delivered.headers['webhook-id']);
      const { stdout: secret } = await home.svc(['listen', '--print-secret']);
      new Webhook(secret.trim()).verify(forwarded.text, forwarded.headers);
      new Webhook(webhook.secret).verify(delivered.text, delivered.headers);
      const names = ({ headers }) =>
        Object.keys(headers)
          .filter((name) => name !== 'x-svc-webhook-id')
          .toSorted();
      expect(names(forwarded)).toEqual(names(delivered));
      const id = forwarded.headers['webhook-id'];
      await listening.until('the response', () =>
        listening.lines().some((line) => line.startsWith('<--') && line.includes(id)),
      );
      expect(listening.lines()).toContain(`--> trade.filled [${id}]`);
      expect(listening.lines().find((line) => line.startsWith('<--') && line.includes(id))).toMatch(
        /^<-- 204 POST http:\/\/127\.0\.0\.1:\d+\/hook \[evt_\w+\] \(\d+ ms\)$/,
      );
    } finally {
      listening.kill('SIGINT');
      expect(await listening.ended).toBe(130);
      await Promise.all([local.stop(), registered.stop()]);
    }
  });

  it('receives each event once while the API is killed', async () => {
    const listening = home.begin(['events', 'stream', '--events', 'trade.*', '--json', '--verbose']);
    await listening.until('connected', () => listening.stderr().includes('connected'));
    const placed = [];
    for (let i = 0; i < 3; i++) {
      placed.push((await dataOf(order)).id);
      if (i === 1) {
        await product.kill('rest-api');
        await listening.until('a lost connection', () => listening.stderr().includes('reconnecting'));
        await until(
          () => home.svc(['health', 'get']),
          ({ code }) => code === 0,
          60_000,
        );
      }
    }
    const filledEvents = () =>
      listening
        .lines()
        .map((line) => JSON.parse(line))
        .filter(({ type }) => type === 'trade.filled');
    await listening.until('all fills', () =>
      placed.every((id) => filledEvents().some(({ data }) => data.id === id)),
    );
    expect(filledEvents().filter(({ data }) => placed.includes(data.id))).toHaveLength(placed.length);
    const ids = listening.lines().map((line) => JSON.parse(line).event_id);
    expect(new Set(ids).size).toBe(ids.length);
    listening.kill('SIGINT');
    expect(await listening.ended).toBe(130);
  });

  it('prints one order book or, with --live, each update', async () => {
    const book = await dataOf(['orderbook', 'BTC/USDT', '--depth', '3']);
    expect(book).toMatchObject({ exchange: 'paper', symbol: 'BTC/USDT' });
    expect([book.bids.length, book.asks.length]).toEqual([3, 3]);
    const watching = home.begin([
      'orderbook',
      'btc/usdt',
      '--live',
      '--depth',
      '1',
      '--json',
      'sequence,bids,asks',
    ]);
    await watching.until('three books', () => watching.lines().length >= 3);
    watching.kill('SIGINT');
    expect(await watching.ended).toBe(130);
    const books = watching.lines().map((line) => JSON.parse(line));
    for (const { bids, asks } of books) expect(Number(bids[0][0])).toBeLessThan(Number(asks[0][0]));
    const sequences = books.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  });

  it('runs a GraphQL query and a GraphQL subscription', async () => {
    const me = await dataOf(['graphql', '{ me { id } }']);
    expect(me.me.id).toBe((await dataOf(['me', 'get'])).id);
    const [{ id }] = await dataOf([
      'pairs',
      'list',
      '--jq',
      '[.[] | select(.symbol == "BTC/USDT" and .trading_type == "spot")]',
    ]);
    const document =
      'subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair, depth: 1) { kind sequence bids asks } }';
    const subscribed = home.begin(['graphql', '--subscribe', document, '--var', `pair=${id}`]);
    await subscribed.until('two events', () => subscribed.lines().length >= 2);
    subscribed.kill('SIGINT');
    expect(await subscribed.ended).toBe(130);
    expect(JSON.parse(subscribed.lines()[0]).orderbookUpdate.kind).toBe('SNAPSHOT');
  });

  it('prints the signals of a strategy from the first one', async () => {
    const account = (await dataOf(['exchanges', 'list']))[0];
    const strategy = await dataOf([
      'api',
      'POST',
      '/v1/strategies',
      '-f',
      'name=signals',
      '-f',
      `exchange_account_id=${account.id}`,
    ]);
    const { id } = strategy.data;
    await dataOf([...order, '--strategy-id', id]);
    const streaming = home.begin(['signals', 'stream', id, '--after', '0', '--json', 'sequence,symbol,side']);
    await streaming.until('a signal', () => streaming.lines().length >= 1);
    expect(JSON.parse(streaming.lines()[0])).toEqual({ sequence: 1, symbol: 'BTC/USDT', side: 'BUY' });
    streaming.kill('SIGINT');
    expect(await streaming.ended).toBe(130);
  });

  it('copies a trade and queries GraphQL with the commands of README', async () => {
    const copied = await runReadmeSection('The first copy');
    expect([copied.code, copied.code === 0 ? '' : copied.stderr]).toEqual([0, '']);
    const [copier] = await dataOf(['copiers', 'list']);
    const [decision] = await until(
      () => dataOf(['copiers', 'decisions', copier.id]),
      ({ length }) => length > 0,
    );
    expect(decision.outcome).toBe('COPIED');
    const graphql = await runReadmeSection('GraphQL');
    expect([graphql.code, JSON.parse(graphql.stdout).trades.nodes.length]).toEqual([0, 3]);
    // The time limit is long, because the test starts `svc` about twelve times.
  }, 180_000);

  it('doctor reports no failure on a healthy machine; if the clock is wrong, it reports by how many milliseconds', async () => {
    const healthy = await home.svc(['doctor']);
    expect([healthy.code, healthy.stdout]).toEqual([0, expect.stringContaining('\tcredential\t')]);
    expect(healthy.stdout).not.toMatch(/^fail/m);

    const setClockBack = 'const now = Date.now; Date.now = () => now() - 300_000;';
    const skewed = await home.svc(['doctor', '--debug-signature'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(setClockBack)}`,
    });
    const clock = skewed.stdout.split('\n').find((line) => line.includes('\tclock\t'));
    const [, skewMs] = /^fail\tclock\t(\d+) ms behind the server's/.exec(clock) ?? [];
    expect(Math.abs(Number(skewMs) - 300_000)).toBeLessThan(5_000);
    expect(skewed.code).toBe(1);
    // After the first response, the SDK signs with the server's time, so the credential works nevertheless.
    expect(skewed.stdout).toMatch(/^ok\tcredential\t/m);
    expect(skewed.stderr).toMatch(/GET\n\s+\/v1\/me\n\s+\d{13}\n\s+[0-9a-f]{32}\n\s+[0-9a-f]{64}/);
  });
});
