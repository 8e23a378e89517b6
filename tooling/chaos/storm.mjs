import { setTimeout as wait } from 'node:timers/promises';
import { forcePositions } from './forced-changes.mjs';
import { trade } from './leader-trades.mjs';
import { disconnectStreams, setWeather } from './venue.mjs';

/**
 * Runs the storm: leaders trade, the exchange injects faults, and processes are killed.
 *
 * @typedef {{
 *   product: import('../e2e/killable-product.mjs').KillableProduct, participants: import('./participants.mjs').Participants,
 *   random: import('./random.mjs').Random, lives: import('./lives.mjs').WorkerLives, seconds: number,
 *   isEnough: (counts: StormCounts) => Promise<boolean>, print: (line: string) => void,
 * }} Context the storm lasts at least `seconds`, and until `isEnough` resolves to true
 *
 * @typedef {{
 *   orders: number, venueOrders: number, kills: Record<string, number>,
 *   forced: import('./forced-changes.mjs').ForcedCounts,
 * }} StormCounts `orders`: placed through the product; `venueOrders`: placed directly at the exchange; `kills`: the number of
 *   kills of each process, by its name; `forced`: what the exchange did to positions
 *
 * @typedef {{ isOver: () => boolean, pause: (ms: number) => Promise<void> }} Clock `pause` resolves early when the storm ends
 */

/** The storm ends after this additional time, even if `isEnough` is still false. */
const extraMaxMs = 180_000;
const pollMs = 1_000;

/**
 * @param {Context} context
 * @returns {Promise<StormCounts>}
 */
export async function storm(context) {
  /** @type {StormCounts} */
  const counts = { orders: 0, venueOrders: 0, kills: {}, forced: { fundings: 0, adls: 0, liquidations: 0 } };
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
    ...(context.participants.speculator === undefined ? [] : [forcePositions(context, clock, counts.forced)]),
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
