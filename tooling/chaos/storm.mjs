import { setTimeout as wait } from 'node:timers/promises';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { cutStreams, setWeather, tradeAtVenue } from './venue.mjs';

/**
 * What goes on while the storm lasts: leaders trade, the exchange misbehaves, processes are killed.
 *
 * @typedef {{
 *   product: import('../e2e/killable-product.mjs').KillableProduct, cast: import('./cast.mjs').Cast,
 *   random: import('./random.mjs').Random, seconds: number, isEnough: (done: Done) => Promise<boolean>,
 *   say: (line: string) => void,
 * }} Scene `seconds` at least, and until it is enough
 *
 * @typedef {{ orders: number, venueOrders: number, kills: Record<string, number> }} Done how much of it there was
 *
 * @typedef {{ isOver: () => boolean, pause: (ms: number) => Promise<void> }} Time of the storm: a pause ends with it
 */

/** A storm that is not enough after so much more time never will be. */
const moreMaxMs = 180_000;
const lookMs = 1_000;

/**
 * @param {Scene} scene
 * @returns {Promise<Done>}
 */
export async function storm(scene) {
  /** @type {Done} */
  const done = { orders: 0, venueOrders: 0, kills: {} };
  const end = new AbortController();
  /** @type {Time} */
  const time = {
    isOver: () => end.signal.aborted,
    pause: (ms) => wait(ms, undefined, { signal: end.signal }).catch(() => undefined),
  };
  await Promise.all([
    untilEnough(scene, done).then(() => end.abort()),
    ...scene.cast.leaders.map((leader) => trade(scene, leader, time, done)),
    blow(scene, time),
    killWorkers(scene, time, done.kills),
    killServers(scene, time, done.kills),
  ]);
  await setWeather(scene.product.paperExchangeUrl, {});
  return done;
}

/**
 * @param {Scene} scene
 * @param {Done} done
 */
async function untilEnough({ seconds, isEnough }, done) {
  await wait(seconds * 1_000);
  const deadline = performance.now() + moreMaxMs;
  while (!(await isEnough(done)) && performance.now() < deadline) await wait(lookMs);
}

/**
 * One order after the other. A request whose answer is lost is sent again with its key until it is answered.
 *
 * @param {Scene} scene
 * @param {import('./cast.mjs').Leader} leader
 * @param {Time} time
 * @param {Done} done
 */
async function trade({ product, cast, random }, leader, { isOver, pause }, done) {
  const resting = [];
  for (let nth = 0; !isOver(); nth++) {
    const pair = random.pick(cast.pairs);
    const isSale = random.happens(0.35);
    const amount = amountOf(pair, random);
    if (random.happens(0.15)) {
      const order = {
        symbol: `${pair.base}${pair.quote}`,
        side: /** @type {'BUY' | 'SELL'} */ (isSale ? 'SELL' : 'BUY'),
        quantity: amount,
      };
      if (await tradeAtVenue(product.paperExchangeUrl, leader.account.credentials, order)) done.venueOrders++;
    } else {
      const made = await placeSurely(leader, {
        exchange_account_id: leader.account.id,
        trade_pair_id: pair.id,
        strategy_id: leader.strategyId,
        client_order_id: `chaos-${leader.strategyId.slice(-6)}-${nth}`,
        side: isSale ? 'SELL' : 'BUY',
        amount,
        ...kindOf(pair, isSale, random),
      });
      if (made !== undefined) {
        done.orders++;
        if (made.type === 'LIMIT') resting.push(made.id);
      }
    }
    // What rests is taken back now and then.
    if (resting.length > 3)
      await leader.api.trades.cancel(/** @type {string} */ (resting.shift())).catch(() => {});
    await pause(random.between(200, 1_200));
  }
}

const prices = { BTC: 60_000, ETH: 3_000, SOL: 150 };

/**
 * Worth 30 to 900 of quote.
 *
 * @param {any} pair
 * @param {import('./random.mjs').Random} random
 */
function amountOf({ base }, random) {
  const price = prices[/** @type {keyof typeof prices} */ (base)];
  return (random.between(30, 900) / price).toFixed(base === 'BTC' ? 5 : base === 'ETH' ? 4 : 3);
}

/**
 * @param {any} pair
 * @param {boolean} isSale
 * @param {import('./random.mjs').Random} random
 */
function kindOf({ base }, isSale, random) {
  if (random.happens(0.7)) return { type: /** @type {const} */ ('MARKET') };
  // Sometimes across the book, sometimes far from it.
  const away = random.pick([-0.02, -0.0005, 0.01]) * (isSale ? -1 : 1);
  const price = prices[/** @type {keyof typeof prices} */ (base)] * (1 + away);
  return { type: /** @type {const} */ ('LIMIT'), price: price.toFixed(2) };
}

/**
 * @param {import('./cast.mjs').Leader} leader
 * @param {import('@trading-automation/sdk').TradeCreate & { client_order_id: string }} body
 */
async function placeSurely({ api }, body) {
  const idempotencyKey = body.client_order_id;
  for (;;) {
    const outcome = await outcomeOf(api.trades.create(body, { idempotencyKey })).catch(() => undefined);
    if (outcome?.status === 201) return outcome.data;
    const isOpen = outcome === undefined || outcome.status >= 500;
    if (!isOpen && outcome.code !== 'idempotency_in_progress') return undefined;
    await wait(300);
  }
}

/**
 * Spells of bad weather with fair ones between.
 *
 * @param {Scene} scene
 * @param {Time} time
 */
async function blow({ product, random }, { isOver, pause }) {
  const url = product.paperExchangeUrl;
  while (!isOver()) {
    await setWeather(url, {
      latency_ms: Math.round(random.between(0, 60)),
      rate_limit_rate: random.happens(0.3) ? 0.05 : 0,
      error_rate: random.between(0, 0.1),
      drop_answer_rate: random.between(0, 0.1),
      duplicate_event_rate: random.between(0, 0.5),
      reorder_event_rate: random.between(0, 0.5),
      partial_fill_rate: random.between(0, 0.6),
    });
    await pause(random.between(2_000, 5_000));
    if (random.happens(0.4)) await cutStreams(url);
    if (random.happens(0.3)) await setWeather(url, {});
    await pause(random.between(500, 2_000));
  }
}

/**
 * @param {Scene} scene
 * @param {Time} time
 * @param {Record<string, number>} kills
 */
async function killWorkers({ product, random, say }, { isOver, pause }, kills) {
  while (!isOver()) {
    await pause(random.between(2_000, 7_000));
    if (isOver()) return;
    const name = random.pick(product.workerNames);
    say(`kill -9 ${name}`);
    await product.kill(name);
    kills[name] = (kills[name] ?? 0) + 1;
  }
}

/**
 * @param {Scene} scene
 * @param {Time} time
 * @param {Record<string, number>} kills
 */
async function killServers({ product, random, seconds, say }, { isOver, pause }, kills) {
  const everyMs = Math.min(60_000, (seconds * 1_000) / 4);
  for (const name of turns(random)) {
    await pause(everyMs * random.between(0.8, 1.2));
    if (isOver()) return;
    say(`kill -9 ${name}`);
    await product.kill(name);
    kills[name] = (kills[name] ?? 0) + 1;
  }
}

/** @param {import('./random.mjs').Random} random */
function* turns(random) {
  let name = random.pick(['postgres', 'redis']);
  for (;;) {
    yield name;
    name = name === 'postgres' ? 'redis' : 'postgres';
  }
}
