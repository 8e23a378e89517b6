import { setTimeout as wait } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { until } from '../launch/first-trade/scenario.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations, pairOf } from './reconcile.mjs';

/**
 * Two dispatchers share the work. One of them is repeatedly killed in the middle of its requests and replaced. The other
 * must take over the deliveries that the killed one had in flight.
 */

const resumedMaxMs = 20_000;

/** With these settings, no dispatcher is ever considered dead. */
const withoutTakeover = { SWEEP_MS: '600000', LEASE_MS: '600000', SILENCE_MS: '600000' };

/** @type {import('./environment.mjs').Fault} */
export const fault = {
  id: 'F3',
  title: '`kill -9` of a dispatcher while receivers hold its requests',
  target: 'lost 0; duplicates at most the requests in flight; sent again within 20 s of the kill',
  defence: "the take-over of a dead dispatcher's deliveries",
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
    const receiver = await openRecordingReceiver({
      respond: async () => {
        await wait(size.holdMs);
        return 204;
      },
    });
    const settings = { ...size.settings, ...(isDefended ? {} : withoutTakeover) };
    const environment = await openFaultEnvironment({ seed, settings });
    try {
      const crashes = await killRepeatedly({
        environment,
        receiver,
        size,
        kills: isDefended ? size.kills : 2,
      });
      await environment.untilDrained({ withinMs: isDefended ? 120_000 : 5_000 + size.holdMs });
      const figures = await environment.reconcile(receiver);
      const inFlight = crashes.reduce((sum, { pairs }) => sum + pairs.size, 0);
      const resumedMs = slowestResumption(crashes, receiver.received);
      const violations = findViolations(figures, { duplicatesMax: inFlight });
      if (resumedMs > resumedMaxMs)
        violations.push(`interrupted deliveries were sent again only after ${resumedMs} ms`);
      return { figures: { ...figures, kills: crashes.length, inFlight, resumedMs }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @returns {Promise<string[]>} the ids of all dispatchers that have sent a heartbeat
 */
const dispatcherIds = async (environment) =>
  (await environment.query('SELECT id::text FROM webhook_dispatchers')).map(({ id }) => id);

/**
 * Starts a dispatcher and waits for its first heartbeat.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {Parameters<import('./environment.mjs').FaultEnvironment['startDispatcher']>[0]} options
 */
async function startKnownDispatcher(environment, options) {
  const before = new Set(await dispatcherIds(environment));
  const dispatcher = await environment.startDispatcher(options);
  const [id = ''] = await until(
    async () => (await dispatcherIds(environment)).filter((known) => !before.has(known)),
    (added) => added.length === 1,
  );
  return { dispatcher, id };
}

/**
 * Counts the requests of a dispatcher that the receiver has not responded to yet.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {import('./receiver.mjs').RecordingReceiver} receiver
 * @param {string} dispatcherId
 */
async function countRequests(environment, receiver, dispatcherId) {
  const held = [...(await holdersNow(environment))].filter(([, holder]) => holder === dispatcherId);
  const pairs = new Set(held.map(([pair]) => pair));
  return [...receiver.inFlight].filter(({ webhookId, eventId }) => pairs.has(pairOf(webhookId, eventId)))
    .length;
}

/**
 * @typedef {{ at: number, pairs: ReadonlySet<string>, holders: ReadonlyMap<string, string> }} Crash `holders`: the id of
 *   the dispatcher that held the lease of each pair that was being sent
 */

/**
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function holdersNow(environment) {
  const rows = await environment.query(
    "SELECT webhook_id AS webhook, event_id AS event, holder_id::text AS holder FROM webhook_deliveries WHERE status = 'SENDING'",
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
 *   environment: import('./environment.mjs').FaultEnvironment, receiver: import('./receiver.mjs').RecordingReceiver, size: any, kills: number,
 * }} options
 */
async function killRepeatedly({ environment, receiver, size, kills }) {
  const webhooks = await environment.addWebhooks({ users: size.users, perUser: 4, receiver });
  const userIds = [...new Set(webhooks.map(({ userId }) => userId))];
  const { sabotage } = size;
  await environment.startDispatcher({ sabotage });
  let isOver = false;
  const producing = environment.emitMany(userIds, Number.POSITIVE_INFINITY, {
    perSecond: size.perSecond,
    until: () => isOver,
  });
  /** @type {Crash[]} */
  const crashes = [];
  while (crashes.length < kills) {
    const victim = await startKnownDispatcher(environment, { sabotage });
    await wait(environment.random.between(0, size.holdMs));
    await until(
      () => countRequests(environment, receiver, victim.id),
      (count) => count >= 2,
    );
    const at = Date.now();
    const pairs = await environment.crash(victim.dispatcher, victim.id);
    crashes.push({ at, pairs, holders: await holdersNow(environment) });
  }
  isOver = true;
  await producing;
  return crashes;
}

/**
 * @param {readonly Crash[]} crashes
 * @param {readonly import('./receiver.mjs').Received[]} received
 * @returns {number} the longest time from a kill until an interrupted request arrived again, in milliseconds. A pair is not
 *   counted if another dispatcher took it over and was then killed, too
 */
function slowestResumption(crashes, received) {
  return Math.max(
    0,
    ...crashes.map(({ at, pairs, holders }, index) => {
      const wasTakenOverBefore = (/** @type {number} */ time, /** @type {string} */ pair) =>
        crashes
          .slice(index + 1)
          .some(
            (later) =>
              later.at < time && later.pairs.has(pair) && later.holders.get(pair) !== holders.get(pair),
          );
      /** @type {Map<string, number>} */
      const resumedMs = new Map();
      for (const receipt of received) {
        const pair = pairOf(receipt.webhookId, receipt.eventId);
        if (receipt.at > at && pairs.has(pair) && !resumedMs.has(pair))
          resumedMs.set(pair, wasTakenOverBefore(receipt.at, pair) ? 0 : receipt.at - at);
      }
      return Math.max(0, ...resumedMs.values());
    }),
  );
}
