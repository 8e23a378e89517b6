/** Tests concurrent transactions that store fills, and the state after a transaction fails. */
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { lastSequenceOf, SIGNALS_CHANNEL, signalsAfter } from '../../strategies/index.js';
import { CoreUnderTest } from '../../testing/index.js';
import { backfillLots } from './backfill-lots.js';
import { bookTrades, lockBooks } from './book-trades.js';
import { FillScenario } from './testing/fill-scenario.js';

let core: CoreUnderTest;
let pairs: readonly string[];
beforeAll(async () => {
  core = await CoreUnderTest.open();
  const created = await Promise.all(['BTC', 'ETH', 'SOL'].map((base) => core.pair({ base })));
  pairs = created.map(({ uuid }) => uuid);
});
afterAll(() => core.close());

const manager = () => core.platform.database.manager;
async function expectReplayToAgree(scenario: FillScenario): Promise<void> {
  const stored = await scenario.storedState();
  await scenario.deleteLots();
  await backfillLots(core.platform);
  expect(await scenario.storedState()).toEqual(stored);
}

it('two processes that concurrently store fills of one book leave the same state as a replay', async () => {
  const scenario = await FillScenario.begin(core, pairs[0]!);
  const other = await core.openSecondPlatform();
  const strategyId = await scenario.strategy();
  const fills = await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      const side = i % 3 === 2 ? ('SELL' as const) : ('BUY' as const);
      return { tradeId: await scenario.trade({ side, strategyId }), amount: '1', at: i, id: newUuid() };
    }),
  );
  await Promise.all(fills.map((fill, i) => scenario.storeOn(i % 2 === 0 ? core.platform : other, [fill])));
  expect(await scenario.openAmounts()).toHaveLength(8);
  expect(
    await core.rows('SELECT 1 FROM lots WHERE exchange_account_id = $1', scenario.accountId),
  ).toHaveLength(16);
  expect((await scenario.closedEvents()).length).toBeGreaterThanOrEqual(8);
  await expectReplayToAgree(scenario);
});

it('transactions that lock the same books in any order never deadlock', async () => {
  const scenario = await FillScenario.begin(core, pairs[0]!);
  const accounts = [scenario.accountId, (await FillScenario.begin(core, pairs[0]!)).accountId];
  const keys = accounts.flatMap((exchangeAccountId) =>
    pairs.map((tradePairId) => ({ exchangeAccountId, tradePairId })),
  );
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      inTransaction(
        core.platform.database,
        async (tx) => {
          const rotated = [...keys.slice(i % keys.length), ...keys.slice(0, i % keys.length)];
          await lockBooks(tx, i % 2 === 0 ? rotated : rotated.reverse().slice(0, 4));
        },
        // A deadlock is an error here and is not retried.
        { attempts: 1 },
      ),
    ),
  );
  expect(
    await core.rows('SELECT 1 FROM lot_books WHERE exchange_account_id = ANY ($1)', accounts),
  ).toHaveLength(6);
});

it("transactions that concurrently store fills of several books and close each other's trades all succeed", async () => {
  const first = await FillScenario.begin(core, pairs[0]!);
  const second = await FillScenario.begin(core, pairs[0]!);
  const strategyId = await first.strategy();
  const scenarios = [first, second].flatMap((scenario) => pairs.map((pair) => scenario.on(pair)));
  const batches = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      Promise.all(
        [0, 1, 2].map(async (step) => {
          const scenario = scenarios[(i * 5 + step * (1 + (i % 2))) % scenarios.length]!;
          const side = i % 2 === 0 ? ('BUY' as const) : ('SELL' as const);
          const tradeId = await scenario.trade({
            side,
            strategyId: scenario.accountId === first.accountId ? strategyId : undefined,
          });
          return { scenario, fill: { tradeId, amount: '1', at: i } };
        }),
      ),
    ),
  );
  const other = await core.openSecondPlatform();
  await Promise.all(
    batches.map((batch, i) => FillScenario.storeMany(i % 2 === 0 ? core.platform : other, batch)),
  );
  for (const scenario of [first, second]) await expectReplayToAgree(scenario);
});

it('the signals of a strategy that trades several pairs concurrently become visible in order and without gaps', async () => {
  const first = await FillScenario.begin(core, pairs[0]!);
  const strategyId = await first.strategy();
  const scenarios = [first, ...(await Promise.all(pairs.slice(1).map((pair) => first.on(pair))))];
  const writing = Promise.all(
    scenarios.map(async (scenario) => {
      for (let at = 0; at < 12; at++) {
        await scenario.executeTrade({ side: at % 2 === 0 ? 'BUY' : 'SELL', amount: '1', at, strategyId });
        // Every fourth round also rolls back a fill, and with it the sequence of its signal.
        if (at % 4 === 0) {
          const tradeId = await scenario.trade({ side: 'BUY', strategyId });
          const stop = () => {
            throw new Error('stopped');
          };
          await expect(scenario.storeOn(core.platform, [{ tradeId, amount: '1', at }], stop)).rejects.toThrow(
            'stopped',
          );
        }
      }
    }),
  );
  let isDone = false;
  const done = writing.finally(() => {
    isDone = true;
  });
  let seen = 0;
  do {
    const signals = await signalsAfter(manager(), strategyId, seen, 100);
    for (const { sequence } of signals) {
      expect(sequence).toBe(seen + 1);
      seen = sequence;
    }
  } while (!isDone);
  await done;
  expect(await signalsAfter(manager(), strategyId, 36, 100)).toEqual([]);
  expect(await signalsAfter(manager(), strategyId, 0, 100)).toHaveLength(36);
  expect(await lastSequenceOf(manager(), strategyId)).toBe(36);
});

