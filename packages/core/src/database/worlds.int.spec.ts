/** Tests that a database belongs to one world, and which webhooks the live migration deactivates. */
import { createDataSource, type Database, inTransaction, newUuid } from '@trading-automation/persistence';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { storeWorld } from '../platform/index.js';
import { migrate } from './data-source.js';
import { Access1763700000001 } from './migrations/0001-access.js';
import { Trading1763700000002 } from './migrations/0002-trading.js';
import { Webhooks1763700000003 } from './migrations/0003-webhooks.js';
import { openPlatform } from './open-platform.js';

const FIRST_RELEASE = [Access1763700000001, Trading1763700000002, Webhooks1763700000003];

let database: TestDatabase;
let client: Database;
beforeEach(async () => {
  database = await createTestDatabase({ schema: 'none', migrate: async () => undefined });
  client = connectionTo([]);
  await client.initialize();
});
afterEach(async () => {
  await client.destroy();
  await database.drop();
});

const connectionTo = (migrations: (new () => object)[]) =>
  createDataSource({ url: database.url, applicationName: 'spec', entities: [], migrations, poolSize: 1 });

const open = (world: 'test' | 'live') =>
  openPlatform({
    world,
    databaseUrl: database.url,
    applicationName: 'spec',
    poolSize: 1,
    onListenerError: () => undefined,
  });

async function migrateFirstRelease(): Promise<void> {
  const source = connectionTo(FIRST_RELEASE);
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
}

async function insertUser(): Promise<string> {
  const id = newUuid();
  await client.query('INSERT INTO users (id) VALUES ($1)', [id]);
  return id;
}

/** Inserts the row of an API key with this prefix. */
async function insertApiKey(prefix: string): Promise<void> {
  await client.query(
    `INSERT INTO api_keys (id, user_id, name, prefix, last_four, hash, permissions, ip_allowlist)
     VALUES ($1, $2, 'n', $3, 'abcd', $4, '{READ}', '{}')`,
    [newUuid(), await insertUser(), prefix, Buffer.from(prefix)],
  );
}

const migrationCount = async () => (await client.query('SELECT name FROM migrations')).length;

describe('a new database', () => {
  it.each(['test', 'live'] as const)('takes the world %s of the migrator', async (world) => {
    await migrate(database.url, world);
    await (await open(world)).close();
    expect(await client.query('SELECT world FROM deployment')).toEqual([{ world }]);
  });

  it.each([
    ['test', 'live'],
    ['live', 'test'],
  ] as const)(
    'of the world %s is refused by the migrator and by a process of the world %s',
    async (world, other) => {
      await migrate(database.url, world);
      const message =
        `The database belongs to the ${world} world, but WORLD is ${other}. ` +
        `Set DATABASE_URL to a database of the ${other} world, or WORLD to ${world}.`;
      await expect(migrate(database.url, other)).rejects.toThrow(message);
      await expect(open(other)).rejects.toThrow(message);
      expect(await client.query('SELECT world FROM deployment')).toEqual([{ world }]);
    },
  );

  it('is not changed at all by a migrator of the other world', async () => {
    await migrate(database.url, 'test');
    // The other migrator could only see that the world is wrong after it had applied this migration.
    await client.query('DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)');
    const before = await migrationCount();
    await expect(migrate(database.url, 'live')).rejects.toThrow('The database belongs to the test world');
    expect(await migrationCount()).toBe(before);
  });

  it('that two migrators of different worlds migrate at the same time takes one of the worlds', async () => {
    const outcomes = await Promise.allSettled([migrate(database.url, 'test'), migrate(database.url, 'live')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await client.query('SELECT count(*)::int AS worlds FROM deployment')).toEqual([{ worlds: 1 }]);
  });

  it('keeps the world that was stored first, also if a migrator has lost the lock of the migrations', async () => {
    await migrate(database.url, 'test');
    await expect(inTransaction(client, (tx) => storeWorld(tx, 'live'))).rejects.toThrow(
      'The database belongs to the test world',
    );
    await inTransaction(client, (tx) => storeWorld(tx, 'test'));
    expect(await client.query('SELECT world FROM deployment')).toEqual([{ world: 'test' }]);
  });

  it('has no world until the migrator has stored it, and no process starts on it', async () => {
    await migrate(database.url, 'test');
    await client.query('DELETE FROM deployment');
    await expect(open('test')).rejects.toThrow(
      'The database has no world, but WORLD is test. Run the migrator with WORLD=test first.',
    );
    await migrate(database.url, 'test');
    await (await open('test')).close();
  });
});

describe('a database of an earlier release', () => {
  beforeEach(migrateFirstRelease);

  it('takes the world that all its API keys have', async () => {
    await insertApiKey('svc_live_');
    await migrate(database.url, 'live');
    await (await open('live')).close();
  });

  it.each([
    ['all its API keys have', ['svc_test_']],
    ['one of its API keys has', ['svc_live_', 'svc_test_']],
  ])('is not migrated to the live world if %s the prefix of the test world', async (_which, prefixes) => {
    for (const prefix of prefixes) await insertApiKey(prefix);
    await expect(migrate(database.url, 'live')).rejects.toThrow(
      'The database has API keys with the prefix svc_test_, but WORLD is live. ' +
        'Set DATABASE_URL to a database of the live world, or WORLD to the world of these keys.',
    );
    expect(await migrationCount()).toBe(FIRST_RELEASE.length);
  });
});

describe('the webhooks of a database of an earlier release', () => {
  beforeEach(migrateFirstRelease);

  async function insertWebhook(url: string): Promise<string> {
    const [id, user] = [newUuid(), await insertUser()];
    await client.query(
      `INSERT INTO webhooks (id, user_id, url, events, description, secret_sealed) VALUES ($1, $2, $3, '{*}', '', 's')`,
      [id, user, url],
    );
    return id;
  }
  const stateOf = async (id: string) =>
    (
      await client.query(
        `SELECT w.is_active, w.deactivation_reason, count(e.id)::int AS events FROM webhooks w
         LEFT JOIN outbox_events e ON e.user_id = w.user_id AND e.type = 'webhook.deactivated'
         WHERE w.id = $1 GROUP BY w.id`,
        [id],
      )
    )[0];

  it('without https become inactive in the live world, and each owner gets one event', async () => {
    const insecure = [await insertWebhook('http://a.example/'), await insertWebhook('HTTP://b.example/')];
    const secure = [await insertWebhook('https://c.example/'), await insertWebhook('HTTPS://d.example/')];
    await migrate(database.url, 'live');
    await migrate(database.url, 'live');
    for (const id of insecure)
      expect(await stateOf(id)).toEqual({ is_active: false, deactivation_reason: 'insecure_url', events: 1 });
    for (const id of secure)
      expect(await stateOf(id)).toEqual({ is_active: true, deactivation_reason: null, events: 0 });
  });

  it('without https stay active in the test world', async () => {
    const id = await insertWebhook('http://a.example/');
    await migrate(database.url, 'test');
    expect(await stateOf(id)).toEqual({ is_active: true, deactivation_reason: null, events: 0 });
  });
});
