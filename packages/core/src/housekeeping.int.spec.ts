import { keepHouse } from './housekeeping.js';
import { CoreUnderTest } from './testing/index.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

describe('keepHouse', () => {
  it('removes what is past its time, however much it is, and leaves the rest', async () => {
    await core.rows(
      `INSERT INTO idempotency_keys (user_id, route, key_hash, fingerprint, status, answer_sealed, expires_at)
       SELECT gen_random_uuid(), 'r', int4send(i), '', 200, '',
              now() + CASE WHEN i <= 2500 THEN interval '-1 second' ELSE interval '1 hour' END
       FROM generate_series(1, 2510) AS i`,
    );
    await core.rows(
      `INSERT INTO heartbeats VALUES ('worker', 'gone', now() - interval '2 days'), ('worker', 'here', now())`,
    );
    expect(await keepHouse(core.platform)).toEqual({ answers: 2500, heartbeats: 1 });
    expect(await keepHouse(core.platform)).toEqual({ answers: 0, heartbeats: 0 });
    expect(await core.row('SELECT count(*)::int AS count FROM idempotency_keys')).toEqual({ count: 10 });
  });
});