it('a transaction that fails after booking leaves no lot, closure, signal or event', async () => {
  const scenario = await FillScenario.begin(core, pairs[0]!);
  const strategyId = await scenario.strategy();
  const bought = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
  const stored = await scenario.storedState();
  const tradeId = await scenario.trade({ side: 'SELL' });
  const stop = () => {
    throw new Error('stopped');
  };
  await expect(scenario.storeOn(core.platform, [{ tradeId, amount: '1', at: 2 }], stop)).rejects.toThrow(
    'stopped',
  );
  expect({ ...(await scenario.storedState()), closed: undefined }).toEqual({ ...stored, closed: undefined });
  expect(await scenario.closedEvents()).toEqual([]);
  expect(await lastSequenceOf(manager(), strategyId)).toBe(1);
  await scenario.store({ tradeId, amount: '1', at: 2 });
  expect(await scenario.openAmounts()).toEqual([]);
  expect(await signalsAfter(manager(), strategyId, 1, 10)).toMatchObject([
    { sequence: 2, kind: 'CLOSE', lotTradeId: bought.tradeId },
  ]);
});

it('a process whose connection dies after booking leaves no changes and blocks no other process', async () => {
  const scenario = await FillScenario.begin(core, pairs[0]!);
  const other = await core.openSecondPlatform();
  const tradeId = await scenario.trade({ side: 'BUY' });
  const { accountId: exchangeAccountId, pairId: tradePairId } = scenario;
  const dying = inTransaction(other.database, async (tx) => {
    await lockBooks(tx, [{ exchangeAccountId, tradePairId }]);
    const id = newUuid();
    await tx.query(
      `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
         fee_currency, liquidity, executed_at) VALUES ($1, $2, $3, 'BTC/USDT', '1', 1, 1, 0, 'USDT', 'TAKER', $4)`,
      [id, tradeId, exchangeAccountId, FillScenario.at(1)],
    );
    await bookTrades(tx, [
      {
        trade: { id: tradeId, exchangeAccountId, tradePairId, status: 'FILLED' },
        newFills: [{ id, executedAt: FillScenario.at(1) }],
      },
    ]);
    const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
    await core.rows('SELECT pg_terminate_backend($1)', pid);
    await tx.query('SELECT 1');
  });
  await expect(dying).rejects.toThrow();
  expect((await scenario.storedState()).lots).toEqual([]);
  await scenario.store({ tradeId, amount: '1', at: 1 });
  expect(await scenario.openAmounts()).toEqual([[tradeId, '1']]);
});

it('signals notify listeners when their transaction is committed', async () => {
  const scenario = await FillScenario.begin(core, pairs[0]!);
  const strategyId = await scenario.strategy();
  const received: (string | undefined)[] = [];
  let wake = () => {};
  const waitForNotifications = (count: number) =>
    new Promise<void>((resolve) => {
      wake = () => {
        if (received.length >= count) resolve();
      };
      wake();
    });
  const end = core.platform.listener.subscribe(SIGNALS_CHANNEL, (payload) => {
    received.push(payload);
    wake();
  });
  // The listener calls each new subscriber once, without a payload.
  await waitForNotifications(1);
  await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
  await waitForNotifications(2);
  end();
  expect(received).toEqual([undefined, strategyId]);
});

it('new fills of 100 books are booked in at most 12 statements', async () => {
  const actor = await core.actor();
  const scenarios = await Promise.all(
    Array.from({ length: 100 }, () => FillScenario.begin(core, pairs[0]!, actor)),
  );
  await Promise.all(
    scenarios.slice(50).map((scenario) => scenario.executeTrade({ side: 'BUY', amount: '1', at: 1 })),
  );
  const changes = await Promise.all(
    scenarios.map(async (scenario, i) => {
      const tradeId = await scenario.trade({ side: i < 50 ? 'BUY' : 'SELL' });
      const id = newUuid();
      await core.rows(
        `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
           fee_currency, liquidity, executed_at) VALUES ($1, $2, $3, 'BTC/USDT', '1', 1, 1, 0, 'USDT', 'TAKER', $4)`,
        id,
        tradeId,
        scenario.accountId,
        FillScenario.at(2),
      );
      const { accountId: exchangeAccountId, pairId: tradePairId } = scenario;
      return {
        trade: { id: tradeId, exchangeAccountId, tradePairId, status: 'FILLED' as const },
        newFills: [{ id, executedAt: FillScenario.at(2) }],
      };
    }),
  );
  const statementCount = await inTransaction(core.platform.database, async (tx) => {
    const connection: { query: (...args: unknown[]) => unknown } = await tx.queryRunner!.connect();
    const original = connection.query;
    let count = 0;
    connection.query = (...args) => {
      count += 1;
      return original.apply(connection, args);
    };
    await lockBooks(
      tx,
      changes.map(({ trade }) => trade),
    );
    await bookTrades(tx, changes);
    connection.query = original;
    return count;
  });
  expect(statementCount).toBeLessThanOrEqual(12);
  const open = await Promise.all(scenarios.map((scenario) => scenario.openAmounts()));
  expect(open.map((lots) => lots.length)).toEqual([...Array(50).fill(1), ...Array(50).fill(0)]);
});
