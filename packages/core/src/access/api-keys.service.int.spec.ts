import { createHash } from 'node:crypto';
import {
  type ApiKeyCreate,
  accessOperations,
  apiKeyCreate,
  apiKeyWithValue,
  decodeId,
  encodeId,
  PERMISSIONS,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest } from '../testing/index.js';
import { hashApiKey } from './api-key.js';
import { ApiKeysService } from './api-keys.service.js';

let core: CoreUnderTest;
let keys: ApiKeysService;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  keys = new ApiKeysService(core.platform, core.lists, core.commands);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.keyPairActor();
});

const create = (more: Record<string, unknown> = {}, caller: Actor = actor) =>
  keys.create(caller, apiKeyCreate.parse({ name: 'key', ...more }) as ApiKeyCreate);
const list = (query = '', caller: Actor = actor) =>
  keys.list(
    caller,
    querySchemaOf(accessOperations.listApiKeys).parse(
      Object.fromEntries(new URLSearchParams(query)),
    ) as Parameters<ApiKeysService['list']>[1],
  );
/** Revokes the public key of the caller, so that the account has only its API keys. */
const unlinkCaller = () =>
  core.rows('UPDATE public_keys SET revoked_at = now() WHERE id = $1', actor.credential.id);
/** Creates an API key, and returns the actor that uses it. */
async function keyActor(more: Record<string, unknown> = {}): Promise<Actor> {
  const { id, permissions } = await create({ permissions: ['ADMIN'], ...more });
  return { userId: actor.userId, credential: { kind: 'api_key', id: decodeId('key', id)!, permissions } };
}
const eventTypes = async () => (await core.events(actor.userId)).map(({ type }) => type);

describe('a credential that is revoked while its request is in flight', () => {
  it.each(['api_key', 'public_key'] as const)(
    'can neither create nor rotate an API key: %s',
    async (kind) => {
      const created = await create();
      const revokedCaller: Actor = { ...actor, credential: { ...actor.credential, kind, id: newUuid() } };
      const { id } = revokedCaller.credential;
      const [table, columns, values] =
        kind === 'api_key'
          ? [
              'api_keys',
              'name, prefix, last_four, permissions, ip_allowlist, hash',
              "'k', 'p', 'l', '{ADMIN}', '{}', $3",
            ]
          : ['public_keys', 'pubkey', 'encode($3::bytea, $4)'];
      const params = [id, actor.userId, Buffer.from(id), ...(kind === 'api_key' ? [] : ['hex'])];
      await core.rows(
        `INSERT INTO ${table} (id, user_id, revoked_at, ${columns}) VALUES ($1, $2, now(), ${values})`,
        ...params,
      );
      const code = kind === 'api_key' ? 'invalid_api_key' : 'unknown_public_key';
      await expect(create({}, revokedCaller)).rejects.toMatchObject({ code });
      await expect(keys.rotate(revokedCaller, created.id)).rejects.toMatchObject({ code });
      expect((await list()).items).toMatchObject([{ id: created.id, last_four: created.last_four }]);
    },
  );
});

describe('creating an API key', () => {
  it('returns the record with the key, which is never shown again; the default permissions are READ and TRADE', async () => {
    const created = await create({
      ip_allowlist: ['203.0.113.0/24'],
      expires_at: '2100-01-01T00:00:00.000Z',
    });
    expect(apiKeyWithValue.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      name: 'key',
      prefix: 'svc_test_',
      last_four: created.key.slice(-4),
      permissions: ['READ', 'TRADE'],
      ip_allowlist: ['203.0.113.0/24'],
      expires_at: '2100-01-01T00:00:00.000Z',
    });
    const { key, ...record } = created;
    expect((await list()).items).toEqual([record]);
    expect(record).toMatchObject({ last_used_at: null, revoked_at: null });
    const events = await core.events(actor.userId);
    expect(events).toMatchObject([{ type: 'key.created', data: { id: created.id } }]);
    expect(JSON.stringify(events)).not.toContain(key);
    expect(await create()).toMatchObject({ expires_at: null });
  });

  it('stores only the hash of the key, and only in the table api_keys', async () => {
    const { key } = await create();
    const hash = hashApiKey(key);
    expect(hash).toEqual(createHash('sha256').update(key).digest());
    const tables = await core.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const tablesWithHash: string[] = [];
    for (const { name } of tables) {
      for (const row of await core.rows(`SELECT t::text AS row FROM "${name}" t`)) {
        const text = String(row.row);
        const readable = text.replaceAll(/\\\\x([0-9a-f]+)/g, (_all, hex) =>
          Buffer.from(hex, 'hex').toString('latin1'),
        );
        expect(`${text}${readable}`).not.toContain(key.slice(9));
        if (text.includes(hash.toString('hex'))) tablesWithHash.push(String(name));
      }
    }
    expect(tablesWithHash).toEqual(['api_keys']);
    expect(await core.rows('SELECT hash FROM api_keys WHERE user_id = $1', actor.userId)).toEqual([{ hash }]);
  });

  it('is rejected if the expiry is in the past, and creates nothing', async () => {
    await expect(create({ expires_at: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'expires_at', code: 'in_the_past' }],
    });
    expect((await list()).items).toEqual([]);
  });

  it('requires ADMIN, and can then grant every permission', async () => {
    for (const permissions of [['READ'], ['TRADE'], ['READ', 'TRADE', 'WITHDRAW']] as const) {
      const caller = await core.actor(...permissions);
      for (const permission of PERMISSIONS) {
        await expect(create({ permissions: [permission] }, caller)).rejects.toMatchObject({
          code: 'permission_denied',
          details: [{ permission: 'ADMIN' }],
        });
      }
      await expect(list('', caller)).rejects.toMatchObject({ code: 'permission_denied' });
    }
    for (const permission of PERMISSIONS) {
      await expect(create({ permissions: [permission] })).resolves.toMatchObject({
        permissions: [permission],
      });
    }
  });

  it('is rejected if the account has 50 keys, even concurrently, until one is revoked', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 56 }, () => create({ permissions: ['ADMIN'] })),
    );
    const created = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(created).toHaveLength(50);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'limit_reached' });
    }
    await keys.revoke(actor, created[0]!.id);
    await expect(create()).resolves.toBeDefined();
    await expect(create()).rejects.toMatchObject({ code: 'limit_reached', details: [{ limit: 50 }] });
  });

  it('returns the same key for a repeated Idempotency-Key', async () => {
    const idempotentActor = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'key-1') };
    const { key } = await create({}, idempotentActor);
    const replay = await create({}, idempotentActor).catch((error) => error);
    expect(replay).toBeInstanceOf(ResponseReplayed);
    expect(JSON.parse(replay.response.body.toString()).key).toBe(key);
    expect((await list()).items).toHaveLength(1);
  });
});

