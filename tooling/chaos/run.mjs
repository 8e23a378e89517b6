import { setTimeout as wait } from 'node:timers/promises';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { judge, readRecord, readUnfinishedExits } from './audit.mjs';
import { payFunding } from './forced-changes.mjs';
import { isCrash, unansweredTradeOf, WorkerLives } from './lives.mjs';
import { openParticipants } from './participants.mjs';
import { seeded } from './random.mjs';
import { countSignals, readBacklog, unsettled } from './read-records.mjs';
import { storm } from './storm.mjs';
import { disconnectStreams } from './venue.mjs';

/** In this time, workers take over the accounts of a dead worker, and look up orders whose response was lost. */
const settleMaxMs = 180_000;
/** In this time, workers also read the funding of every account on perpetuals. */
const fundingMaxMs = 240_000;
/** When all streams are cut after the storm, so that workers read the funding of each account once more. */
const fundingReadAfterMs = 5_000;
/** The pause between two checks. */
const pollMs = 2_000;
/** The rules that waiting can still meet, because the product has not yet read everything from the exchange. */
const RECOVERABLE = ['duplicates', 'lost', 'accounts', 'positions'];
/** After this time, every exit is filled, or its report shows an amount below the exchange's minimum. */
const exitsWithinMs = 60_000;
/** The pause between two readings of all exits, which are expensive. */
const exitPollMs = 5_000;
/** The pause between two printed backlogs. */
const backlogEveryMs = 20_000;

/**
 * Runs a storm on the whole product, waits until everything is settled, and audits the result.
 *
 * @typedef {'spot' | 'perpetual'} TradingType
 *
 * @param {{
 *   seconds: number, seed: number, tradingType?: TradingType, minimum?: { orders: number, signals: number, forced?: number },
 *   strategies?: number, copiers?: number, workers?: number,
 *   print?: (line: string) => void, log?: (line: string) => void,
 * }} options the storm continues beyond `seconds` until it produced more than `minimum` and killed both servers;
 *   `print` receives progress lines, `log` the services' log lines
 */
export async function runChaos({
  seconds,
  seed,
  tradingType = 'spot',
  minimum,
  strategies = 3,
  copiers = 200,
  workers = 2,
  print = () => {},
  log = () => {},
}) {
  /** @type {string[]} */
  const crashes = [];
  /** @type {Map<string, number>} */
  const unanswered = new Map();
  let isStopping = false;
  const readLog = (/** @type {string} */ line) => {
    if (!isStopping && isCrash(line)) crashes.push(line);
    const tradeId = unansweredTradeOf(line);
    if (tradeId !== undefined) unanswered.set(tradeId, (unanswered.get(tradeId) ?? 0) + 1);
    log(line);
  };
  const product = await startKillableProduct({ workers, print: readLog });
  try {
    print(`${tradingType}: ${strategies} strategies, ${copiers} copiers, ${workers} workers, seed ${seed}`);
    const participants = await openParticipants(product, { strategies, copiers, tradingType });
    print(`the storm begins: ${seconds} s`);
    const lives = new WorkerLives(product.workerNames);
    const isEnough = enoughCheck(product, minimum);
    const random = seeded(seed);
    const stopPrinting = printBacklogs(product, print);
    const counts = await storm({ product, participants, random, lives, seconds, isEnough, print });
    await stopPrinting();
    const endedAt = Date.now();
    print(`the storm is over; a killed worker was ready after at most ${lives.longestBootMs / 1_000} s`);
    const [exitFindings] = await Promise.all([
      waitForExits(product, participants, endedAt),
      cancelAll(participants),
    ]);
    print('the exits are judged');
    const storms = { lives: lives.lives, exitFindings, crashes, unanswered };
    const stopReading = tradingType === 'perpetual' ? await requestFunding(product, participants) : () => {};
    const maxMs = tradingType === 'perpetual' ? fundingMaxMs : settleMaxMs;
    const result = await auditWhenSettled(product, participants, { storms, maxMs, print });
    stopReading();
    return { counts, ...result };
  } finally {
    isStopping = true;
    await product.stop();
  }
}

/**
 * Prints how far copying is behind, every 20 s, until the returned function is called.
 *
 * @param {KillableProduct} product
 * @param {(line: string) => void} print
 */
function printBacklogs({ databaseUrl }, print) {
  const end = new AbortController();
  const printing = (async () => {
    for (;;) {
      await wait(backlogEveryMs, undefined, { signal: end.signal }).catch(() => undefined);
      if (end.signal.aborted) return;
      const backlog = await readBacklog(databaseUrl).catch(() => undefined);
      if (backlog === undefined) print('backlog: unknown, Postgres is not available');
      else {
        const { oldestSignalSeconds, waitingOrders } = backlog;
        print(`backlog: oldest signal ${oldestSignalSeconds.toFixed(1)} s, ${waitingOrders} orders waiting`);
      }
    }
  })();
  return async () => {
    end.abort();
    await printing;
  };
}

