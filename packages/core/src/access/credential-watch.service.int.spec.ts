import { newUuid } from '@trading-automation/persistence';
import { CoreUnderTest } from '../testing/index.js';
import { issueApiKey } from './api-key.js';
import { notifyCredentialChange } from './credential-lookup.service.js';
import { CredentialWatch, type LongLivedRequest } from './credential-watch.service.js';

let core: CoreUnderTest;
let watch: CredentialWatch;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
beforeEach(() => {
  watch = new CredentialWatch(core.platform, 200);
});
afterEach(() => watch.stop());
afterAll(() => core.close());

/** A request with a new API key. */
async function keyed(): Promise<LongLivedRequest> {
  const { userId } = await core.actor();
  const id = newUuid();
  const { key, prefix, lastFour, hash } = issueApiKey('test');
  await core.rows(
    `INSERT INTO api_keys (id, user_id, name, prefix, last_four, hash, permissions, ip_allowlist)
     VALUES ($1, $2, 'watched', $3, $4, $5, '{TRADE}', '{}')`,
    id,
    userId,
    prefix,
    lastFour,
    hash,
  );
  return {
    actor: { userId, credential: { kind: 'api_key', id, permissions: ['TRADE'] } },
    incoming: {
      method: 'GET',
      target: '/',
      rawHeaders: ['X-API-Key', key],
      body: new Uint8Array(),
      address: '192.0.2.1',
    },
    access: 'TRADE',
  };
}
const change = (id: string, set: string) => core.rows(`UPDATE api_keys SET ${set} WHERE id = $1`, id);
const CHANGES: [string, string][] = [
  ['is revoked', 'revoked_at = now()'],
  ['is expired', "expires_at = now() - interval '1 second'"],
  ['was rotated', 'hash = sha256(id::text::bytea)'],
  ['may not trade any more', "permissions = '{READ}'"],
  ['may not come from this address any more', "ip_allowlist = '{198.51.100.0/24}'"],
];

/** Starts a watch; `ends` counts how often it ended. */
async function begin(watching: CredentialWatch, request: LongLivedRequest) {
  let ends = 0;
  let tell = () => {};
  const ended = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const release = await watching.watch(request, () => {
    ends++;
    tell();
  });
  return { ended, release, ends: () => ends };
}

describe('a watched credential', () => {
  it.each(CHANGES)(
    'that %s ends its request at the next check, without a notification',
    async (_case, set) => {
      const request = await keyed();
      const watched = await begin(watch, request);
      const unconcerned = await begin(watch, await keyed());
      await change(request.actor.credential.id, set);
      await watched.ended;
      expect([watched.ends(), unconcerned.ends()]).toEqual([1, 0]);
    },
  );

  it.each(CHANGES)('that %s starts no watch', async (_case, set) => {
    const request = await keyed();
    await change(request.actor.credential.id, set);
    await expect(watch.watch(request, () => undefined)).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('is checked as soon as a change is notified', async () => {
    const slow = new CredentialWatch(core.platform, 600_000);
    const request = await keyed();
    const { ended } = await begin(slow, request);
    await core.platform.database.transaction(async (tx) => {
      await tx.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [request.actor.credential.id]);
      await notifyCredentialChange(tx);
    });
    await ended;
    slow.stop();
  });

  it('ends nothing after its watch was released', async () => {
    const quick = new CredentialWatch(core.platform, 10);
    const [request, probe] = [await keyed(), await keyed()];
    const started = await begin(quick, request);
    started.release();
    const probing = await begin(quick, probe);
    await change(request.actor.credential.id, 'revoked_at = now()');
    await change(probe.actor.credential.id, 'revoked_at = now()');
    await probing.ended;
    expect(started.ends()).toBe(0);
    quick.stop();
  });
});

describe('a watched session', () => {
  /** A request with a new session; which of its tokens it carries does not matter. */
  async function ofSession(): Promise<LongLivedRequest> {
    const { userId } = await core.actor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       SELECT $1, $2, 'password', now(), at, at FROM (SELECT now() + interval '1 hour' AS at) t`,
      id,
      userId,
    );
    const { incoming } = await keyed();
    return {
      actor: { userId, credential: { kind: 'session', id, permissions: ['ADMIN'] } },
      incoming,
      access: 'READ',
    };
  }
  const changeSession = (id: string, set: string) =>
    core.rows(`UPDATE sessions SET ${set} WHERE id = $1`, id);

  const ENDS: [string, string][] = [
    ['is revoked', 'revoked_at = now()'],
    ['has expired', "expires_at = now() - interval '1 second'"],
  ];

  it.each(ENDS)('that %s ends its request and no other', async (_case, set) => {
    const request = await ofSession();
    const watched = await begin(watch, request);
    const unconcerned = await begin(watch, await ofSession());
    await changeSession(request.actor.credential.id, set);
    await watched.ended;
    expect([watched.ends(), unconcerned.ends()]).toEqual([1, 0]);
  });

  it.each(ENDS)('that %s starts no watch', async (_case, set) => {
    const request = await ofSession();
    await changeSession(request.actor.credential.id, set);
    await expect(watch.watch(request, () => undefined)).rejects.toMatchObject({
      code: 'invalid_access_token',
    });
  });
});
