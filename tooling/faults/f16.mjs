import { setTimeout as sleep } from 'node:timers/promises';
import { fullestSecond } from './measures.mjs';
import { wrongsOf } from './reconcile.mjs';
import { openSlowReceiver } from './slow-receiver.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Many endpoints fail together, each with an event of the same moment, and come back together. Their next attempts may
 * not come in one heap: the wait before them is spread by a tenth of it, and no second may see more than twice what an
 * even spread over that tenth would bring. Some of them find many more events waiting when they are back, and
 * take their time for each: no endpoint may ever see more than four requests at once.
 *
 * Waits below 30 s are not spread, and 30 s don't fit into a short run. It looks at the instants that Postgres has
 * planned for the herd instead of waiting for them; what is in flight at each endpoint it sees like the long one.
 *
 * @typedef {{
 *   users: number, perUser: number, downMs: number, delaysMs: number[], isHerdAwaited: boolean,
 *   piles: { users: number, perUser: number, events: number, afterMs: number },
 * }} Size `delaysMs` are the waits before attempts 2 to 5; the endpoints are back during the last that matters
 */

const parallelMax = 4;
const peakMax = 2;
/** What the product promises of a wait of 30 s or more. */
const spreadPart = 0.1;
const spreadFromMs = 30_000;
const waitMaxMs = 15_000;

const withoutCaps = { WEBHOOK_IN_FLIGHT_MAX: '1024', USER_IN_FLIGHT_MAX: '1024' };

