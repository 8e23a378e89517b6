import { type Analytics, analytics, analyticsOperations, encodeId } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import type { Actor } from '../access/index.js';
import { querySchemaOf } from '../lists.js';
import { CoreUnderTest, type Named } from '../testing/index.js';
import { AnalyticsService } from './analytics.service.js';

let core: CoreUnderTest;
let service: AnalyticsService;
let pair: Named;
let actor: Actor;
let account: Named;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  service = new AnalyticsService(core.platform);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

/** The record that a query string asks for. */
async function read(query = '', who = actor): Promise<Analytics> {
  const asked = querySchemaOf(analyticsOperations.get).parse(Object.fromEntries(new URLSearchParams(query)));
  const record = await service.get(who, asked as Parameters<AnalyticsService['get']>[1]);
  expect(analytics.parse(record)).toEqual(record);
  return record;
}

interface Made {
  readonly side?: 'BUY' | 'SELL';
  readonly status?: string;
  readonly price?: string;
  readonly amount?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  readonly at?: string;
  readonly of?: { user: Actor; account: Named };
  readonly pair?: Named;
  readonly fills?: number;
  readonly strategy?: string;
}

/** A trade of this status with equal fills, a second apart. */
async function trade(made: Made = {}): Promise<string> {
  const id = newUuid();
  const { user, account: on } = made.of ?? { user: actor, account };
  const { side = 'BUY', status = 'FILLED', price = '100', amount = '1', at = '2026-01-01T00:00:00Z' } = made;
  const fills = made.fills ?? (status === 'PENDING' || status === 'FAILED' ? 0 : 1);
  await core.rows(
    `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, strategy_id,
       client_order_id, origin, type, side, reduce_only, time_in_force, price, amount, filled_amount, reserved_asset,
       reserved_amount, status, look_at, created_at)
     VALUES ($1::uuid, $2, $3, $4, 'BTC/USDT', 'spot', $11, $1::uuid::text, 'API', 'LIMIT', $5, false, 'GTC', $6,
       greatest($7::numeric * $8, 1), $7::numeric * $8, 'USDT', 0, $9, now(), $10)`,
    id,
    user.userId,
    on.uuid,
    (made.pair ?? pair).uuid,
    side,
    price,
    amount,
    fills,
    status,
    at,
    made.strategy ?? null,
  );
  await core.rows(
    `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
       fee_currency, liquidity, executed_at)
     SELECT gen_random_uuid(), $1, $2, 'BTC/USDT', 'fill-' || n, $3, $4, $5, $6, 'TAKER',
       $7::timestamptz + n * interval '1 second'
     FROM generate_series(1, $8) n`,
    id,
    on.uuid,
    price,
    amount,
    made.fee ?? '0',
    made.feeCurrency ?? 'USDT',
    at,
    fills,
  );
  return encodeId('trd', id);
}

