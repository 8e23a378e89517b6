import { keepHouse } from './housekeeping.js';
import { openPlatform, type Platform } from './platform.js';
import { createCoreDatabase } from './testing/index.js';

let database: Awaited<ReturnType<typeof createCoreDatabase>>;
let platform: Platform;
beforeAll(async () => {
  database = await createCoreDatabase();
  platform = await openPlatform({
    world: 'test',
    databaseUrl: database.url,
    applicationName: 'housekeeping-spec',
    onListenerError: () => undefined,
  });
});
afterAll(async () => {
  await platform.close();
  await database.drop();
});

describe('keepHouse', () => {
  it('removes what is past its time, however much it is, and leaves the rest', async () => {
    await platform.database.query(
      `INSERT INTO idempotency_keys (user_id, route, key_hash, fingerprint, status, answer_sealed, expires_at)
       SELECT gen_random_uuid(), 'r', int4send(i), '', 200, '',
              now() + CASE WHEN i <= 2500 THEN interval '-1 second' ELSE interval '1 hour' END
       FROM generate_series(1, 2510) AS i`,
    );
    await platform.database.query(
      `INSERT INTO heartbeats VALUES ('worker', 'gone', now() - interval '2 days'), ('worker', 'here', now())`,
    );
    expect(await keepHouse(platform)).toEqual({ answers: 2500, heartbeats: 1 });
    expect(await keepHouse(platform)).toEqual({ answers: 0, heartbeats: 0 });
    const [{ count }] = await platform.database.query('SELECT count(*)::int AS count FROM idempotency_keys');
    expect(count).toBe(10);
  });
});
