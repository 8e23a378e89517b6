import { CoreUnderTest } from '../testing/index.js';
import { runHousekeeping } from './housekeeping.js';

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

describe('runHousekeeping', () => {
  it('deletes all expired stored responses and old heartbeats, and no other rows', async () => {
    await core.rows(
      `INSERT INTO idempotency_keys (user_id, route, key_hash, fingerprint, status, answer_sealed, expires_at)
       SELECT gen_random_uuid(), 'r', int4send(i), '', 200, '',
              now() + CASE WHEN i <= 2500 THEN interval '-1 second' ELSE interval '1 hour' END
       FROM generate_series(1, 2510) AS i`,
    );
    await core.rows(
      `INSERT INTO heartbeats VALUES ('worker', 'gone', now() - interval '2 days'), ('worker', 'here', now())`,
    );
    expect(await runHousekeeping(core.platform)).toEqual({
      idempotencyKeys: 2500,
      heartbeats: 1,
      signInRecords: 0,
    });
    expect(await runHousekeeping(core.platform)).toEqual({
      idempotencyKeys: 0,
      heartbeats: 0,
      signInRecords: 0,
    });
    expect(await core.row('SELECT count(*)::int AS count FROM idempotency_keys')).toEqual({ count: 10 });
  });

  it('deletes all expired sign-in records, and no others', async () => {
    const { userId } = await core.actor();
    const times = `(VALUES (1, now() - interval '1 second'), (2, now() + interval '1 hour')) AS t (n, at)`;
    for (const statement of [
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       SELECT gen_random_uuid(), $1, 'password', now(), at, at FROM ${times}`,
      `INSERT INTO sign_in_tickets (hash, user_id, how, expires_at) SELECT int4send(n), $1, 'password', at FROM ${times}`,
      `INSERT INTO passkey_challenges (id, user_id, challenge, purpose, expires_at)
       SELECT gen_random_uuid(), $1, n::text, 'p', at FROM ${times}`,
    ])
      await core.rows(statement, userId);
    for (const statement of [
      `INSERT INTO refresh_tokens (hash, session_id, created_at) SELECT sha256(id::text::bytea), id, now() FROM sessions`,
      `INSERT INTO sign_in_attempts (subject, attempts, expires_at) SELECT int4send(n), 1, at FROM ${times}`,
      `INSERT INTO used_login_data (hash, expires_at) SELECT int4send(n), at FROM ${times}`,
      `INSERT INTO token_keys (kid, public_jwk, private_sealed, created_at, signs_until, shown_until)
       SELECT n::text, '{}', '', now(), now(), at FROM ${times}`,
    ])
      await core.rows(statement);
    expect(await runHousekeeping(core.platform)).toMatchObject({ signInRecords: 6 });
    expect(await runHousekeeping(core.platform)).toMatchObject({ signInRecords: 0 });
    for (const table of [
      'sessions',
      'refresh_tokens',
      'sign_in_tickets',
      'sign_in_attempts',
      'used_login_data',
      'passkey_challenges',
      'token_keys',
    ])
      expect({ table, ...(await core.row(`SELECT count(*)::int AS left FROM ${table}`)) }).toEqual({
        table,
        left: 1,
      });
  });
});
