import { newUuid } from '@trading-automation/persistence';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';

let the: OrdersUnderTest;
beforeAll(async () => {
  the = await OrdersUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

const CERTAINLY_ARRIVED_MS = 5_001;
/** As many looks as it takes to believe that an order is not there; the answers of each. */
async function lookInVain(id: string, looks = 6): Promise<boolean[]> {
  await the.wasSentAgo(id, CERTAINLY_ARRIVED_MS);
  const answers = [];
  for (let look = 0; look < looks; look++) answers.push(await the.execution.storeAbsence(id));
  return answers;
}
/** What waits to be sent, once the time before a new try is over. */
async function unsentLater(): Promise<string[]> {
  await the.core.rows('UPDATE trades SET send_after = clock_timestamp() WHERE send_after IS NOT NULL');
  return (await the.execution.takeUnsent([the.account.uuid], 10)).map(({ id }) => id);
}
const expire = (id: string) =>
  the.core.rows('UPDATE trades SET resend_until = clock_timestamp() WHERE id = $1', id);
const REFUSED_FOR_NOW = { code: 'exchange_unavailable', message: 'Too busy.', isRetryable: true };

describe('a worker that stood still while its order was taken for lost', () => {
  it('row 1: says nothing of the sending that came after its own', async () => {
    const id = await the.placeCopy();
    const first = await the.send(id);
    await lookInVain(id);
    expect(await unsentLater()).toEqual([id]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const second = await the.send(id);
    for (const isRetryable of [true, false]) {
      await the.execution.storeRefusal(id, { ...REFUSED_FOR_NOW, isRetryable }, first!.begunAt);
      expect(await the.kept(id)).toMatchObject({ status: 'PENDING', submitted_at: second!.begunAt });
    }
    await the.execution.storeRefusal(id, REFUSED_FOR_NOW, second!.begunAt);
    expect(await the.kept(id)).toMatchObject({ status: 'PENDING', submitted_at: null });
  });
});

describe('the worker that owns an account', () => {
  it('begins to send many of its trades at once, each with the order as it was planned', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await the.placeCopy());
    const wanted = ids.map((id) => ({ id, venueClientOrderId: `venue-${id}` }));
    const begun = await the.execution.beginSubmissions(the.ownershipOf(), wanted);
    expect(begun.map(({ id }) => id)).toEqual(ids);
    expect(begun[0]!.order).toEqual({
      symbol: 'BTC/USDT',
      venueClientOrderId: `venue-${ids[0]}`,
      type: 'LIMIT',
      side: 'BUY',
      timeInForce: 'IOC',
      amount: '1',
      price: '100',
      stopPrice: undefined,
      reduceOnly: false,
      isExit: false,
    });
    expect(await the.execution.beginSubmissions(the.ownershipOf(), wanted)).toEqual([]);
    expect(await unsentLater()).toEqual([]);
  });

  it('begins nothing once it is another’s, and nothing of an account that is not its own', async () => {
    const id = await the.placeCopy();
    const wanted = [{ id, venueClientOrderId: 'venue' }];
    const own = the.ownershipOf();
    const stranger = the.ownershipOf(await the.newAccount(the.actor));
    for (const ownership of [{ ...own, fence: '0' }, { ...own, worker: 'another' }, stranger])
      expect(await the.execution.beginSubmissions(ownership, wanted)).toEqual([]);
    expect(await the.execution.beginSubmissions([stranger, own], wanted)).toHaveLength(1);
  });

  it('keeps what a strategy’s account was worth when its order was sent', async () => {
    const id = await the.placeCopy();
    await the.core.rows(
      'UPDATE trades SET strategy_id = copied_strategy_id, copier_id = NULL, copied_strategy_id = NULL WHERE id = $1',
      id,
    );
    await the.core.rows("UPDATE trade_pairs SET last_price = '50000' WHERE id = $1", the.pair.uuid);
    await the.send(id);
    const { leader_equity } = await the.kept(id);
    expect(Number(leader_equity)).toBe(100_000 + 10 * 50_000);
  });

  it('keeps no worth that is older than a minute', async () => {
    const id = await the.placeCopy();
    await the.core.rows(
      'UPDATE trades SET strategy_id = copied_strategy_id, copier_id = NULL, copied_strategy_id = NULL WHERE id = $1',
      id,
    );
    await the.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() - interval '61 seconds' WHERE id = $1",
      the.account.uuid,
    );
    await the.send(id);
    expect(await the.kept(id)).toMatchObject({ leader_equity: null });
  });
});

