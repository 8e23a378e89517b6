/** Tests that a database of the first release, with rows in every table, can be migrated to this release. */
import { createDataSource, type Database, newUuid } from '@trading-automation/persistence';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { migrate, openDatabase } from './data-source.js';
import { Access1763700000001 } from './migrations/0001-access.js';
import { Trading1763700000002 } from './migrations/0002-trading.js';
import { Webhooks1763700000003 } from './migrations/0003-webhooks.js';

type Row = Record<string, unknown>;

const FIRST_RELEASE = [Access1763700000001, Trading1763700000002, Webhooks1763700000003];

let database: TestDatabase;
let client: Database;
beforeEach(async () => {
  database = await createTestDatabase({ schema: 'none', migrate: async () => undefined });
  client = createSource([]);
  await client.initialize();
});
afterEach(async () => {
  await client.destroy();
  await database.drop();
});

const createSource = (migrations: (new () => object)[]) =>
  createDataSource({ url: database.url, applicationName: 'spec', entities: [], migrations, poolSize: 1 });

async function migrateFirstRelease(): Promise<void> {
  const source = createSource(FIRST_RELEASE);
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
}

async function insert(table: string, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(columns);
  const placeholders = names.map((_, index) => `$${index + 1}`);
  await client.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders.join(', ')})`,
    Object.values(columns),
  );
}

async function tableNames(): Promise<string[]> {
  const rows: { table_name: string }[] = await client.query(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
  );
  return rows.map(({ table_name }) => table_name);
}

/** Returns all rows of these tables, by table name. */
async function readRows(names: readonly string[]): Promise<Record<string, Row[]>> {
  const content: Record<string, Row[]> = {};
  for (const name of names) {
    const rows: { row: Row }[] = await client.query(
      `SELECT row_to_json(t)::jsonb AS row FROM ${name} t ORDER BY t::text`,
    );
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}

/** Inserts a row into every table of the first release. */
async function insertFirstReleaseRows(): Promise<void> {
  const [user, account, pair, trade, webhook, event, delivery] = Array.from({ length: 7 }, () => newUuid());
  const now = new Date();
  await insert('users', { id: user, email: 'a@example.com', email_verified_at: now });
  await insert('api_keys', {
    id: newUuid(),
    user_id: user,
    name: 'k',
    prefix: 'svc_test_',
    last_four: 'abcd',
    hash: Buffer.from('hash'),
    permissions: ['ADMIN'],
    ip_allowlist: [],
  });
  await insert('public_keys', { id: newUuid(), user_id: user, pubkey: '02' });
  await insert('cli_challenges', { challenge: 'c', expires_at: now });
  await insert('supported_exchanges', {
    id: newUuid(),
    code: 'paper',
    name: 'Paper',
    trading_types: ['spot'],
    is_active: true,
  });
  await insert('exchange_accounts', {
    id: account,
    user_id: user,
    exchange: 'paper',
    account_name: 'a',
    trading_type: 'spot',
    is_active: true,
    can_withdraw: false,
    credentials_sealed: 'sealed',
  });
  await insert('trade_pairs', {
    id: pair,
    exchange: 'paper',
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    trading_type: 'spot',
    price_tick: '0.01',
    amount_step: '0.01',
    min_amount: '0.01',
    min_notional: '1',
    is_active: true,
    rules_updated_at: now,
  });
  await insert('trades', {
    id: trade,
    user_id: user,
    exchange_account_id: account,
    trade_pair_id: pair,
    symbol: 'BTC/USDT',
    trading_type: 'spot',
    client_order_id: 'c',
    origin: 'API',
    type: 'MARKET',
    side: 'BUY',
    reduce_only: false,
    time_in_force: 'GTC',
    amount: '1',
    filled_amount: '1',
    reserved_asset: 'USDT',
    reserved_amount: '100',
    status: 'FILLED',
    look_at: now,
  });
  await insert('fills', {
    id: newUuid(),
    trade_id: trade,
    exchange_account_id: account,
    symbol: 'BTC/USDT',
    exchange_fill_id: 'f',
    price: '100',
    amount: '1',
    fee_amount: '0',
    fee_currency: 'USDT',
    liquidity: 'TAKER',
    executed_at: now,
  });
  await insert('outbox_events', {
    id: event,
    user_id: user,
    type: 'trade.filled',
    payload: Buffer.from('{}'),
    position: 1,
  });
  await client.query('UPDATE outbox_sequence SET last_position = 1');
  await insert('outbox_progress', { consumer: 'webhook-dispatcher', position: 1 });
  await insert('idempotency_keys', {
    user_id: user,
    route: 'r',
    key_hash: Buffer.from('h'),
    fingerprint: Buffer.from('f'),
    status: 201,
    answer_sealed: Buffer.from('a'),
    expires_at: now,
  });
  await insert('process_calls', { id: newUuid(), name: 'n', input: Buffer.from('i'), deadline: now });
  await insert('heartbeats', { service: 's', instance: 'i', beat_at: now });
  await insert('webhooks', {
    id: webhook,
    user_id: user,
    url: 'https://example.com/',
    events: ['*'],
    description: '',
    secret_sealed: 'sealed',
  });
  await insert('webhook_deliveries', {
    id: delivery,
    webhook_id: webhook,
    event_id: event,
    event_type: 'trade.filled',
    status: 'DEAD',
    attempts: 5,
  });
  await insert('webhook_attempts', {
    id: newUuid(),
    delivery_id: delivery,
    webhook_id: webhook,
    attempt: 5,
    status: 'FAILED',
    error: 'timeout',
    response_time_ms: 1,
    attempted_at: now,
  });
  await insert('webhook_dead_letters', { id: delivery, webhook_id: webhook, attempts: 5 });
}

describe('migrating', () => {
  it('keeps every row of a database of the first release, and sets the columns that were added later', async () => {
    await migrateFirstRelease();
    await insertFirstReleaseRows();
    const names = (await tableNames()).filter((name) => name !== 'migrations');
    const before = await readRows(names);
    expect(names.filter((name) => before[name]?.length === 0)).toEqual([]);
    const migrationNames = await migrate(database.url, 'test');
    expect(migrationNames.length).toBeGreaterThan(0);
    const after = await readRows(names);
    for (const name of names) expect({ name, rows: after[name] }).toMatchObject({ name, rows: before[name] });
    expect(after.webhook_dead_letters).toMatchObject([{ event_type: 'trade.filled' }]);
    await (await openDatabase({ url: database.url, applicationName: 'spec' })).destroy();
  });

  it('runs no migration if the database is already migrated', async () => {
    await migrate(database.url, 'test');
    expect(await migrate(database.url, 'test')).toEqual([]);
  });

  it('runs each migration once if several processes start concurrently', async () => {
    const migrationNames = await Promise.all([
      migrate(database.url, 'test'),
      migrate(database.url, 'test'),
      migrate(database.url, 'test'),
    ]);
    const names = migrationNames.flat();
    expect(names.length).toBeGreaterThan(FIRST_RELEASE.length);
    expect(new Set(names).size).toBe(names.length);
  });

  it('uses no statement timeout, and a lock timeout of ten seconds', async () => {
    await client.query('CREATE TABLE observed_timeouts (statement_ms text, lock_ms text)');
    await client.query(`
      CREATE FUNCTION record_timeouts() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO observed_timeouts VALUES (current_setting('statement_timeout'), current_setting('lock_timeout'));
      END $$`);
    await client.query(
      'CREATE EVENT TRIGGER on_ddl_end ON ddl_command_end EXECUTE FUNCTION record_timeouts()',
    );
    await migrate(database.url, 'test');
    expect(await client.query('SELECT DISTINCT * FROM observed_timeouts')).toEqual([
      { statement_ms: '0', lock_ms: '10s' },
    ]);
  });
});
