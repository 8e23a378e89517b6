import { newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { Queue } from 'bullmq';
import { configSchema } from '../src/config.js';
import { ATTEMPT_QUEUES } from '../src/delivery/attempt-queue.js';
import { startDispatcher } from '../src/dispatcher.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

let environment: TestEnvironment;
let receiver: Receiver;
let dispatcher: RunningProcess | undefined;
beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
});
afterEach(async () => {
  await dispatcher?.stop();
  await receiver.close();
  await environment.close();
});

const DAY_MS = 86_400_000;

/** The data of jobs that this release does not write: another release used other names, or an id that is no UUID. */
const FOREIGN_JOBS = [
  {},
  { deliveryId: newUuid(), n: 1 },
  { delivery_id: 'dlv_1', attempt: 1 },
  { delivery_id: newUuid(), attempt: 'first' },
  { delivery_id: null, attempt: null },
];

describe('an upgrade', () => {
  it('delivers everything that waits, although Redis holds the jobs of another release under the same ids', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const ids = await Promise.all(Array.from({ length: 10 }, () => environment.emit(hook.userId)));
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
       SELECT gen_random_uuid(), $1, id, type, 'DUE', clock_timestamp() FROM outbox_events`,
      hook.id,
    );
    const deliveries = await environment.query('SELECT id FROM webhook_deliveries ORDER BY id');
    const { REDIS_URL: url, QUEUE_PREFIX, WORLD } = environment.settings;
    for (const [lane, name] of Object.entries(ATTEMPT_QUEUES)) {
      const queue = new Queue(name, { connection: { url }, prefix: `${QUEUE_PREFIX}-${WORLD}` });
      for (const [index, { id }] of deliveries.entries()) {
        const data = FOREIGN_JOBS[index % FOREIGN_JOBS.length];
        // Half of the jobs run at once and fail; the others would run in a day, and hold the ids of their attempts.
        const delay = index < FOREIGN_JOBS.length ? 0 : DAY_MS;
        await queue.add(`attempt of ${lane}`, data, { jobId: `${id}-a1`, delay, removeOnFail: false });
      }
      await queue.close();
    }
    const logger = createLogger('spec', 'silent');
    dispatcher = await startDispatcher(readConfig(configSchema, environment.settings), logger);
    await eventually(
      async () =>
        (await environment.query("SELECT FROM webhook_deliveries WHERE status = 'SUCCEEDED'")).length ===
        ids.length,
    );
    expect(receiver.received).toHaveLength(ids.length);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(ids.length);
    expect(receiver.rejected).toEqual([]);
  });
});