/**
 * Waits until every exit of the storm is filled or below the exchange's minimum, for at most 60 s after the storm.
 * Returns the exits that are neither.
 *
 * @param {KillableProduct} product
 * @param {import('./participants.mjs').Participants} participants
 * @param {number} endedAt the end of the storm, in milliseconds since the epoch
 */
async function waitForExits(product, participants, endedAt) {
  const deadline = endedAt + exitsWithinMs;
  for (;;) {
    const isLast = Date.now() + exitPollMs >= deadline;
    await wait(isLast ? Math.max(0, deadline - Date.now()) : exitPollMs);
    const findings = await readUnfinishedExits(product, participants, endedAt);
    if (findings.length === 0 || isLast) return findings;
  }
}

/**
 * Returns a function that checks whether the storm produced more than `minimum` and killed both servers. How long that
 * takes depends on the machine.
 *
 * @param {KillableProduct} product
 * @param {{ orders: number, signals: number, forced?: number }} [minimum] without it, the check is always true; `forced`: of
 *   fundings, and of positions closed by auto-deleveraging
 */
function enoughCheck({ databaseUrl }, minimum) {
  return async (/** @type {import('./storm.mjs').StormCounts} */ { orders, kills, forced }) => {
    if (minimum === undefined) return true;
    const least = minimum.forced;
    if (least !== undefined && (forced.fundings <= least || forced.adls <= least)) return false;
    const signals = await countSignals(databaseUrl).catch(() => 0);
    const areBothKilled = kills.postgres !== undefined && kills.redis !== undefined;
    return areBothKilled && orders > minimum.orders && signals > minimum.signals;
  };
}

/**
 * Cancels all resting orders. Otherwise they could be filled and copied during the audit.
 *
 * @param {import('./participants.mjs').Participants} participants
 */
async function cancelAll({ leaders }) {
  // Cancels are repeated, because an account whose worker died cannot cancel until another worker owns it.
  await Promise.all(leaders.map(cancelAllOf));
}

/** @param {import('./participants.mjs').Leader} leader */
async function cancelAllOf({ api }) {
  const openOf = async (/** @type {'PENDING' | 'PARTIALLY_FILLED'} */ status) =>
    (await api.trades.list({ status, limit: 100 })).data;
  const open = async () => [...(await openOf('PENDING')), ...(await openOf('PARTIALLY_FILLED'))];
  await until(
    async () => {
      const trades = await open();
      await Promise.all(trades.map(({ id }) => outcomeOf(api.trades.cancel(id))));
      return await open();
    },
    (trades) => trades.length === 0,
    settleMaxMs,
  );
}

/**
 * Makes the workers read the funding of all accounts: of those with a position by a last funding, which their streams report; of the others
 * by a new connection, unless the returned function is called before.
 *
 * @param {KillableProduct} product
 * @param {import('./participants.mjs').Participants} participants
 */
async function requestFunding({ paperExchangeUrl }, { pairs }) {
  for (const { symbol } of pairs) await payFunding(paperExchangeUrl, symbol, '0.0001');
  const timer = setTimeout(() => void disconnectStreams(paperExchangeUrl), fundingReadAfterMs);
  return () => clearTimeout(timer);
}

/**
 * Repeats the audit until nothing is unsettled and every rule is met, or until the time limit. Returns the last audit.
 * Rules that waiting cannot change are not waited for.
 *
 * @param {KillableProduct} product
 * @param {import('./participants.mjs').Participants} participants
 * @param {{ storms: Parameters<typeof readRecord>[2], maxMs: number, print: (line: string) => void }} options
 */
async function auditWhenSettled(product, participants, { storms, maxMs, print }) {
  const deadline = performance.now() + maxMs;
  for (;;) {
    const unfinished = await unsettled(product.databaseUrl).catch(() => ({ database: 'unavailable' }));
    const isSettled = Object.values(unfinished).every((count) => count === 0);
    const isLate = performance.now() > deadline;
    if (isSettled || isLate) {
      const { record, figures } = await readRecord(product, participants, storms);
      if (!isSettled)
        record.accountDifferences.push(`not settled after ${maxMs / 1_000} s: ${JSON.stringify(unfinished)}`);
      const results = judge(record);
      const open = results.filter(({ id, isMet }) => !isMet && RECOVERABLE.includes(id));
      if (isLate || open.length === 0) return { results, figures };
      for (const { id, findings } of open)
        print(`waiting for ${id}: ${findings.length} findings, for example ${findings[0]}`);
    } else print(`waiting for ${JSON.stringify(unfinished)}`);
    await wait(pollMs);
  }
}

/** @typedef {import('../e2e/killable-product.mjs').KillableProduct} KillableProduct */
