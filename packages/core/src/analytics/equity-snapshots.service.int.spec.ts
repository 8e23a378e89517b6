import type { Actor } from '../operations/index.js';

import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { EquitySnapshots } from './equity-snapshots.service.js';

let core: CoreUnderTest;
let snapshots: EquitySnapshots;
let actor: Actor;
let account: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  snapshots = new EquitySnapshots(core.platform);
  await core.pair({ last_price: '60000' });
  await core.pair({ base: 'ETH', last_price: '2000' });
  await core.pair({ quote: 'EUR', last_price: '50000' });
  await core.pair({ base: 'UNPRICED' });
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor, { USDT: '1000', BTC: '0.5' });
});

const snapshotsOf = ({ uuid }: RecordIds) =>
  core.rows(
    `SELECT currency, trim_scale(amount)::text AS amount FROM equity_snapshots
     WHERE exchange_account_id = $1 ORDER BY period, currency`,
    uuid,
  );

/** Inserts a snapshot taken this many minutes before the start of yesterday, in UTC. */
const addSnapshot = (minutes: number, amount: string) =>
  core.rows(
    `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
     SELECT $1, 'USDT', at, at, $3::numeric
     FROM (SELECT date_trunc('day', now() - interval '1 day', 'UTC') - $2 * interval '1 minute' AS at) p`,
    account.uuid,
    minutes,
    amount,
  );

describe('snapshots of equity', () => {
  it('value holdings at the last prices, in the quote currency of most pairs if the account has no results yet', async () => {
    expect(await snapshots.take()).toBeGreaterThan(0);
    expect(await snapshotsOf(account)).toEqual([{ currency: 'USDT', amount: '31000' }]);
  });

  it('are taken in every quote currency in which the account has results', async () => {
    await core.rows(
      `INSERT INTO equity_currencies (exchange_account_id, currency) VALUES ($1, 'USDT'), ($1, 'EUR')`,
      account.uuid,
    );
    await snapshots.take();
    // 1,000 USDT are worth 1000 / 60000 BTC, which are worth 833.33… EUR.
    expect(await snapshotsOf(account)).toEqual([
      { currency: 'EUR', amount: expect.stringMatching(/^25833\.3333/) },
      { currency: 'USDT', amount: '31000' },
    ]);
  });

  it('are stored once per period: the last one replaces earlier ones', async () => {
    await snapshots.take();
    await core.rows(
      `UPDATE exchange_accounts SET balances = '{"USDT": {"free": "7", "locked": "0"}}' WHERE id = $1`,
      account.uuid,
    );
    await snapshots.take();
    const stored = await snapshotsOf(account);
    // A new period may have started in between.
    expect(stored.length).toBeLessThanOrEqual(2);
    expect(stored.at(-1)).toEqual({ currency: 'USDT', amount: '7' });
  });

  it('are not taken of inactive accounts, nor of accounts with stale, unread or unpriced balances', async () => {
    const unpriced = await core.account(actor, { UNPRICED: '1' });
    const unread = await core.account(actor, null);
    const inactive = await core.account(actor, { USDT: '1' }, { isActive: false });
    await core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '2 hours' WHERE id = $1",
      account.uuid,
    );
    await snapshots.take();
    for (const each of [unpriced, unread, inactive, account]) expect(await snapshotsOf(each)).toEqual([]);
  });

  it('are taken of an account whose balances were read long ago if its stream is live', async () => {
    await core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = now() - interval '4 hours' WHERE id = $1",
      account.uuid,
    );
    await core.rows(
      "INSERT INTO account_watches (account_id, worker, state, since, told_at) VALUES ($1, 'w', 'LIVE', now(), now())",
      account.uuid,
    );
    await snapshots.take();
    expect(await snapshotsOf(account)).toHaveLength(1);
  });

  it('of the days before yesterday are deleted, except for the first of the account and the last of each day', async () => {
    const DAY = 1_440;
    await addSnapshot(2 * DAY - 5, '5');
    await addSnapshot(2 * DAY - 10, '11');
    await addSnapshot(DAY + 5, '12');
    await addSnapshot(DAY - 5, '21');
    await addSnapshot(10, '22');
    await addSnapshot(5, '23');
    await addSnapshot(0, '31');
    await addSnapshot(-5, '32');
    await snapshots.take();
    expect((await snapshotsOf(account)).map(({ amount }) => amount)).toEqual([
      '5',
      '12',
      '23',
      '31',
      '32',
      '31000',
    ]);
  });

  it('are taken by one process at a time', async () => {
    const other = new EquitySnapshots(await core.openSecondPlatform());
    const taken = await Promise.all([snapshots.take(), other.take()]);
    expect(Math.max(...taken)).toBeGreaterThan(0);
    expect(await snapshotsOf(account)).toHaveLength(1);
  });
});
