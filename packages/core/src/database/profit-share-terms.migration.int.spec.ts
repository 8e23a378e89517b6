/** Tests what the migration of profit shares does to the rows of earlier releases, and that those releases still write. */
import { readdirSync } from 'node:fs';
import { createDataSource, type Database, newUuid } from '@trading-automation/persistence';
import { createTestDatabase, type TestDatabase } from '@trading-automation/persistence/testing';
import { migrate } from './data-source.js';

const BEFORE = '0035';

let database: TestDatabase;
let client: Database;
beforeAll(async () => {
  database = await createTestDatabase({ schema: 'none', migrate: async () => undefined });
  client = await createSource([]).initialize();
  const folder = new URL('./migrations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && name < BEFORE);
  const modules: Record<string, new () => object>[] = await Promise.all(
    names.toSorted().map((name) => import(new URL(name, folder).href)),
  );
  const source = await createSource(modules.flatMap((module) => Object.values(module))).initialize();
  await source.runMigrations({ transaction: 'each' });
  await source.destroy();
});
afterAll(async () => {
  await client.destroy();
  await database.drop();
});

const createSource = (migrations: (new () => object)[]) =>
  createDataSource({ url: database.url, applicationName: 'spec', entities: [], migrations, poolSize: 1 });

async function insert(table: string, columns: Readonly<Record<string, unknown>>): Promise<string> {
  const row = { id: newUuid(), ...columns };
  const names = Object.keys(row);
  const placeholders = names.map((_, index) => `$${index + 1}`);
  await client.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders.join(', ')})`,
    Object.values(row),
  );
  return row.id;
}

const insertCopier = (userId: string, strategy: string, account: string, startedAt: string | null) =>
  insert('copiers', {
    user_id: userId,
    strategy_id: strategy,
    exchange_account_id: account,
    name: 'c',
    status: 'PAUSED',
    sizing_mode: 'FIXED_QUOTE',
    sizing_value: 1,
    max_signal_age_ms: 60_000,
    on_breach: 'CLOSE_ONLY',
    below_minimum: 'SKIP',
    copy_existing: false,
    started_at: startedAt,
    created_at: '2026-01-01Z',
  });
const shareOf = (copier: string, strategy: string, rate: string, to: string) => ({
  copier_id: copier,
  strategy_id: strategy,
  quote: 'USDT',
  period_from: '2026-01-01Z',
  period_to: to,
  rate,
  tokens_per_quote: 1,
  high_water_before: to.slice(8, 10),
  high_water_after: 100,
});

it('freezes the lowest rate known of copiers that run, hashes identities, and lets the previous release write', async () => {
  const email = 'one@example.com';
  const owner = await insert('users', { email, email_verified_at: '2026-01-01Z' });
  const user = await insert('users', { email: 'two@example.com' });
  await insert('public_keys', { user_id: user, pubkey: '02ab', revoked_at: '2026-01-02Z' });
  const accountOf = (userId: string, venueAccountId: string | null) =>
    insert('exchange_accounts', {
      user_id: userId,
      exchange: 'paper',
      account_name: 'a',
      trading_type: 'spot',
      is_active: true,
      can_withdraw: false,
      venue_account_id: venueAccountId,
      credentials_sealed: 'sealed',
    });
  const [leaderAccount, account] = [await accountOf(owner, 'v1'), await accountOf(user, null)];
  const strategy = await insert('strategies', {
    user_id: owner,
    exchange_account_id: leaderAccount,
    name: 's',
    visibility: 'PUBLIC',
    status: 'ACTIVE',
    profit_share_rate: '0.3',
    profit_share_period: 'MONTH',
  });
  const running = await insertCopier(user, strategy, account, '2026-01-03Z');
  const neverStarted = await insertCopier(user, strategy, account, null);
  await insert('profit_shares', {
    ...shareOf(running, strategy, '0.1', '2026-01-12Z'),
    created_at: '2026-01-12Z',
  });
  await insert('profit_shares', {
    ...shareOf(running, strategy, '0.2', '2026-01-19Z'),
    created_at: '2026-01-19Z',
  });

  await migrate(database.url, 'test');

  const terms = await client.query(
    `SELECT copier_id, rate::float, period, since = '-infinity' AS "isFirst", accepted_at FROM copier_terms`,
  );
  expect(terms).toEqual([
    { copier_id: running, rate: 0.1, period: 'MONTH', isFirst: true, accepted_at: new Date('2026-01-03Z') },
  ]);
  const hashes = await client.query('SELECT kind, user_id FROM identity_hashes ORDER BY kind');
  expect(hashes).toEqual([
    { kind: 'EMAIL', user_id: owner },
    { kind: 'PUBLIC_KEY', user_id: user },
    { kind: 'VENUE_ACCOUNT', user_id: owner },
  ]);

  // Statements of the previous release.
  await client.query('UPDATE copiers SET started_at = now() WHERE id = ANY ($1)', [[running, neverStarted]]);
  await client.query('UPDATE strategies SET profit_share_rate = 0.05 WHERE id = $1', [strategy]);
  const after = await client.query('SELECT copier_id, rate::float FROM copier_terms ORDER BY id');
  expect(after).toEqual([
    { copier_id: running, rate: 0.1 },
    { copier_id: neverStarted, rate: 0.3 },
    { copier_id: running, rate: 0.05 },
    { copier_id: neverStarted, rate: 0.05 },
  ]);
  const share = await insert('profit_shares', shareOf(running, strategy, '0.1', '2026-01-26Z'));
  const type = await insert('reward_types', {
    code: 'PROFIT_SHARE',
    name: 'n',
    description: 'd',
    basis: 'PROFIT_SHARE',
    rate: 1,
    is_active: true,
  });
  const reward = await insert('rewards', {
    user_id: owner,
    type_id: type,
    amount: 1,
    currency: 'SVC-TEST',
    reason: 'r',
    source_kind: 'copier',
    source_id: running,
    profit_share_id: share,
    claimable_at: '2026-01-26Z',
  });
  await client.query('UPDATE rewards SET claimed_at = now() WHERE id = $1', [reward]);
  expect(await client.query('SELECT is_pending FROM rewards')).toEqual([{ is_pending: false }]);
});
