import { countByStatus, keepCalling, openCaller } from './callers.mjs';
import { openFaultEnvironment } from './environment.mjs';
import { countMissingApiKeys } from './missing-api-keys.mjs';
import { openRecordingReceiver } from './receiver.mjs';
import { findViolations } from './reconcile.mjs';
import { rejectOneInEight } from './reject-one-in-eight.mjs';

/**
 * Postgres rejects writes at random: because of a full disk, a serialisation failure or a deadlock. Not every machine
 * allows a test to fill a disk, so triggers raise these errors with their SQLSTATE. Clients cannot see the difference.
 */

/** The error codes of a full disk, a serialisation failure and a deadlock. */
const sqlStates = ['53100', '40001', '40P01'];
const callersAtOnce = 3;
const tables = ['outbox_events', 'webhook_deliveries', 'webhook_attempts', 'api_keys'];

export const fault = {
  id: 'F13',
  title: 'Postgres refuses to write: disk full, serialisation failures, deadlocks',
  target: 'lost 0, duplicates 0; the API responds with 503, and never with 2xx if a change is not stored',
  defence: 'handling of errors from Postgres',
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

  /** @param {import('./environment.mjs').FaultRun<any>} run */
  async run({ size, seed, isDefended, print }) {
    const receiver = await openRecordingReceiver({ respond: rejectOneInEight });
    const environment = await openFaultEnvironment({ seed, settings: size.settings });
    try {
      const sabotage = isDefended ? {} : { sabotage: 'ignore-sql-errors' };
      const webhooks = await environment.addWebhooks({ users: size.users, perUser: 2, receiver });
      const [api] = await Promise.all([
        environment.startApi(sabotage),
        environment.startDispatcher(sabotage),
      ]);
      const caller = await openCaller(environment, api.url, receiver);
      await setRejectionChance(environment, size.chance);
      await createTriggers(environment);
      const calls = Array.from({ length: callersAtOnce }, () => keepCalling(() => caller.change()));
      await environment.emitMany([...new Set(webhooks.map(({ userId }) => userId))], size.events, {
        perSecond: size.perSecond,
      });
      const responses = (await Promise.all(calls.map((each) => each.stop()))).flat();
      await setRejectionChance(environment, 0);
      print(
        `all deliveries finished: ${await environment.untilDrained({ withinMs: isDefended ? 120_000 : 4_000 })}`,
      );
      await caller.settle();
      const figures = await environment.reconcile(receiver);
      const violations = findViolations(figures);
      const failures = responses.filter(({ status }) => status < 200 || status > 299);
      const unexpected = failures.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null);
      if (unexpected.length > 0)
        violations.push(
          `unexpected responses, not 503 with Retry-After: ${JSON.stringify(countByStatus(unexpected))}`,
        );
      const missing = await countMissingApiKeys(
        environment,
        responses.flatMap(({ id }) => id ?? []),
      );
      if (missing > 0) violations.push(`${missing} objects were confirmed with 201 and are not stored`);
      return { figures: { ...figures, responses: countByStatus(responses), missing }, violations };
    } finally {
      await environment.close();
      await receiver.close();
    }
  },
};

/**
 * Makes the triggers reject statements with the given probability from now on. This locks no table.
 *
 * @param {import('./environment.mjs').FaultEnvironment} environment
 * @param {number} chance
 */
async function setRejectionChance(environment, chance) {
  await environment.query(`
    CREATE OR REPLACE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < ${chance} THEN
        RAISE EXCEPTION 'rejected by the fault' USING ERRCODE = (ARRAY['${sqlStates.join("','")}'])[1 + floor(random() * ${sqlStates.length})];
      END IF;
      RETURN NULL;
    END $$`);
}

/** @param {import('./environment.mjs').FaultEnvironment} environment */
async function createTriggers(environment) {
  for (const table of tables) {
    await environment.query(
      `CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_some()`,
    );
  }
}
