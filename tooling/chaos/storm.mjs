import { setTimeout as wait } from 'node:timers/promises';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { disconnectStreams, setWeather, tradeAtVenue } from './venue.mjs';

/**
 * Runs the storm: leaders trade, the exchange injects faults, and processes are killed.
 *
 * @typedef {{
 *   product: import('../e2e/killable-product.mjs').KillableProduct, participants: import('./participants.mjs').Participants,
 *   random: import('./random.mjs').Random, lives: import('./lives.mjs').WorkerLives, seconds: number,
 *   isEnough: (counts: StormCounts) => Promise<boolean>, print: (line: string) => void,
 * }} Context the storm lasts at least `seconds`, and until `isEnough` resolves to true
 *
 * @typedef {{ orders: number, venueOrders: number, kills: Record<string, number> }} StormCounts
 *   `orders`: placed through the product; `venueOrders`: placed directly at the exchange; `kills`: the number of kills
 *   of each process, by its name
 *
 * @typedef {{ isOver: () => boolean, pause: (ms: number) => Promise<void> }} Clock `pause` resolves early when the storm ends
 */

/** The storm ends after this additional time, even if `isEnough` is still false. */
const extraMaxMs = 180_000;
const pollMs = 1_000;
/**
 * The pause of a leader between two orders. With three leaders, 200 copiers and two cores, copying is then below half of
 * what the machine can do, so that an entry is only too old if the product lost time, not because of a backlog. With
 * half of these pauses, both cores were busy for 86 to 98 % of a storm.
 */
const orderPauseMs = { min: 2_000, max: 8_000 };

/**
 * @param {Context} context
 * @returns {Promise<StormCounts>}
 */
export async function storm(context) {
  /** @type {StormCounts} */
  const counts = { orders: 0, venueOrders: 0, kills: {} };
  const end = new AbortController();
  /** @type {Clock} */
  const clock = {
    isOver: () => end.signal.aborted,
    pause: (ms) => wait(ms, undefined, { signal: end.signal }).catch(() => undefined),
  };
  await Promise.all([
    untilEnough(context, counts).then(() => end.abort()),
    ...context.participants.leaders.map((leader) => trade(context, leader, clock, counts)),
    changeWeather(context, clock),
    killWorkers(context, clock, counts.kills),
    killServers(context, clock, counts.kills),
  ]);
  await setWeather(context.product.paperExchangeUrl, {});
  return counts;
}

/**
 * @param {Context} context
 * @param {StormCounts} counts
 */
async function untilEnough({ seconds, isEnough }, counts) {
  await wait(seconds * 1_000);
  const deadline = performance.now() + extraMaxMs;
  while (!(await isEnough(counts)) && performance.now() < deadline) await wait(pollMs);
}

/**
 * Places one order after another. A request whose response is lost is repeated with its Idempotency-Key until a
 * response arrives. Some orders are placed directly at the exchange; these requests are not repeated.
 *
 * @param {Context} context
 * @param {import('./participants.mjs').Leader} leader
 * @param {Clock} clock
 * @param {StormCounts} counts
 */
async function trade({ product, participants, random }, leader, { isOver, pause }, counts) {
  const resting = [];
  for (let index = 0; !isOver(); index++) {
    const pair = random.pick(participants.pairs);
    const isSale = random.happens(0.35);
    const amount = amountOf(pair, random);
    if (random.happens(0.15)) {
      const order = {
        symbol: `${pair.base}${pair.quote}`,
        side: /** @type {'BUY' | 'SELL'} */ (isSale ? 'SELL' : 'BUY'),
        quantity: amount,
      };
      if (await tradeAtVenue(product.paperExchangeUrl, leader.account.credentials, order))
        counts.venueOrders++;
    } else {
      const created = await placeReliably(leader, {
        exchange_account_id: leader.account.id,
        trade_pair_id: pair.id,
        strategy_id: leader.strategyId,
        client_order_id: `chaos-${leader.strategyId.slice(-6)}-${index}`,
        side: isSale ? 'SELL' : 'BUY',
        amount,
        ...kindOf(pair, isSale, random),
      });
      if (created !== undefined) {
        counts.orders++;
        if (created.type === 'LIMIT') resting.push(created.id);
      }
    }
    // Cancels the oldest resting order if there are more than three.
    if (resting.length > 3)
      await leader.api.trades.cancel(/** @type {string} */ (resting.shift())).catch(() => {});
    await pause(random.between(orderPauseMs.min, orderPauseMs.max));
  }
}

