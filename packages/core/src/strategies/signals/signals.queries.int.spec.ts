import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { CoreUnderTest } from '../../testing/index.js';
import type { NewSignal } from './signal.js';
import { appendSignals, lastSequenceOf, loadEmittedLots, signalsAfter } from './signals.queries.js';

let core: CoreUnderTest;
let strategyId: string;
beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());
beforeEach(async () => {
  strategyId = await newStrategy();
});

async function newStrategy(): Promise<string> {
  const actor = await core.actor();
  const account = await core.account(actor);
  const id = newUuid();
  await core.rows(
    `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
     VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
    id,
    actor.userId,
    account.uuid,
  );
  return id;
}

const entryOf = (more: Partial<NewSignal> = {}): NewSignal => ({
  strategyId,
  kind: 'OPEN',
  side: 'BUY',
  exchangeAccountId: newUuid(),
  tradePairId: newUuid(),
  symbol: 'BTC/USDT',
  tradingType: 'spot',
  lotTradeId: newUuid(),
  lotFirstSequence: null,
  lotOpenedAt: new Date(0),
  lotOrderAmount: '2',
  sourceTradeId: newUuid(),
  sourceFillId: newUuid(),
  filledAmount: '1',
  cumulativeAmount: '1',
  lotAmountBefore: '0',
  lotAmountAfter: '1',
  exitAmount: '0',
  referencePrice: '60000',
  leaderEquity: '90000',
  signalAt: new Date(0),
  ...more,
});
const manager = () => core.platform.database.manager;
const append = (...signals: readonly NewSignal[]) =>
  inTransaction(core.platform.database, (tx) => appendSignals(tx, signals));
const sequences = async (after = 0, limit = 100) =>
  (await signalsAfter(manager(), strategyId, after, limit)).map(({ sequence }) => sequence);

it('signals are numbered 1, 2, 3 per strategy, in input order', async () => {
  const other = await newStrategy();
  const [first, second] = [entryOf(), entryOf()];
  await append(first, entryOf({ strategyId: other }), second);
  await append(entryOf());
  const signals = await signalsAfter(manager(), strategyId, 0, 100);
  expect(signals.map(({ sequence, sourceFillId }) => [sequence, sourceFillId]).slice(0, 2)).toEqual([
    [1, first.sourceFillId],
    [2, second.sourceFillId],
  ]);
  expect(await sequences(1, 1)).toEqual([2]);
  expect(await sequences(3)).toEqual([]);
  expect(await lastSequenceOf(manager(), strategyId)).toBe(3);
  expect(await lastSequenceOf(manager(), other)).toBe(1);
});

it("signals are read as they were written, and with the ratio of their value to the leader's equity", async () => {
  const { lotFirstSequence: _none, ...signal } = entryOf();
  await append({ ...signal, lotFirstSequence: null });
  const [stored] = await signalsAfter(manager(), strategyId, 0, 1);
  expect(stored).toMatchObject({ ...signal, lotFirstSequence: 1, leaderRatio: '0.666666666666666667' });
  expect(await loadEmittedLots(manager(), [signal.lotTradeId, newUuid()])).toEqual(
    new Map([
      [
        signal.lotTradeId,
        { firstSequence: 1, openedAt: new Date(0), cumulativeAmount: '1', openAmount: '1' },
      ],
    ]),
  );
});

it('signals of one lot that are appended together have the same first sequence', async () => {
  const entry = entryOf();
  const increase = { ...entry, kind: 'INCREASE' as const, sourceFillId: newUuid() };
  await append(entryOf(), entry, increase);
  const signals = await signalsAfter(manager(), strategyId, 1, 10);
  expect(signals.map(({ lotFirstSequence }) => lotFirstSequence)).toEqual([2, 2]);
});

it('a signal never becomes visible before an earlier signal of the strategy, and a rollback leaves no gap', async () => {
  let rollBack: (error: Error) => void = () => undefined;
  const rollback = new Promise<never>((_, reject) => {
    rollBack = reject;
  });
  let markAppended = () => {};
  const isAppended = new Promise<void>((resolve) => {
    markAppended = resolve;
  });
  const first = inTransaction(core.platform.database, async (tx) => {
    await appendSignals(tx, [entryOf(), entryOf()]);
    markAppended();
    await rollback;
  });
  await isAppended;
  let pid = 0;
  const second = inTransaction(core.platform.database, async (tx) => {
    pid = await pidOf(tx);
    await appendSignals(tx, [entryOf()]);
  });
  await waitUntilBlocked(() => pid);
  expect(await sequences()).toEqual([]);
  rollBack(new Error('rolled back'));
  await expect(first).rejects.toThrow('rolled back');
  await second;
  expect(await sequences()).toEqual([1]);
});

async function pidOf(tx: Tx): Promise<number> {
  const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
  return pid;
}

async function waitUntilBlocked(pid: () => number): Promise<void> {
  await eventually(async () => {
    const [{ waits }] = await core.platform.database.query(
      'SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits',
      [pid()],
    );
    return waits;
  });
}

it('a second signal of the same fill and lot cannot be stored: its whole transaction fails', async () => {
  const entry = entryOf();
  await append(entry);
  await expect(append(entryOf(), entry)).rejects.toThrow(/duplicate key/);
  expect(await sequences()).toEqual([1]);
  expect(await lastSequenceOf(manager(), strategyId)).toBe(1);
});
