import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { until } from '../launch/first-trade/scenario.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { pairOf, wrongsOf } from './reconcile.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Two dispatchers share the work. One of them is killed in the middle of its requests, again and again, and begun
 * anew; what it had in its hands is for the other to find.
 */

const resumedMaxMs = 20_000;

/** No dispatcher is ever considered dead. */
const withoutTakeOver = { SWEEP_MS: '600000', LEASE_MS: '600000', SILENCE_MS: '600000' };

/** @type {import('./world.mjs').Fault} */
export const fault = {
  id: 'F3',
  title: '`kill -9` of a dispatcher while receivers hold its requests',
  target: 'lost 0; duplicates at most what it had in flight; sent again within 20 s of the kill',
  defence: 'the take-over of what the dead had in hand',
  sizes: {
    short: {
      kills: 1,
      users: 4,
      perSecond: 20,
      holdMs: 300,
      settings: { SILENCE_MS: '1000' },
      sabotage: 'short-locks',
    },
    long: { kills: 50, users: 20, perSecond: 12, holdMs: 3_000, settings: {} },
  },

  async run({ size, seed, isDefended }) {
    const receiver = await openLedgerReceiver({
      answer: async () => {
        await wait(size.holdMs);
        return 204;
      },
    });
    const settings = { ...size.settings, ...(isDefended ? {} : withoutTakeOver) };
    const world = await openFaultWorld({ seed, settings });
    try {
      const crashes = await killAgainAndAgain({ world, receiver, size, kills: isDefended ? size.kills : 2 });
      await world.drained({ withinMs: isDefended ? 120_000 : 5_000 + size.holdMs });
      const figures = await world.reconcile(receiver);
      const inFlight = crashes.reduce((sum, { pairs }) => sum + pairs.size, 0);
      const resumedMs = slowestResumption(crashes, receiver.received);
      const verdict = wrongsOf(figures, { duplicatesMax: inFlight });
      if (resumedMs > resumedMaxMs) verdict.push(`sent again after ${resumedMs} ms`);
      return { figures: { ...figures, kills: crashes.length, inFlight, resumedMs }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * How many requests of the dispatcher that was begun last are with the receiver now.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {import('./receiver.mjs').LedgerReceiver} receiver
 */
async function requestsOfNewest(world, receiver) {
  const rows = await world.query(
    `SELECT webhook_id AS webhook, event_id AS event FROM webhook_deliveries WHERE status = 'SENDING'
       AND holder_id = (SELECT id FROM webhook_dispatchers ORDER BY since DESC LIMIT 1)`,
  );
  const its = new Set(
    rows.map(({ webhook, event }) => pairOf(encodeId('whk', webhook), encodeId('evt', event))),
  );
  return [...receiver.inFlight].filter(({ webhookId, eventId }) => its.has(pairOf(webhookId, eventId)))
    .length;
}

/**
 * @typedef {{ at: number, pairs: ReadonlySet<string>, holders: ReadonlyMap<string, string> }} Crash `holders` had
 *   leased what was being sent
 */

/**
 * @param {import('./world.mjs').FaultWorld} world
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function holdersNow(world) {
  const rows = await world.query(
    "SELECT webhook_id AS webhook, event_id AS event, holder_id AS holder FROM webhook_deliveries WHERE status = 'SENDING'",
  );
  return new Map(
    rows.map(({ webhook, event, holder }) => [
      pairOf(encodeId('whk', webhook), encodeId('evt', event)),
      holder,
    ]),
  );
}

/**
 * @param {{
 *   world: import('./world.mjs').FaultWorld, receiver: import('./receiver.mjs').LedgerReceiver, size: any, kills: number,
 * }} options
 */
async function killAgainAndAgain({ world, receiver, size, kills }) {
  const hooks = await world.addHooks({ users: size.users, perUser: 4, receiver });
  const userIds = [...new Set(hooks.map(({ userId }) => userId))];
  const { sabotage } = size;
  await world.startDispatcher({ sabotage });
  let isOver = false;
  const producing = world.emitMany(userIds, Number.POSITIVE_INFINITY, {
    perSecond: size.perSecond,
    until: () => isOver,
  });
  /** @type {Crash[]} */
  const crashes = [];
  while (crashes.length < kills) {
    const victim = await world.startDispatcher({ sabotage });
    await wait(world.random.between(0, size.holdMs));
    await until(
      () => requestsOfNewest(world, receiver),
      (count) => count >= 2,
    );
    const at = Date.now();
    const pairs = await world.crash(victim, receiver);
    crashes.push({ at, pairs, holders: await holdersNow(world) });
  }
  isOver = true;
  await producing;
  return crashes;
}

/**
 * @param {readonly Crash[]} crashes
 * @param {readonly import('./receiver.mjs').Received[]} received
 * @returns {number} from a kill to the last of its requests that came again, in milliseconds; what the next victim had
 *   taken up by its own kill, and not yet sent, counts from then
 */
function slowestResumption(crashes, received) {
  return Math.max(
    0,
    ...crashes.map(({ at, pairs, holders }, nth) => {
      const isTakenUpBefore = (/** @type {number} */ time, /** @type {string} */ pair) =>
        crashes
          .slice(nth + 1)
          .some(
            (later) =>
              later.at < time && later.pairs.has(pair) && later.holders.get(pair) !== holders.get(pair),
          );
      /** @type {Map<string, number>} */
      const again = new Map();
      for (const one of received) {
        const pair = pairOf(one.webhookId, one.eventId);
        if (one.at > at && pairs.has(pair) && !again.has(pair))
          again.set(pair, isTakenUpBefore(one.at, pair) ? 0 : one.at - at);
      }
      return Math.max(0, ...again.values());
    }),
  );
}