export const fault = {
  id: 'F16',
  title: 'many endpoints go down and come back together',
  target:
    'no second with more than twice the average of the recovery; at most 4 at once per endpoint; lost 0',
  defence: 'jitter and caps',
  sizes: {
    /** @type {Size} */
    short: {
      users: 4,
      perUser: 25,
      downMs: 1_000,
      delaysMs: [30_000, 30_000, 30_000, 30_000],
      isHerdAwaited: false,
      piles: { users: 2, perUser: 1, events: 24, afterMs: 100 },
    },
    /** @type {Size} */
    long: {
      users: 20,
      perUser: 50,
      downMs: 180_000,
      delaysMs: [5_000, 30_000, 150_000, 600_000],
      isHerdAwaited: true,
      piles: { users: 10, perUser: 2, events: 100, afterMs: 200 },
    },
  },

  /** @param {import('./world.mjs').FaultRun<Size>} run */
  async run({ size, seed, isDefended }) {
    const receiver = await openSlowReceiver({
      herd: { kind: 'answer', status: 503 },
      pile: { kind: 'answer', status: 200, afterMs: size.piles.afterMs },
    });
    const world = await openFaultWorld({ seed, settings: { RETRY_DELAYS_MS: size.delaysMs.join() } });
    try {
      await world.startDispatcher(isDefended ? {} : { settings: withoutCaps, sabotage: 'no-jitter' });
      const herd = await world.addHooks({
        users: size.users,
        perUser: size.perUser,
        urlOf: (index) => receiver.url('herd', index),
      });
      const piles = await world.addHooks({
        users: size.piles.users,
        perUser: size.piles.perUser,
        urlOf: (index) => receiver.url('pile', index),
      });
      await receiver.trust([...herd, ...piles]);
      await world.emitMany(usersOf(herd), size.users);
      await sleep(size.downMs);
      await until(world, herd, "attempts > 0 AND status = 'DUE'");
      await receiver.behave({ herd: { kind: 'answer', status: 200, afterMs: 20 } });
      const backAt = Date.now();
      await world.emitMany(usersOf(piles), size.piles.events * size.piles.users);
      const wave = await (size.isHerdAwaited
        ? herdThatCame({ world, receiver, backAt })
        : herdThatIsPlanned({ world, herd, piles }));
      const { mostOf } = await receiver.read();
      const audit = await world.reconcile(receiver);
      const figures = {
        owed: audit.owed,
        herd: wave.length,
        ...peakOf(wave, lastSpreadMs(size)),
        parallelMost: Math.max(...mostOf.values()),
        lost: audit.lost,
      };
      return { figures, verdict: judge(figures, audit, size) };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/** @param {readonly import('./world.mjs').FaultHook[]} hooks */
const usersOf = (hooks) => [...new Set(hooks.map(({ userId }) => userId))];

/** Of the wait that the herd sits in when its endpoints are back. @param {Size} size */
function lastSpreadMs({ delaysMs, downMs }) {
  let passedMs = 0;
  for (const delayMs of delaysMs) {
    passedMs += delayMs;
    if (passedMs > downMs && delayMs >= spreadFromMs) return delayMs * spreadPart;
  }
  throw new Error('the endpoints are back after the last wait that is spread');
}

/**
 * @param {{
 *   world: import('./world.mjs').FaultWorld, receiver: import('./slow-receiver.mjs').SlowReceiver, backAt: number,
 * }} options
 * @returns {Promise<number[]>} when the herd's attempts came, after its endpoints were back
 */
async function herdThatCame({ world, receiver, backAt }) {
  await world.drained({ withinMs: 120_000 });
  await receiver.read();
  return receiver.received
    .filter(({ path, at }) => path.startsWith('/herd/') && at >= backAt)
    .map(({ at }) => at);
}

/**
 * @param {{
 *   world: import('./world.mjs').FaultWorld, herd: readonly import('./world.mjs').FaultHook[],
 *   piles: readonly import('./world.mjs').FaultHook[],
 * }} options
 * @returns {Promise<number[]>} when the herd's next attempts will come; resolves when the piles are gone
 */
async function herdThatIsPlanned({ world, herd, piles }) {
  await until(world, piles, "status = 'SUCCEEDED'");
  const rows = await world.query(
    `SELECT (extract(epoch FROM next_at) * 1000)::float8 AS at FROM webhook_deliveries
     WHERE status = 'DUE' AND attempts = 1 AND webhook_id = ANY($1)`,
    herd.map(({ id }) => id),
  );
  return rows.map(({ at }) => at);
}

/**
 * Waits until all deliveries of these webhooks are so, for as long as that may take.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {readonly import('./world.mjs').FaultHook[]} hooks
 * @param {string} condition of SQL
 */
async function until(world, hooks, condition) {
  const deadline = performance.now() + waitMaxMs;
  while (performance.now() < deadline) {
    const { events } = await world.backlog();
    const [{ others }] = await world.query(
      `SELECT count(*)::int AS others FROM webhook_deliveries WHERE webhook_id = ANY($1) AND NOT (${condition})`,
      hooks.map(({ id }) => id),
    );
    if (events === 0 && others === 0) return;
    await sleep(50);
  }
}

/**
 * The fullest second against what an even spread over the promised time would bring into each.
 *
 * @param {readonly number[]} instants
 * @param {number} spreadMs
 */
function peakOf(instants, spreadMs) {
  const averagePerSecond = instants.length / (spreadMs / 1_000);
  const fullest = fullestSecond(instants);
  return {
    spanSeconds: Math.round((Math.max(...instants) - Math.min(...instants)) / 100) / 10,
    averagePerSecond: Math.round(averagePerSecond),
    fullestSecond: fullest,
    peak: Math.round((fullest / averagePerSecond) * 100) / 100,
  };
}

/**
 * @param {{ herd: number, peak: number, parallelMost: number }} figures
 * @param {import('./reconcile.mjs').Figures} audit
 * @param {Size} size
 */
function judge({ herd, peak, parallelMost }, audit, { users, perUser, isHerdAwaited }) {
  // A herd that is only planned waits for it.
  const verdict = wrongsOf(isHerdAwaited ? audit : { ...audit, waiting: 0 });
  if (herd < users * perUser) verdict.push(`only ${herd} of ${users * perUser} come back`);
  if (!(peak <= peakMax)) verdict.push(`a second with ${peak} times the average`);
  if (parallelMost > parallelMax) verdict.push(`${parallelMost} requests at once at one endpoint`);
  return verdict;
}
