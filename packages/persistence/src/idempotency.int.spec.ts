import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import {
  createIdempotencyStore,
  type IdempotencyClaim,
  type IdempotentRequest,
  isReplayable,
  removeExpiredIdempotencyKeys,
  requestFingerprint,
  StoredResponseUnreadable,
} from './idempotency.js';
import { newUuid } from './ids.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';
import { inTransaction } from './transaction.js';

const keyOf = (label: string) => createHash('sha256').update(label).digest();
const idempotency = createIdempotencyStore([keyOf('server key')]);
const ANN = newUuid();
const BOB = newUuid();
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createPersistenceDatabase('CREATE TABLE effects (id uuid PRIMARY KEY, made_by text)');
  const { url } = database;
  dataSource = createDataSource({
    url,
    entities: [],
    migrations: [],
    poolSize: 20,
    applicationName: 'key-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE idempotency_keys, effects'));

const requestOf = (overrides: Partial<IdempotentRequest> = {}, body = '{"amount":1}'): IdempotentRequest => ({
  userId: ANN,
  route: 'POST /v1/trades',
  key: 'order-1',
  fingerprint: requestFingerprint({ method: 'POST', path: '/v1/trades', query: '', body: Buffer.from(body) }),
  ...overrides,
});
/** Runs a request as an API does: claims the key, inserts one effect and stores the response in one transaction. */
const execute = (
  request: IdempotentRequest,
  response = '{"secret":"svc_live_x"}',
  store = idempotency,
): Promise<IdempotencyClaim> =>
  inTransaction(dataSource, async (tx) => {
    const claim = await store.claim(tx, request);
    if (claim.kind !== 'fresh') return claim;
    await tx.query('INSERT INTO effects VALUES ($1)', [newUuid()]);
    await store.store(tx, request, { status: 201, body: Buffer.from(response) });
    return claim;
  });
const effectCount = async () => Number((await dataSource.query('SELECT count(*) FROM effects'))[0].count);