const prices = { BTC: 60_000, ETH: 3_000, SOL: 150 };

/**
 * Returns a random amount worth 150 to 900 units of the quote currency. Each copier can copy a third of the least amount.
 *
 * @param {any} pair
 * @param {import('./random.mjs').Random} random
 */
function amountOf({ base }, random) {
  const price = prices[/** @type {keyof typeof prices} */ (base)];
  return (random.between(150, 900) / price).toFixed(base === 'BTC' ? 5 : base === 'ETH' ? 4 : 3);
}

/**
 * @param {any} pair
 * @param {boolean} isSale
 * @param {import('./random.mjs').Random} random
 */
function kindOf({ base }, isSale, random) {
  if (random.happens(0.7)) return { type: /** @type {const} */ ('MARKET') };
  // The price lies far from the book, lies near it, or crosses it.
  const distance = random.pick([-0.02, -0.0005, 0.01]) * (isSale ? -1 : 1);
  const price = prices[/** @type {keyof typeof prices} */ (base)] * (1 + distance);
  return { type: /** @type {const} */ ('LIMIT'), price: price.toFixed(2) };
}

/**
 * @param {import('./participants.mjs').Leader} leader
 * @param {import('@trading-automation/sdk').TradeCreate & { client_order_id: string }} body
 */
async function placeReliably({ api }, body) {
  const idempotencyKey = body.client_order_id;
  for (;;) {
    const outcome = await outcomeOf(api.trades.create(body, { idempotencyKey })).catch(() => undefined);
    if (outcome?.status === 201) return outcome.data;
    const isUnknown = outcome === undefined || outcome.status >= 500;
    if (!isUnknown && outcome.code !== 'idempotency_in_progress') return undefined;
    await wait(300);
  }
}

/**
 * Changes the weather every few seconds. In between, sometimes disconnects the streams or stops all faults.
 *
 * @param {Context} context
 * @param {Clock} clock
 */
async function changeWeather({ product, random }, { isOver, pause }) {
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
    if (random.happens(0.4)) await disconnectStreams(url);
    if (random.happens(0.3)) await setWeather(url, {});
    await pause(random.between(500, 2_000));
  }
}

/** The pauses between kills of workers, in multiples of the time that the last killed workers took to be ready. */
const pauseBoots = { min: 1, max: 4 };
const firstBootMs = 2_000;
const pauseMaxMs = 60_000;

/**
 * Kills one worker, and sometimes all of them. How long workers live depends on how long they boot, so that a loaded
 * machine does not turn the storm into a permanent outage.
 *
 * @param {Context} context
 * @param {Clock} clock
 * @param {Record<string, number>} kills
 */
async function killWorkers({ product, random, lives, print }, { isOver, pause }, kills) {
  let bootMs = firstBootMs;
  while (!isOver()) {
    await pause(Math.min(pauseMaxMs, bootMs * random.between(pauseBoots.min, pauseBoots.max)));
    if (isOver()) return;
    const killedAt = performance.now();
    const name = random.pick(product.workerNames);
    const names = random.happens(0.1) ? product.workerNames : [name];
    print(`kill -9 ${names.join(' and ')}`);
    await Promise.all(
      names.map(async (each) => {
        lives.killed(each);
        await product.kill(each);
        kills[each] = (kills[each] ?? 0) + 1;
        await product.untilReady(each);
        lives.ready(each);
      }),
    );
    bootMs = performance.now() - killedAt;
  }
}

/**
 * @param {Context} context
 * @param {Clock} clock
 * @param {Record<string, number>} kills
 */
async function killServers({ product, random, seconds, print }, { isOver, pause }, kills) {
  const everyMs = Math.min(60_000, (seconds * 1_000) / 4);
  for (const name of alternate(random)) {
    await pause(everyMs * random.between(0.8, 1.2));
    if (isOver()) return;
    print(`kill -9 ${name}`);
    await product.kill(name);
    kills[name] = (kills[name] ?? 0) + 1;
  }
}

/** @param {import('./random.mjs').Random} random */
function* alternate(random) {
  let name = random.pick(['postgres', 'redis']);
  for (;;) {
    yield name;
    name = name === 'postgres' ? 'redis' : 'postgres';
  }
}