describe('a copy of which the exchange knows nothing', () => {
  it('rule 20: is sent again under the same id while its time lasts, and filled once', async () => {
    const id = await the.placeCopy();
    const first = await the.send(id);
    await the.execution.storeUnknown([id]);
    expect(await the.kept(id)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    expect(await lookInVain(id)).toEqual(Array.from({ length: 6 }, () => false));
    expect(await unsentLater()).toEqual([id]);
    const [again] = await the.execution.beginSubmissions(the.ownershipOf(), [
      { id, venueClientOrderId: 'another id' },
    ]);
    expect(again!.order).toEqual(first!.order);
    const filled = venueOrderOf(id, { status: 'FILLED', filledAmount: '1' });
    await the.execution.storeOrders([{ tradeId: id, order: filled, fills: [venueFillOf(id, 'a', '1')] }]);
    expect(await the.kept(id)).toMatchObject({ status: 'FILLED' });
    expect(await the.kinds()).toEqual(['trade.created', 'trade.filled']);
  });

  it('rule 20: is looked for five times and once more before it is sent again, never sooner', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await lookInVain(id, 5);
    expect(await unsentLater()).toEqual([]);
    await the.execution.storeAbsence(id);
    expect(await unsentLater()).toEqual([id]);
  });

  it('rule 20: has failed once its time is over', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await expire(id);
    expect((await lookInVain(id)).at(-1)).toBe(true);
    expect(await the.kept(id)).toMatchObject({ status: 'FAILED', failure_code: 'not_accepted' });
    expect(await unsentLater()).toEqual([]);
  });

  it('rule 20: is sent until done where it is an exit, and a user’s own order never a second time', async () => {
    const exit = await the.placeCopy({ resendUntil: 'infinity', intent: 'CLOSE', order: { side: 'SELL' } });
    const own = await the.placeCopy({ resendUntil: null });
    for (let round = 0; round < 3; round++) {
      expect(await the.send(exit)).not.toBeNull();
      await lookInVain(exit);
      expect(await unsentLater()).toContain(exit);
    }
    await the.send(own);
    await lookInVain(own);
    expect(await the.kept(own)).toMatchObject({ status: 'FAILED' });
    expect(await the.send(own)).toBeNull();
  });

  it('is not sent again where it is to be cancelled', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    expect(await the.execution.beginCancellation(id)).toBe('wait');
    await lookInVain(id);
    expect(await the.kept(id)).toMatchObject({ status: 'FAILED' });
  });

  it('row 1: is there after all: what the exchange tells of it counts, and it is not sent again', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await lookInVain(id);
    const order = venueOrderOf(id, { status: 'EXPIRED', filledAmount: '0.4' });
    await the.execution.storeOrder(id, order, [venueFillOf(id, 'a', '0.4')]);
    expect(await the.kept(id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'IOC_REMAINDER' });
    expect((await the.kept(id)).submitted_at).not.toBeNull();
    expect(await unsentLater()).toEqual([]);
  });

  it('rule 20: was partly filled: it is CANCELLED with its fills kept, and never sent again', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await the.execution.storeOrder(id, venueOrderOf(id, { filledAmount: '0.4' }), [
      venueFillOf(id, 'a', '0.4'),
    ]);
    await lookInVain(id);
    const kept = await the.kept(id);
    expect(kept).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
    expect(Number(kept.filled_amount)).toBe(0.4);
    expect(await unsentLater()).toEqual([]);
  });
});

describe('a copy that the exchange refused for now', () => {
  it('rule 20: is put back, waits a moment, and is sent again while its time lasts', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await the.execution.storeRefusal(id, REFUSED_FOR_NOW);
    expect(await the.kept(id)).toMatchObject({ status: 'PENDING', submitted_at: null, sub_status: null });
    expect(await the.execution.takeUnsent([the.account.uuid], 10)).toEqual([]);
    expect(await unsentLater()).toEqual([id]);
    expect(await the.send(id)).not.toBeNull();
    await expire(id);
    await the.execution.storeRefusal(id, REFUSED_FOR_NOW);
    expect(await the.kept(id)).toMatchObject({ status: 'FAILED', failure_code: REFUSED_FOR_NOW.code });
  });

  it('has failed at once where the refusal is for good, or the order a user’s own', async () => {
    const [copy, own] = [await the.placeCopy(), await the.placeCopy({ resendUntil: null })];
    for (const id of [copy, own]) await the.send(id);
    await the.execution.storeRefusal(copy, { code: 'rule_violated', message: 'No.' });
    await the.execution.storeRefusal(own, REFUSED_FOR_NOW);
    for (const id of [copy, own]) expect(await the.kept(id)).toMatchObject({ status: 'FAILED' });
  });

  it('is cancelled here where a stop comes before it is sent again', async () => {
    const id = await the.placeCopy();
    await the.send(id);
    await the.execution.storeRefusal(id, REFUSED_FOR_NOW);
    expect(await the.execution.beginCancellation(id)).toBe('done');
    expect(await unsentLater()).toEqual([]);
  });
});

