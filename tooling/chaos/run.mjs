import { setTimeout as wait } from 'node:timers/promises';
import { startKillableProduct } from '../e2e/killable-product.mjs';
import { outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { audit, countSignals, unsettled } from './audit.mjs';
import { openCast } from './cast.mjs';
import { seeded } from './random.mjs';
import { storm } from './storm.mjs';

/** Long enough for a worker to be missed and replaced, and for lost answers to be looked for. */
const calmMs = 180_000;
/** Between two looks at whether that is over. */
const lookMs = 500;

/**
 * Runs a storm over the whole product, then calm, then the audit.
 *
 * @param {{
 *   seconds: number, seed: number, least?: { orders: number, signals: number },
 *   strategies?: number, copiers?: number, workers?: number,
 *   say?: (line: string) => void, log?: (line: string) => void,
 * }} options the storm continues beyond its time until it produced more than `least`; `say` receives
 *   progress lines, `log` the services' log lines
 */
export async function runChaos({
  seconds,
  seed,
  least,
  strategies = 3,
  copiers = 200,
  workers = 2,
  say = () => {},
  log,
}) {
  const product = await startKillableProduct({ workers, say: log });
  try {
    say(`${strategies} strategies, ${copiers} copiers, ${workers} workers, seed ${seed}`);
    const cast = await openCast(product, { strategies, copiers });
    say(`the storm begins: ${seconds} s`);
    const done = await storm({
      product,
      cast,
      random: seeded(seed),
      seconds,
      isEnough: enough(product, least),
      say,
    });
    say('the storm is over');
    await cancelAll(cast);
    return { done, ...(await reckon(product, cast)) };
  } finally {
    await product.stop();
  }
}

/**
 * Whether there was more than that, and both servers were killed: how fast it comes is the machine's affair.
 *
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {{ orders: number, signals: number }} [least] anything is enough unless given
 */
function enough({ databaseUrl }, least) {
  return async (/** @type {import('./storm.mjs').Done} */ { orders, kills }) => {
    if (least === undefined) return true;
    const signals = await countSignals(databaseUrl).catch(() => 0);
    const areBothKilled = kills.postgres !== undefined && kills.redis !== undefined;
    return areBothKilled && orders > least.orders && signals > least.signals;
  };
}

/**
 * What rests at the exchange could be filled at any time, and be copied.
 *
 * @param {import('./cast.mjs').Cast} cast
 */
async function cancelAll({ leaders }) {
  // An account without an owner needs time before it reports that.
  await Promise.all(leaders.map(cancelAllOf));
}

/** @param {import('./cast.mjs').Leader} leader */
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
    calmMs,
  );
}

/**
 * Returns the audit, once nothing is in flight and everything that happened only at the exchange is recorded; or the
 * audit at the end of the time limit.
 *
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {import('./cast.mjs').Cast} cast
 */
async function reckon(product, cast) {
  const deadline = performance.now() + calmMs;
  for (;;) {
    const left = await unsettled(product.databaseUrl).catch(() => ({ database: 'away' }));
    const isAtRest = Object.values(left).every((count) => count === 0);
    const isLate = performance.now() > deadline;
    if (isAtRest || isLate) {
      const { faults, figures } = await audit(product, cast);
      if (faults.length === 0 || isLate) {
        if (!isAtRest) faults.unshift(`not at rest after ${calmMs / 1_000} s: ${JSON.stringify(left)}`);
        return { faults, figures };
      }
    }
    await wait(lookMs);
  }
}