describe('rotating an API key', () => {
  it('replaces the value and its hash, and changes nothing else', async () => {
    const before = await create({ ip_allowlist: ['203.0.113.9'], permissions: ['READ', 'WITHDRAW'] });
    const after = await keys.rotate(actor, before.id);
    expect(after.key).not.toBe(before.key);
    const { key: _old, last_four: _oldFour, ...unchanged } = before;
    expect(after).toMatchObject(unchanged);
    expect(after.last_four).toBe(after.key.slice(-4));
    expect(await core.rows('SELECT hash FROM api_keys WHERE user_id = $1', actor.userId)).toEqual([
      { hash: hashApiKey(after.key) },
    ]);
  });

  it('leaves only one value valid after ten concurrent rotations', async () => {
    const { id } = await create();
    const values = await Promise.all(Array.from({ length: 10 }, () => keys.rotate(actor, id)));
    const [row] = await core.rows('SELECT hash FROM api_keys WHERE user_id = $1', actor.userId);
    const valid = values.filter(({ key }) => hashApiKey(key).equals(row?.hash as Buffer));
    expect(valid).toHaveLength(1);
  });
});

describe('the rights of a key', () => {
  const NEXT_YEAR = '2101-01-01T00:00:00.000Z';
  const LATER = '2101-01-01T00:00:00.001Z';
  const beyond = (field: string) => ({
    code: 'permission_denied',
    details: [{ field, code: 'beyond_parent' }],
  });

  it('are those of the key that created it, if none are given', async () => {
    const parent = await keyActor({
      expires_at: NEXT_YEAR,
      ip_allowlist: ['203.0.113.0/24', '2001:db8::/48'],
    });
    expect(await create({}, parent)).toMatchObject({
      expires_at: NEXT_YEAR,
      ip_allowlist: ['203.0.113.0/24', '2001:db8::/48'],
      permissions: ['READ', 'TRADE'],
    });
  });

  it('may be narrower than those of the key that created it, but not wider', async () => {
    const parent = await keyActor({ expires_at: NEXT_YEAR, ip_allowlist: ['203.0.113.0/24'] });
    const narrower = { expires_at: '2100-01-01T00:00:00.000Z', ip_allowlist: ['203.0.113.9'] };
    expect(await create(narrower, parent)).toMatchObject(narrower);
    await expect(create({ expires_at: LATER }, parent)).rejects.toMatchObject(beyond('expires_at'));
    for (const ip_allowlist of [[], ['0.0.0.0/0'], ['203.0.113.9', '203.0.112.0/23'], ['2001:db8::1']])
      await expect(create({ ip_allowlist }, parent)).rejects.toMatchObject(beyond('ip_allowlist'));
    expect((await list()).items).toHaveLength(2);
  });

  it('cannot be taken over by rotating a key that has more of them', async () => {
    const unlimited = await create({ permissions: ['ADMIN'] });
    const expiring = await keyActor({ expires_at: NEXT_YEAR });
    const listed = await keyActor({ ip_allowlist: ['203.0.113.9'] });
    await expect(keys.rotate(expiring, unlimited.id)).rejects.toMatchObject(beyond('expires_at'));
    await expect(keys.rotate(listed, unlimited.id)).rejects.toMatchObject(beyond('ip_allowlist'));
    const own = encodeId('key', listed.credential.id);
    expect(await keys.rotate(listed, own)).toMatchObject({ ip_allowlist: ['203.0.113.9'] });
    expect((await list()).items.find(({ id }) => id === unlimited.id)?.last_four).toBe(unlimited.last_four);
  });

  it('do not end with a session, which creates and rotates keys only within 15 minutes of its sign-in', async () => {
    const session: Actor = {
      ...actor,
      credential: { kind: 'session', id: newUuid(), permissions: ['ADMIN'] },
    };
    await core.rows(
      `INSERT INTO sessions (id, user_id, how, created_at, expires_at, ends_at)
       VALUES ($1, $2, 'password', now() - interval '14 minutes', $3, $3)`,
      session.credential.id,
      actor.userId,
      NEXT_YEAR,
    );
    const created = await create({}, session);
    expect(created.expires_at ?? null).toBeNull();
    expect(await keys.rotate(session, created.id)).toMatchObject({ id: created.id });

    await core.rows("UPDATE sessions SET created_at = now() - interval '15 minutes 1 second'");
    const tooOld = { code: 'permission_denied', details: [{ code: 'approval_too_old' }] };
    await expect(create({}, session)).rejects.toMatchObject(tooOld);
    await expect(keys.rotate(session, created.id)).rejects.toMatchObject(tooOld);
  });

  it('are not granted by a credential that expired during the request, or that does not exist', async () => {
    const expiring = await keyActor({ expires_at: NEXT_YEAR });
    await core.rows('UPDATE api_keys SET expires_at = now() WHERE id = $1', expiring.credential.id);
    await expect(create({}, expiring)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(create({}, await core.actor())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('revoking an API key', () => {
  it('is permanent: the key is hidden, cannot be rotated or revoked again, and an event is emitted', async () => {
    const unchanged = await create({ permissions: ['ADMIN'] });
    const { id } = await create();
    expect(await keys.revoke(actor, id)).toEqual({ id, deleted: true });
    for (const attempt of [() => keys.revoke(actor, id), () => keys.rotate(actor, id)]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'invalid_state',
        details: [{ state: 'REVOKED' }],
      });
    }
    expect((await list()).items.map((key) => key.id)).toEqual([unchanged.id]);
    const all = (await list('include=revoked')).items;
    expect(all.map((key) => [key.id, key.revoked_at !== null])).toEqual([
      [id, true],
      [unchanged.id, false],
    ]);
    expect(await eventTypes()).toEqual(['key.created', 'key.created', 'key.revoked']);
  });

  it('is rejected for the last valid credential with ADMIN, and changes nothing', async () => {
    const admin = await create({ permissions: ['ADMIN'] });
    await create();
    const expired = await create({ permissions: ['ADMIN'], expires_at: '2100-01-01T00:00:00Z' });
    await core.rows(
      'UPDATE api_keys SET expires_at = now() WHERE last_four = $1 AND user_id = $2',
      expired.last_four,
      actor.userId,
    );
    await unlinkCaller();
    await expect(keys.revoke(actor, admin.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'LAST_ADMIN' }],
    });
    expect((await list()).items.map(({ id }) => id)).toContain(admin.id);
    expect(await eventTypes()).not.toContain('key.revoked');
  });

  it('succeeds for only one of the last two ADMIN keys that are revoked concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      actor = await core.keyPairActor();
      const created = [await create({ permissions: ['ADMIN'] }), await create({ permissions: ['ADMIN'] })];
      await unlinkCaller();
      const outcomes = await Promise.allSettled(created.map(({ id }) => keys.revoke(actor, id)));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect((await list()).items).toHaveLength(1);
    }
  });

  it('succeeds for the last ADMIN key if a public key is linked', async () => {
    const admin = await create({ permissions: ['ADMIN'] });
    const [linkedId, revokedId] = [newUuid(), newUuid()];
    await unlinkCaller();
    await core.rows(
      "INSERT INTO public_keys (id, user_id, pubkey, revoked_at) VALUES ($1, $2, 'revoked', now())",
      revokedId,
      actor.userId,
    );
    await expect(keys.revoke(actor, admin.id)).rejects.toMatchObject({ code: 'invalid_state' });
    await core.rows(
      "INSERT INTO public_keys (id, user_id, pubkey) VALUES ($1, $2, 'own')",
      linkedId,
      actor.userId,
    );
    await expect(keys.revoke(actor, admin.id)).resolves.toMatchObject({ deleted: true });
  });
});

describe("requests for another user's API keys", () => {
  it('get the error not_found', async () => {
    const { id } = await create();
    const other = await core.keyPairActor();
    for (const publicId of [id, encodeId('key', newUuid()), 'key_nonsense', encodeId('pbk', newUuid())]) {
      await expect(keys.revoke(other, publicId)).rejects.toMatchObject({ code: 'not_found', details: [] });
      await expect(keys.rotate(other, publicId)).rejects.toMatchObject({ code: 'not_found', details: [] });
    }
    expect((await list('include=revoked', other)).items).toEqual([]);
  });
});