describe('a copy that waited longer than it may', () => {
  it('rule 14: ends when it is its turn to be sent, and is not', async () => {
    const [late, fresh] = [await the.placeCopy(), await the.placeCopy()];
    await expire(late);
    expect(await the.send(late)).toBeNull();
    expect(await the.send(fresh)).not.toBeNull();
    expect(await the.kept(late)).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXPIRED',
      submitted_at: null,
    });
    expect(await the.kinds()).toEqual(['trade.created', 'trade.created', 'trade.cancelled']);
  });
});

describe('reports of many orders at once', () => {
  it('rule 1: add up to the cumulative amount of each, in whatever parts and however often they are told', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await the.placeCopy());
    for (const id of ids) await the.send(id);
    const reports = (progress: number) =>
      ids.map((tradeId) => ({
        tradeId,
        order: venueOrderOf(tradeId, { filledAmount: String(progress / 4) }),
        fills: Array.from({ length: progress }, (_, i) => venueFillOf(tradeId, `${i}`, '0.25')),
      }));
    await the.execution.storeOrders(reports(1));
    const changed = await the.execution.storeOrders([
      ...reports(3),
      ...reports(2).toReversed(),
      ...reports(3),
    ]);
    expect([...changed].sort()).toEqual([...ids].sort());
    expect(await the.execution.storeOrders(reports(2))).toEqual(new Set());
    for (const id of ids) expect(Number((await the.kept(id)).filled_amount)).toBe(0.75);
    await the.execution.storeOrders(reports(4));
    for (const id of ids) expect(await the.kept(id)).toMatchObject({ status: 'FILLED' });
  });

  it('are not held back by one that can’t be stored, of which nothing is kept', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push(await the.placeCopy());
    for (const id of ids) await the.send(id);
    const reports = ids.map((tradeId, i) => ({
      tradeId,
      order: venueOrderOf(tradeId, { status: 'FILLED', filledAmount: '1' }),
      fills: [venueFillOf(tradeId, 'a', '0.5'), venueFillOf(tradeId, 'b', i === 4 ? '-0.5' : '0.5')],
    }));
    await expect(the.execution.storeOrders(reports)).rejects.toThrow('fills_amount_check');
    for (const [i, id] of ids.entries()) {
      const kept = await the.kept(id);
      expect(kept.status).toBe(i === 4 ? 'PENDING' : 'FILLED');
      const fills = await the.core.rows('SELECT FROM fills WHERE trade_id = $1', id);
      expect(fills).toHaveLength(i === 4 ? 0 : 2);
    }
  });

  it('cost some statements, and not some for each order', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) ids.push(await the.placeCopy());
    const wanted = ids.map((id) => ({ id, venueClientOrderId: `venue-${id}` }));
    await the.execution.beginSubmissions(the.ownershipOf(), wanted);
    const reports = ids.map((tradeId) => ({
      tradeId,
      order: venueOrderOf(tradeId, { status: 'FILLED', filledAmount: '1' }),
      fills: [venueFillOf(tradeId, 'a', '1')],
    }));
    const statements = await the.statementsOf(() => the.execution.storeOrders(reports));
    expect(statements).toBeLessThanOrEqual(20);
    const { count } = await the.core.row(
      "SELECT count(*)::int FROM trades WHERE id = ANY ($1) AND status = 'FILLED'",
      ids,
    );
    expect(count).toBe(100);
  });

  it('of trades that are not there are left out', async () => {
    const nobody = newUuid();
    expect(
      await the.execution.storeOrders([{ tradeId: nobody, order: venueOrderOf(nobody), fills: [] }]),
    ).toEqual(new Set());
  });

  it('row 5: at once, in any order and with any of them repeated come to the same', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await the.placeCopy());
    for (const id of ids) await the.send(id);
    const steps = [0, 1, 2, 4].map((progress) =>
      ids.map((tradeId) => ({
        tradeId,
        order: venueOrderOf(tradeId, {
          status: progress === 4 ? 'FILLED' : 'OPEN',
          filledAmount: String(progress / 4),
        }),
        fills: Array.from({ length: progress }, (_, i) => venueFillOf(tradeId, `${i}`, '0.25')),
      })),
    );
    await Promise.all(
      [...steps, ...steps.toReversed(), ...steps].map((reports, i) =>
        the.execution.storeOrders(i % 2 === 0 ? reports : reports.toReversed()),
      ),
    );
    for (const id of ids) {
      const kept = await the.kept(id);
      expect(kept).toMatchObject({ status: 'FILLED' });
      expect([Number(kept.filled_amount), Number(kept.cost)]).toEqual([1, 100]);
    }
    expect((await the.kinds()).filter((kind) => kind === 'trade.filled')).toHaveLength(4);
  });
});