describe('the analytics of a user', () => {
  it('count trades of every state, and no other user sees them', async () => {
    const other = await core.actor();
    const foreign = { user: other, account: await core.account(other) };
    const statuses = ['PENDING', 'FAILED', 'CANCELLED', 'PARTIALLY_FILLED', 'FILLED'];
    for (const [hour, status] of statuses.entries())
      await trade({ status, at: `2026-01-01T0${hour}:00:00Z` });
    await trade({ side: 'SELL', price: '110', at: '2026-01-02T00:00:00Z' });
    await trade({ of: foreign, price: '7' });
    expect(await read()).toMatchObject({
      currency: 'USDT',
      trade_count: 6,
      closed_count: 1,
      net_pnl: '10',
      by_status: { PENDING: 1, FAILED: 1, CANCELLED: 1, PARTIALLY_FILLED: 1, FILLED: 2 },
      by_pair: [{ trade_pair_id: pair.id, symbol: 'BTC/USDT', trade_count: 6 }],
    });
    expect(await read('', other)).toMatchObject({
      trade_count: 1,
      volume: '7',
      closed_count: 0,
      net_pnl: '0',
    });
  });

  it('are null and nought where there is nothing', async () => {
    expect(await read()).toMatchObject({ currency: null, trade_count: 0, win_rate: null, equity_curve: [] });
  });

  it('agree with what the database adds up by itself, over more fills than are read at once', async () => {
    await trade({ fills: 6_000, amount: '0.5', price: '100.01', fee: '0.001' });
    await trade({
      side: 'SELL',
      fills: 6_000,
      amount: '0.25',
      price: '103.7',
      fee: '0.002',
      at: '2026-01-03T00:00:00Z',
    });
    const fine = await core.pair({ base: 'FINE' });
    await trade({
      pair: fine,
      fills: 5,
      price: '0.000000000000000001',
      amount: '12345678901234.123456789012345678',
    });
    const sums = await core.row(
      `SELECT trim_scale(round(sum(f.price * f.amount), 18))::text AS volume, trim_scale(sum(f.fee_amount))::text AS fees
       FROM fills f JOIN trades t ON t.id = f.trade_id WHERE t.user_id = $1`,
      actor.userId,
    );
    const record = await read();
    expect(record).toMatchObject({ ...sums, trade_count: 3, closed_count: 0 });
    // 1,500 BTC sold of 3,000: each brought 103.7 - 0.008 and had cost 100.01 + 0.002.
    expect(record.net_pnl).toBe('5520');
    expect(record.equity_curve).toHaveLength(1);
  });

  it('match sales in a range with what was bought before it, and count trades by when they were made', async () => {
    await trade({ price: '100' });
    const sold = await trade({ side: 'SELL', price: '90', at: '2026-02-01T00:00:00Z' });
    await trade({ price: '95', at: '2026-03-01T00:00:00Z' });
    expect(await read('from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=month')).toMatchObject({
      from: '2026-02-01T00:00:00.000Z',
      to: '2026-03-01T00:00:00.000Z',
      trade_count: 1,
      closed_count: 1,
      net_pnl: '-10',
      volume: '90',
      equity_curve: [{ at: '2026-02-01T00:00:00.000Z', net_pnl: '-10', equity: null, drawdown: '10' }],
    });
    expect(sold).toMatch(/^trd_/);
    expect((await read('to=2026-02-01T00:00:00Z')).net_pnl).toBe('0');
    expect((await read('from=2026-03-01T02:00:00%2B02:00')).trade_count).toBe(1);
  });

  it('never add different currencies', async () => {
    const euro = await core.pair({ quote: 'EUR' });
    await trade({ pair: euro });
    await trade({ pair: euro, side: 'SELL', price: '120', at: '2026-01-02T00:00:00Z' });
    await trade();
    expect(await read()).toMatchObject({
      currency: 'EUR',
      net_pnl: '20',
      volume: '220',
      trade_count: 3,
      excluded_quotes: [{ currency: 'USDT', fill_count: 1, closed_count: 0 }],
      by_pair: [
        { currency: 'EUR', net_pnl: '20' },
        { currency: 'USDT', volume: '100' },
      ],
    });
  });

  it('keep the lots of two accounts apart', async () => {
    const second = await core.account(actor);
    await trade({ price: '100' });
    await trade({
      side: 'SELL',
      price: '110',
      of: { user: actor, account: second },
      at: '2026-01-02T00:00:00Z',
    });
    expect(await read()).toMatchObject({ closed_count: 0, net_pnl: '0', unmatched_fill_count: 1 });
    expect(await read(`exchange_account_id=${second.id}`)).toMatchObject({ trade_count: 1, volume: '110' });
  });

  it('can still be read of an account that was removed', async () => {
    await trade();
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      account.uuid,
    );
    expect((await read()).volume).toBe('100');
    expect((await read(`exchange_account_id=${account.id}`)).volume).toBe('100');
  });

  it('of a strategy are those of the trades that it opened', async () => {
    const uuid = newUuid();
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
      uuid,
      actor.userId,
      account.uuid,
    );
    const strategy = encodeId('str', uuid);
    await trade({ price: '100', strategy: uuid });
    await trade({ price: '200', at: '2026-01-01T01:00:00Z' });
    await trade({ side: 'SELL', amount: '2', price: '150', at: '2026-01-02T00:00:00Z' });
    expect(await read(`strategy_id=${strategy}`)).toMatchObject({
      trade_count: 1,
      closed_count: 1,
      net_pnl: '50',
      volume: '100',
      by_strategy: [{ strategy_id: strategy, trade_count: 1, net_pnl: '50' }],
    });
    expect(await read()).toMatchObject({ closed_count: 2, net_pnl: '0', winning_count: 1, losing_count: 1 });
    const other = await core.actor();
    await expect(read(`strategy_id=${strategy}`, other)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['strategy_id', 'exchange_account_id', 'trade_pair_id'])(
    'refuse a %s that names none of theirs',
    async (field) => {
      const other = await core.actor();
      const foreign = await core.account(other);
      const unknown = { strategy_id: 'str', exchange_account_id: 'exa', trade_pair_id: 'tpr' }[field] ?? '';
      const ids = ['x', encodeId(unknown as 'str', newUuid()), foreign.id];
      for (const id of ids) {
        await expect(read(`${field}=${id}`)).rejects.toMatchObject({
          code: 'not_found',
          details: [{ field }],
        });
      }
    },
  );

  it('take one connection, however often they are asked for at once', async () => {
    await trade();
    const other = await core.actor();
    const reads = await inTransaction((await core.another()).database, async (tx) => {
      await tx.query('LOCK TABLE fills IN ACCESS EXCLUSIVE MODE');
      const asked = Array.from({ length: 40 }, () => read());
      // More than the pool has: were each of them served, nobody else would be.
      await expect(core.row('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
      return asked;
    });
    const records = await Promise.all(reads);
    expect(records.map(({ volume }) => volume)).toEqual(reads.map(() => '100'));
    await expect(read('exchange_account_id=x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(Promise.all([read(), read('', other)])).resolves.toMatchObject([
      { volume: '100' },
      { volume: '0' },
    ]);
  });

  it('leave connections to others, however many users ask for them at once', async () => {
    const users = await Promise.all(Array.from({ length: 30 }, () => core.actor()));
    const reads = await inTransaction((await core.another()).database, async (tx) => {
      await tx.query('LOCK TABLE fills IN ACCESS EXCLUSIVE MODE');
      const asked = users.map((user) => read('', user));
      while (
        (await tx.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'fills'::regclass")).length < 3
      );
      await expect(core.row('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
      return asked;
    });
    expect(await Promise.all(reads)).toHaveLength(30);
  });

  it('need no more than READ', async () => {
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ' as const] } };
    await expect(read('', reader)).resolves.toMatchObject({ trade_count: 0 });
  });
});
