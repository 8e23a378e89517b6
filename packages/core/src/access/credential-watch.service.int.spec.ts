import { setTimeout as wait } from 'node:timers/promises';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { Platform } from '../platform/index.js';
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

/** Creates a request with a new API key. */
async function requestWithKey(): Promise<LongLivedRequest> {
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
const changeKey = (id: string, set: string) => core.rows(`UPDATE api_keys SET ${set} WHERE id = $1`, id);
/** What happens to an API key, and the SQL that causes it. */
const CHANGES: [string, string][] = [
  ['is revoked', 'revoked_at = now()'],
  ['has expired', "expires_at = now() - interval '1 second'"],
  ['was rotated', 'hash = sha256(id::text::bytea)'],
  ['no longer has the permission TRADE', "permissions = '{READ}'"],
  ['is no longer allowed from this address', "ip_allowlist = '{198.51.100.0/24}'"],
];

/** Starts a watch. `ended` resolves when the watch ends; `endCount` returns how often it ended. */
async function startWatch(watching: CredentialWatch, request: LongLivedRequest) {
  let count = 0;
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const release = await watching.watch(request, () => {
    count++;
    onEnd();
  });
  return { ended, release, endCount: () => count };
}

describe('a watched credential', () => {
  it.each(CHANGES)(
    'that %s ends its request at the next periodic check, without a notification',
    async (_case, set) => {
      const request = await requestWithKey();
      const watched = await startWatch(watch, request);
      const unrelated = await startWatch(watch, await requestWithKey());
      await changeKey(request.actor.credential.id, set);
      await watched.ended;
      expect([watched.endCount(), unrelated.endCount()]).toEqual([1, 0]);
    },
  );

  it.each(CHANGES)('that %s cannot be watched', async (_case, set) => {
    const request = await requestWithKey();
    await changeKey(request.actor.credential.id, set);
    await expect(watch.watch(request, () => undefined)).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it('is checked as soon as a notification reports a change', async () => {
    const slow = new CredentialWatch(core.platform, 600_000);
    const request = await requestWithKey();
    const { ended } = await startWatch(slow, request);
    await core.platform.database.transaction(async (tx) => {
      await tx.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [request.actor.credential.id]);
      await notifyCredentialChange(tx);
    });
    await ended;
    slow.stop();
  });

  it('does not end a request whose watch was released', async () => {
    const quick = new CredentialWatch(core.platform, 10);
    const [request, probe] = [await requestWithKey(), await requestWithKey()];
    const started = await startWatch(quick, request);
    started.release();
    const probing = await startWatch(quick, probe);
    await changeKey(request.actor.credential.id, 'revoked_at = now()');
    await changeKey(probe.actor.credential.id, 'revoked_at = now()');
    await probing.ended;
    expect(started.endCount()).toBe(0);
    quick.stop();
  });
});

describe('a credential that cannot be checked, because Postgres does not respond,', () => {
  const CHECK_MS = 10;
  const realNow = performance.now;
  afterEach(() => {
    performance.now = realNow;
  });

  /** Returns a watch whose statements go through `query` while `isDown` is set. Time passes only through `advance`. */
  function brokenWatch(query: () => Promise<never>) {
    let nowMs = performance.now();
    performance.now = () => nowMs;
    const { world, database, listener } = core.platform;
    const state = { isDown: false, queries: 0 };
    const broken = async (text: string, params: unknown[]) => {
      state.queries++;
      return state.isDown ? query() : database.query(text, params);
    };
    const watching = new CredentialWatch(
      new Platform(world, { query: broken } as typeof database, listener),
      CHECK_MS,
    );
    const advance = (ms: number) => {
      nowMs += ms;
    };
    return { watching, state, advance };
  }
  const fail = () => Promise.reject(new Error('Postgres does not respond.'));

  it('ends its request after 4 s, and not before, if each check fails', async () => {
    const { watching, state, advance } = brokenWatch(fail);
    const { endCount } = await startWatch(watching, await requestWithKey());
    state.isDown = true;
    const before = state.queries;
    await eventually(() => state.queries >= before + 3);
    expect(endCount()).toBe(0);
    advance(4_001);
    await eventually(() => state.queries >= before + 20 || endCount() > 0);
    expect(endCount()).toBe(1);
    watching.stop();
  });

  it('ends its request after 4 s if no check finishes', async () => {
    const { watching, state, advance } = brokenWatch(() => new Promise(() => undefined));
    const { endCount } = await startWatch(watching, await requestWithKey());
    state.isDown = true;
    const before = state.queries;
    await eventually(() => state.queries > before);
    expect(endCount()).toBe(0);
    advance(4_001);
    for (let i = 0; i < 50 && endCount() === 0; i++) await wait(CHECK_MS);
    expect(endCount()).toBe(1);
    watching.stop();
  });

  it('does not end its request because the process was paused for longer than that', async () => {
    const { watching, state, advance } = brokenWatch(fail);
    const { endCount } = await startWatch(watching, await requestWithKey());
    for (let i = 0; i < 5; i++) {
      advance(60_000);
      const before = state.queries;
      await eventually(() => state.queries >= before + 2);
    }
    expect(endCount()).toBe(0);
    watching.stop();
  });
});

describe('a watched session', () => {
  /** Creates a request with a new session. Its headers carry no token of the session, because the watch reads none. */
  async function requestWithSession(): Promise<LongLivedRequest> {
    const { userId } = await core.actor();
    const id = newUuid();
    await core.rows(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       SELECT $1, $2, 'password', now(), at, at FROM (SELECT now() + interval '1 hour' AS at) t`,
      id,
      userId,
    );
    const { incoming } = await requestWithKey();
    return {
      actor: { userId, credential: { kind: 'session', id, permissions: ['ADMIN'] } },
      incoming,
      access: 'READ',
    };
  }
  const changeSession = (id: string, set: string) =>
    core.rows(`UPDATE sessions SET ${set} WHERE id = $1`, id);

  /** What happens to a session, and the SQL that causes it. */
  const ENDS: [string, string][] = [
    ['is revoked', 'revoked_at = now()'],
    ['has expired', "expires_at = now() - interval '1 second'"],
  ];

  it.each(ENDS)('that %s ends only its own request', async (_case, set) => {
    const request = await requestWithSession();
    const watched = await startWatch(watch, request);
    const unrelated = await startWatch(watch, await requestWithSession());
    await changeSession(request.actor.credential.id, set);
    await watched.ended;
    expect([watched.endCount(), unrelated.endCount()]).toEqual([1, 0]);
  });

  it.each(ENDS)('that %s cannot be watched', async (_case, set) => {
    const request = await requestWithSession();
    await changeSession(request.actor.credential.id, set);
    await expect(watch.watch(request, () => undefined)).rejects.toMatchObject({
      code: 'invalid_access_token',
    });
  });
});
