import { keepCalling, openCaller, statuses } from './callers.mjs';
import { missingKeys } from './f11.mjs';
import { openLedgerReceiver } from './receiver.mjs';
import { wrongsOf } from './reconcile.mjs';
import { refuseSome } from './refusing-some.mjs';
import { openFaultWorld } from './world.mjs';

/**
 * Postgres refuses what it is asked to write, at random: its disk is full, a transaction could not be serialised, two
 * waited for each other. A disk that is full is not to be had everywhere, so triggers give the answer that Postgres
 * would give, with its SQLSTATE: to its clients that is the same.
 */

const states = ['53100', '40001', '40P01'];
const callersAtOnce = 3;
const tables = ['outbox_events', 'webhook_deliveries', 'webhook_attempts', 'api_keys'];

export const fault = {
  id: 'F13',
  title: 'Postgres refuses to write: disk full, serialisation failures, deadlocks',
  target: 'lost 0, duplicates 0; the API answers 503, and never 2xx for what is not stored',
  defence: 'that refusals of Postgres are looked at',
  sizes: {
    short: {
      users: 10,
      chance: 0.2,
      events: 60,
      perSecond: 60,
      settings: { SWEEP_MS: '500', ATTEMPT_TIMEOUT_MS: '2000', LEASE_MS: '3000' },
    },
    long: { users: 100, chance: 0.2, events: 5_000, perSecond: 40, settings: {} },
  },

  /** @param {import('./world.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, say }) {
    const receiver = await openLedgerReceiver({ answer: refuseSome });
    const world = await openFaultWorld({ seed, settings: size.settings });
    try {
      const sabotage = isDefended ? {} : { sabotage: 'swallow-refusals' };
      const hooks = await world.addHooks({ users: size.users, perUser: 2, receiver });
      const [api] = await Promise.all([world.startApi(sabotage), world.startDispatcher(sabotage)]);
      const caller = await openCaller(world, api.url, receiver);
      await refuseSomeWrites(world, size.chance);
      await watchWrites(world);
      const calls = Array.from({ length: callersAtOnce }, () => keepCalling(() => caller.change()));
      await world.emitMany([...new Set(hooks.map(({ userId }) => userId))], size.events, {
        perSecond: size.perSecond,
      });
      const answered = (await Promise.all(calls.map((each) => each.stop()))).flat();
      await refuseSomeWrites(world, 0);
      say(`drained: ${await world.drained({ withinMs: isDefended ? 120_000 : 4_000 })}`);
      await caller.settle();
      const figures = await world.reconcile(receiver);
      const verdict = wrongsOf(figures);
      const refused = answered.filter(({ status }) => status < 200 || status > 299);
      const unlike = refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null);
      if (unlike.length > 0)
        verdict.push(`answers other than 503 with Retry-After: ${JSON.stringify(statuses(unlike))}`);
      const missing = await missingKeys(
        world,
        answered.flatMap(({ id }) => id ?? []),
      );
      if (missing > 0) verdict.push(`${missing} of what was answered with 201 is not stored`);
      return { figures: { ...figures, answers: statuses(answered), missing }, verdict };
    } finally {
      await world.close();
      await receiver.close();
    }
  },
};

/**
 * Has Postgres refuse this part of the statements that are watched, from now on. No table is locked for it.
 *
 * @param {import('./world.mjs').FaultWorld} world
 * @param {number} chance
 */
async function refuseSomeWrites(world, chance) {
  await world.query(`
    CREATE OR REPLACE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < ${chance} THEN
        RAISE EXCEPTION 'refused' USING ERRCODE = (ARRAY['${states.join("','")}'])[1 + floor(random() * ${states.length})];
      END IF;
      RETURN NULL;
    END $$`);
}

/** @param {import('./world.mjs').FaultWorld} world */
async function watchWrites(world) {
  for (const table of tables) {
    await world.query(
      `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_some()`,
    );
  }
}