describe('the idempotency store', () => {
  it('replays the response of a repeated request byte for byte, without a second effect', async () => {
    const response = '{"id":"trd_1","secret":"whsec_ä"}';
    expect(await execute(requestOf(), response)).toEqual({ kind: 'fresh' });
    const again = await execute(requestOf(), 'another response');
    expect(again).toMatchObject({ kind: 'replay', response: { status: 201 } });
    expect(again.kind === 'replay' && Buffer.from(again.response.body).toString()).toBe(response);
    expect(await effectCount()).toBe(1);
  });

  it('stores neither a response nor an effect if the transaction fails', async () => {
    const failing = inTransaction(dataSource, async (tx) => {
      await idempotency.claim(tx, requestOf());
      await tx.query('INSERT INTO effects VALUES ($1)', [newUuid()]);
      await idempotency.store(tx, requestOf(), { status: 201, body: Buffer.from('x') });
      throw new Error('crash');
    });
    await expect(failing).rejects.toThrow('crash');
    expect(await effectCount()).toBe(0);
    expect(await execute(requestOf())).toEqual({ kind: 'fresh' });
  });

  it('reports a key as reused if the body, query, path or method differs', async () => {
    await execute(requestOf());
    expect(await execute(requestOf({}, '{"amount":2}'))).toEqual({ kind: 'reused' });
    const original = { method: 'POST', path: '/v1/trades', query: '', body: Buffer.from('{"amount":1}') };
    for (const difference of [{ method: 'PUT' }, { path: '/trades' }, { query: 'a=1' }]) {
      const fingerprint = requestFingerprint({ ...original, ...difference });
      expect(await execute(requestOf({ fingerprint }))).toEqual({ kind: 'reused' });
    }
    expect(await effectCount()).toBe(1);
  });

  it('distinguishes requests by user, route and key', async () => {
    await execute(requestOf());
    expect(await execute(requestOf({ userId: BOB }))).toEqual({ kind: 'fresh' });
    expect(await execute(requestOf({ route: 'POST /v1/withdrawals' }))).toEqual({ kind: 'fresh' });
    expect(await execute(requestOf({ key: 'order-2' }))).toEqual({ kind: 'fresh' });
    expect(await effectCount()).toBe(4);
  });

  it('returns in_progress immediately while the first request is running', async () => {
    await inTransaction(dataSource, async (tx) => {
      expect(await idempotency.claim(tx, requestOf())).toEqual({ kind: 'fresh' });
      expect(await execute(requestOf())).toEqual({ kind: 'in_progress' });
      expect(await execute(requestOf({ userId: BOB }))).toEqual({ kind: 'fresh' });
      await idempotency.store(tx, requestOf(), { status: 200, body: Buffer.from('done') });
    });
    expect(await execute(requestOf())).toMatchObject({ kind: 'replay', response: { status: 200 } });
  });

  it('executes one of 1,000 parallel identical requests', async () => {
    const claims = await Promise.all(Array.from({ length: 1000 }, () => execute(requestOf())));
    expect(claims.filter(({ kind }) => kind === 'fresh')).toHaveLength(1);
    expect(claims.every(({ kind }) => kind !== 'reused')).toBe(true);
    expect(await effectCount()).toBe(1);
    const [{ count }] = await dataSource.query('SELECT count(*) FROM idempotency_keys');
    expect(Number(count)).toBe(1);
  });

  it('treats a key as unused after 24 hours, when its record can also be removed', async () => {
    await execute(requestOf());
    const [{ hours }] = await dataSource.query(
      'SELECT extract(epoch FROM expires_at - created_at) / 3600 AS hours FROM idempotency_keys',
    );
    expect(Number(hours)).toBeCloseTo(24, 2);
    await dataSource.query("UPDATE idempotency_keys SET expires_at = now() - interval '1 second'");
    expect(await execute(requestOf({}, '{"amount":2}'))).toEqual({ kind: 'fresh' });
    await execute(requestOf({ key: 'order-2' }));
    await dataSource.query("UPDATE idempotency_keys SET expires_at = now() - interval '1 second'");
    await execute(requestOf({ key: 'order-3' }));
    expect(await removeExpiredIdempotencyKeys(dataSource, 10)).toBe(2);
    expect(await execute(requestOf({ key: 'order-3' }))).toMatchObject({ kind: 'replay' });
  });

  it('stores neither the key nor the response in plain text', async () => {
    await execute(requestOf({ key: 'confidential-key' }), 'svc_live_confidential-response');
    const [{ row }] = await dataSource.query(
      "SELECT encode(answer_sealed || key_hash, 'escape') || k::text AS row FROM idempotency_keys k",
    );
    expect(row).not.toContain('confidential');
    expect(row).not.toContain(Buffer.from('confidential').toString('hex'));
  });

  it('decrypts a response of an old server key if that key is still configured, and otherwise throws', async () => {
    await execute(requestOf());
    const withBothKeys = createIdempotencyStore([keyOf('new key'), keyOf('server key')]);
    await expect(execute(requestOf(), '', withBothKeys)).resolves.toMatchObject({ kind: 'replay' });
    const withNewKey = createIdempotencyStore([keyOf('new key')]);
    await expect(execute(requestOf(), '', withNewKey)).rejects.toBeInstanceOf(StoredResponseUnreadable);
    expect(await effectCount()).toBe(1);
  });

  it.each([401, 403, 413, 429, 500, 502, 503])('does not store a response with status %p', async (status) => {
    expect(isReplayable(status)).toBe(false);
    const storing = inTransaction(dataSource, (tx) =>
      idempotency.store(tx, requestOf(), { status, body: Buffer.from('x') }),
    );
    await expect(storing).rejects.toBeInstanceOf(RangeError);
    expect(await execute(requestOf())).toEqual({ kind: 'fresh' });
  });

  it('throws if the status or the bytes of a stored response were altered', async () => {
    await execute(requestOf());
    await dataSource.query('UPDATE idempotency_keys SET status = 500');
    await expect(execute(requestOf())).rejects.toBeInstanceOf(StoredResponseUnreadable);
    await dataSource.query(
      'UPDATE idempotency_keys SET status = 201, answer_sealed = set_byte(answer_sealed, 30, 0)',
    );
    const [{ sealed }] = await dataSource.query(
      'SELECT get_byte(answer_sealed, 29) AS sealed FROM idempotency_keys',
    );
    await dataSource.query('UPDATE idempotency_keys SET answer_sealed = set_byte(answer_sealed, 29, $1)', [
      sealed ^ 1,
    ]);
    await expect(execute(requestOf())).rejects.toBeInstanceOf(StoredResponseUnreadable);
  });
});
