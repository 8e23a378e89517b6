/** Tests that lots are computed from the fills of the first release, which stored no lots. */
import { createDataSource, newUuid } from '@trading-automation/persistence';
import { createTestDatabase } from '@trading-automation/persistence/testing';
import { migrate } from '../src/database/data-source.js';
import { Access1763700000001 } from '../src/database/migrations/0001-access.js';
import { Trading1763700000002 } from '../src/database/migrations/0002-trading.js';
import { Webhooks1763700000003 } from '../src/database/migrations/0003-webhooks.js';
import { openPlatform } from '../src/database/open-platform.js';
import { signalsAfter } from '../src/strategies/index.js';
import { CoreUnderTest } from '../src/testing/index.js';
import { backfillLots } from '../src/trades/lots/backfill-lots.js';
import { FillScenario } from '../src/trades/lots/testing/fill-scenario.js';

describe('a database of the first release', () => {
  it('keeps its fills when it is migrated, and its lots are computed from the fills', async () => {
    const database = await createTestDatabase({ schema: 'none', migrate: async () => undefined });
    try {
      const { tradeId, fillIds } = await createFirstReleaseFills(database.url);
      await migrate(database.url, 'test');
      const platform = await openPlatform({
        world: 'test',
        databaseUrl: database.url,
        applicationName: 'spec',
        poolSize: 2,
        onListenerError: () => undefined,
      });
      try {
        expect(await backfillLots(platform)).toBe(1);
        expect(await backfillLots(platform)).toBe(0);
        expect(
          await platform.database.query('SELECT id, trade_id, open_amount, open_value FROM lots'),
        ).toEqual([
          {
            id: fillIds[0],
            trade_id: tradeId,
            open_amount: '1.500000000000000000',
            open_value: '150',
          },
        ]);
        expect(await platform.database.query('SELECT fill_id, lot_id FROM lot_closures')).toEqual([
          { fill_id: fillIds[1], lot_id: fillIds[0] },
        ]);
      } finally {
        await platform.close();
      }
    } finally {
      await database.drop();
    }
  });
});

/** Migrates to the first release and inserts an account that bought 2 units and sold 0.5 of them. */
async function createFirstReleaseFills(url: string) {
  const source = createDataSource({
    url,
    applicationName: 'spec',
    entities: [],
    migrations: [Access1763700000001, Trading1763700000002, Webhooks1763700000003],
    poolSize: 1,
  });
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  const [userId, accountId, pairId, bought, sold] = [newUuid(), newUuid(), newUuid(), newUuid(), newUuid()];
  const fillIds = [newUuid(), newUuid()];
  await source.query('INSERT INTO users (id) VALUES ($1)', [userId]);
  await source.query(
    `INSERT INTO exchange_accounts (id, user_id, exchange, account_name, trading_type, is_active, can_withdraw,
       credentials_sealed) VALUES ($1, $2, 'paper', 'mine', 'spot', true, false, 'sealed')`,
    [accountId, userId],
  );
  await source.query(
    `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
       min_notional, is_active, rules_updated_at)
     VALUES ($1, 'paper', 'BTC/USDT', 'BTC', 'USDT', 'spot', 0.01, 0.01, 0.01, 1, true, now())`,
    [pairId],
  );
  for (const [i, [id, side, amount]] of (
    [
      [bought, 'BUY', '2'],
      [sold, 'SELL', '0.5'],
    ] as const
  ).entries()) {
    await source.query(
      `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
         origin, type, side, reduce_only, time_in_force, amount, filled_amount, cost, reserved_asset,
         reserved_amount, status, look_at)
       VALUES ($1::uuid, $2, $3, $4, 'BTC/USDT', 'spot', $1::uuid::text, 'API', 'MARKET', $5, false, 'GTC', $6, $6, 100,
         'USDT', 0, 'FILLED', now())`,
      [id, userId, accountId, pairId, side, amount],
    );
    await source.query(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       VALUES ($1::uuid, $2, $3, 'BTC/USDT', $1::uuid::text, 100, $4, 0, 'USDT', 'TAKER', $5)`,
      [fillIds[i], id, accountId, amount, FillScenario.at(i)],
    );
  }
  await source.destroy();
  return { tradeId: bought, fillIds };
}

describe('a lot book that lacks earlier fills', () => {
  let core: CoreUnderTest;
  let scenario: FillScenario;
  let strategyId: string;
  beforeAll(async () => {
    core = await CoreUnderTest.open();
  });
  afterAll(() => core.close());
  beforeEach(async () => {
    scenario = await FillScenario.begin(core, (await core.pair({ base: `B${newUuid().slice(-6)}` })).uuid);
    strategyId = await scenario.strategy();
  });
  const signals = () => signalsAfter(core.platform.database.manager, strategyId, 0, 10);

  it('gets them from the backfill, which closes trades but emits no signals or events', async () => {
    const bought = await scenario.trade({ side: 'BUY', strategyId });
    const sold = await scenario.trade({ side: 'SELL', strategyId });
    await scenario.storeLegacyFills(
      { tradeId: bought, amount: '1', price: '100', at: 1 },
      { tradeId: sold, amount: '1', price: '104', at: 2 },
    );
    await backfillLots(core.platform);
    expect(await core.row('SELECT closed_at, realized_pnl FROM trades WHERE id = $1', bought)).toEqual({
      closed_at: FillScenario.at(2),
      realized_pnl: '4.000000000000000000',
    });
    expect(await signals()).toEqual([]);
    expect(await scenario.closedEvents()).toEqual([]);
  });

  it('books its earlier fills before the first new fill; signals and events are emitted only for new fills', async () => {
    const tradeId = await scenario.trade({ side: 'BUY', amount: '3', strategyId });
    await scenario.storeLegacyFills({ tradeId, amount: '2', at: 1, status: 'PARTIALLY_FILLED' });
    await scenario.store({ tradeId, amount: '1', at: 2 });
    await scenario.executeTrade({ side: 'SELL', amount: '3', price: '110', at: 3 });
    expect(await signals()).toMatchObject([
      // A first sequence of 0 is not above the watermark of any copier, so no copier copies this lot.
      { sequence: 1, kind: 'INCREASE', lotFirstSequence: 0, cumulativeAmount: '3', lotAmountBefore: '2' },
      { sequence: 2, kind: 'CLOSE', lotFirstSequence: 0, exitAmount: '3' },
    ]);
    expect(await scenario.closedEvents()).toEqual(['30']);
    expect(await backfillLots(core.platform)).toBe(0);
  });

  it('is completed in batches by two concurrent backfills, so that each fill has one lot and a later sale closes lots', async () => {
    const tradeId = await scenario.trade({ side: 'BUY' });
    await scenario.storeLegacyFills({ tradeId, amount: '1', at: 0 });
    await core.rows(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at)
       SELECT gen_random_uuid(), trade_id, exchange_account_id, symbol, i::text, 1, 1, 0, 'USDT', 'TAKER',
         executed_at + i * interval '1 millisecond'
       FROM fills CROSS JOIN generate_series(1, 5200) AS i WHERE trade_id = $1`,
      tradeId,
    );
    await Promise.all([backfillLots(core.platform), backfillLots(core.platform)]);
    expect(
      await core.row('SELECT count(*), sum(open_amount)::int AS open FROM lots WHERE trade_id = $1', tradeId),
    ).toEqual({ count: '5201', open: 5201 });
    await scenario.executeTrade({ side: 'SELL', amount: '5200', at: 10 });
    expect(await scenario.openAmounts()).toHaveLength(1);
  });
});
