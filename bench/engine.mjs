/**
 * Measures orders per second through the paper exchange's engine, within one process: only matching; with accounts and
 * ledger; and with the journal on the disk. The baseline is the matching library with the same orders. Rounds are
 * interleaved; a ratio is the median of the ratios of all rounds.
 *
 *   pnpm turbo run build && node bench/engine.mjs
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBaseline } from './engine-baseline.mjs';

const ROUNDS = 11;
const ORDERS = 20_000;
const ACCOUNTS = 100;
const SYMBOL = 'BTCUSDT';

const built = (/** @type {string} */ file) =>
  import(new URL(`../apps/paper-exchange/dist/${file}.js`, import.meta.url).href);
const [{ Book }, { Exchange }, { State }, { findMarket }, { Journal }, { seededRandom }] = await Promise.all(
  ['engine/book', 'engine/exchange', 'engine/state', 'engine/symbols', 'journal', 'random'].map(built),
);

/**
 * An order, or the cancellation of one. Even accounts buy and odd accounts sell, so that no account trades with itself.
 * @typedef {{ id: number, account: number, side: 'BUY' | 'SELL', lots: number, ticks?: number,
 *   timeInForce: 'GTC' | 'IOC', cancels?: undefined } | { cancels: number }} Step
 */

/** @returns {Step[]} the same steps for the same seed: 70 % resting limits, 15 % IOC, 5 % market orders, 10 % cancels */
function plan(/** @type {number} */ seed) {
  const random = seededRandom(seed);
  return Array.from({ length: ORDERS }, (_, index) => {
    const kind = random();
    if (kind < 0.1 && index > 50) return { cancels: index - Math.floor(random() * 50) };
    const side = random() < 0.5 ? 'BUY' : 'SELL';
    const distance = Math.round((random() - 0.4) * 200);
    const order = {
      id: index + 1,
      account: 2 * Math.floor((random() * ACCOUNTS) / 2) + (side === 'BUY' ? 0 : 1),
      side,
      lots: 100 + Math.floor(random() * 900),
      timeInForce: kind < 0.25 ? 'IOC' : 'GTC',
    };
    return kind > 0.95 ? order : { ...order, ticks: 6_000_000 + (side === 'BUY' ? -distance : distance) };
  });
}

function runMatching(/** @type {Step[]} */ steps) {
  const book = new Book();
  let traded = 0;
  for (const step of steps) {
    if (step.cancels !== undefined) book.cancel(String(step.cancels));
    else for (const { lots } of book.submit({ ...step, id: String(step.id) }).fills) traded += lots;
  }
  return traded;
}

/** Prepares the whole exchange without its HTTP interface. Returns the function that runs the steps. */
function prepareExchange(/** @type {Step[]} */ steps, /** @type {Journal | undefined} */ journal) {
  const state = journal?.state ?? new State();
  const exchange = new Exchange({
    state,
    fees: { makerPpm: 1_000, takerPpm: 1_000 },
    now: Date.now,
    persist: (record) => journal?.append(record),
  });
  let traded = 0;
  exchange.onCommit(({ trades }) => {
    for (const { lots } of trades) traded += lots;
  });
  const spec = findMarket(SYMBOL);
  const accounts = openAccounts(exchange);
  /** The orders by the id of the step that placed them. */
  const orders = new Map();
  return () => {
    for (const step of steps) {
      if (step.cancels !== undefined) {
        const order = orders.get(step.cancels);
        if (order?.status === 'NEW' || order?.status === 'PARTIALLY_FILLED') exchange.cancel(order, 'cancel');
        continue;
      }
      const { id, account, side, lots, ticks, timeInForce } = step;
      const type = ticks === undefined ? 'MARKET' : 'LIMIT';
      const request = {
        side,
        type,
        timeInForce,
        lots,
        priceTicks: ticks ?? 0,
        stopTicks: 0,
        quoteOrderQty: 0n,
      };
      orders.set(id, exchange.place(accounts[account], spec, { ...request, clientOrderId: `order-${id}` }));
    }
    return traded;
  };
}

function openAccounts(/** @type {InstanceType<typeof Exchange>} */ exchange) {
  const balance = 10n ** 18n;
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const id = `u${index}`;
    const account = {
      id,
      uid: index,
      apiKey: id,
      apiSecret: id,
      canTrade: true,
      canWithdraw: false,
      createdAt: 0,
    };
    exchange.openAccount(account, new Map(['USDT', 'BTC'].map((asset) => [asset, balance])));
    return account;
  });
}

/** The compared variants. Each returns the function to measure, and optionally a function that cleans up. */
const VARIANTS = {
  'bare library': (steps) => ({ run: () => runBaseline(steps) }),
  matching: (steps) => ({ run: () => runMatching(steps) }),
  'with accounts and ledger': (steps) => ({ run: prepareExchange(steps) }),
  'with the journal': (steps) => {
    const directory = mkdtempSync(join(tmpdir(), 'bench-engine-'));
    const journal = new Journal(directory);
    const end = () => {
      journal.close();
      rmSync(directory, { recursive: true });
    };
    return { run: prepareExchange(steps, journal), end };
  },
};

const median = (/** @type {number[]} */ values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const seconds = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
for (let round = -1; round < ROUNDS; round += 1) {
  const steps = plan(round + 2);
  const results = new Set();
  for (const [name, prepare] of Object.entries(VARIANTS)) {
    const { run, end } = prepare(steps);
    const startedAt = performance.now();
    results.add(run());
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    end?.();
    // The first round warms up.
    if (round >= 0) seconds[name].push(elapsedSeconds);
  }
  if (results.size !== 1)
    throw new Error(`the variants traded different amounts: ${[...results].join(', ')} lots`);
}
const bare = seconds['bare library'];
console.table(
  Object.fromEntries(
    Object.entries(seconds).map(([name, elapsedSeconds]) => [
      name,
      {
        'orders/s': Math.round(ORDERS / median(elapsedSeconds)),
        'of bare': Number(median(elapsedSeconds.map((value, round) => bare[round] / value)).toFixed(3)),
      },
    ]),
  ),
);
