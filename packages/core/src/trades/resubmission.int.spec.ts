/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';

let env: OrdersUnderTest;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const CERTAINLY_ARRIVED_MS = 5_001;
/** Probes until the order counts as absent; returns the result of each probe. */
async function probeUntilAbsent(id: string, probes = 6): Promise<boolean[]> {
  await env.backdateSubmission(id, CERTAINLY_ARRIVED_MS);
  const results = [];
  for (let probe = 0; probe < probes; probe++) results.push(await env.execution.storeAbsence(id));
  return results;
}
/** Ends the delay of all resubmissions and returns the unsent trades of the account. */
async function unsentAfterDelay(): Promise<string[]> {
  await env.core.rows('UPDATE trades SET send_after = clock_timestamp() WHERE send_after IS NOT NULL');
  return (await env.execution.findUnsent([env.account.uuid], 10)).map(({ id }) => id);
}
const expire = (id: string) =>
  env.core.rows('UPDATE trades SET resend_until = clock_timestamp() WHERE id = $1', id);
const RETRYABLE_REJECTION = { code: 'exchange_unavailable', message: 'Too busy.', isRetryable: true };

describe('a worker that stalled while its order was considered absent', () => {
  it('row 1: cannot reject the later submission of another worker', async () => {
    const id = await env.placeCopy();
    const first = await env.claimSubmission(id);
    await probeUntilAbsent(id);
    expect(await unsentAfterDelay()).toEqual([id]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const second = await env.claimSubmission(id);
    for (const isRetryable of [true, false]) {
      await env.execution.storeRejection(id, { ...RETRYABLE_REJECTION, isRetryable }, first!.begunAt);
      expect(await env.storedTrade(id)).toMatchObject({ status: 'PENDING', submitted_at: second!.begunAt });
    }
    await env.execution.storeRejection(id, RETRYABLE_REJECTION, second!.begunAt);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'PENDING', submitted_at: null });
  });
});

describe('the worker that owns an account', () => {
  it('claims many submissions together, each with the order as planned', async () => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await env.placeCopy());
    const requested = ids.map((id) => ({ id, venueClientOrderId: `venue-${id}` }));
    const claimed = await env.execution.claimSubmissions(env.ownershipOf(), requested);
    expect(claimed.map(({ id }) => id)).toEqual(ids);
    expect(claimed[0]!.order).toEqual({
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
      isCopy: true,
    });
    expect(await env.execution.claimSubmissions(env.ownershipOf(), requested)).toEqual([]);
    expect(await unsentAfterDelay()).toEqual([]);
  });

  it('claims no submission after the account moved to another worker, and none of an account that it does not own', async () => {
    const id = await env.placeCopy();
    const requested = [{ id, venueClientOrderId: 'venue' }];
    const ownership = env.ownershipOf();
    const otherAccount = env.ownershipOf(await env.newAccount(env.actor));
    for (const other of [{ ...ownership, fence: '0' }, { ...ownership, worker: 'another' }, otherAccount])
      expect(await env.execution.claimSubmissions(other, requested)).toEqual([]);
    expect(await env.execution.claimSubmissions([otherAccount, ownership], requested)).toHaveLength(1);
  });

  it('stores the equity of a strategy’s account when its order is sent', async () => {
    const id = await env.placeCopy();
    await env.core.rows(
      'UPDATE trades SET strategy_id = copied_strategy_id, copier_id = NULL, copied_strategy_id = NULL WHERE id = $1',
      id,
    );
    await env.core.rows("UPDATE trade_pairs SET last_price = '50000' WHERE id = $1", env.pair.uuid);
    await env.claimSubmission(id);
    const { leader_equity } = await env.storedTrade(id);
    expect(Number(leader_equity)).toBe(100_000 + 10 * 50_000);
  });

  it('stores no equity that is older than a minute', async () => {
    const id = await env.placeCopy();
    await env.core.rows(
      'UPDATE trades SET strategy_id = copied_strategy_id, copier_id = NULL, copied_strategy_id = NULL WHERE id = $1',
      id,
    );
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() - interval '61 seconds' WHERE id = $1",
      env.account.uuid,
    );
    await env.claimSubmission(id);
    expect(await env.storedTrade(id)).toMatchObject({ leader_equity: null });
  });
});

describe('a copy that the exchange does not know', () => {
  it('rule 20: is resubmitted under the same id until its time limit, and filled once', async () => {
    const id = await env.placeCopy();
    const first = await env.claimSubmission(id);
    await env.execution.markUnknown([id]);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    expect(await probeUntilAbsent(id)).toEqual(Array.from({ length: 6 }, () => false));
    expect(await unsentAfterDelay()).toEqual([id]);
    const [again] = await env.execution.claimSubmissions(env.ownershipOf(), [
      { id, venueClientOrderId: 'another id' },
    ]);
    expect(again!.order).toEqual(first!.order);
    const filled = venueOrderOf(id, { status: 'FILLED', filledAmount: '1' });
    await env.execution.storeOrders([{ tradeId: id, order: filled, fills: [venueFillOf(id, 'a', '1')] }]);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'FILLED' });
    expect(await env.eventTypes()).toEqual(['trade.created', 'trade.filled']);
  });

  it('rule 20: is probed six times before it is resubmitted', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await probeUntilAbsent(id, 5);
    expect(await unsentAfterDelay()).toEqual([]);
    await env.execution.storeAbsence(id);
    expect(await unsentAfterDelay()).toEqual([id]);
  });

  it('rule 20: is resubmitted after one probe that began when its submission could no longer arrive', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.backdateSubmission(id, 10_500);
    expect(await env.execution.storeAbsence(id, performance.now() - 1_000)).toBe(false);
    expect(await unsentAfterDelay()).toEqual([]);
    expect(await env.execution.storeAbsence(id, performance.now())).toBe(false);
    expect(await unsentAfterDelay()).toEqual([id]);
  });

  it('rule 20: is not resubmitted early because the result of the probe waited for a lock', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.backdateSubmission(id, 9_000);
    let stored: Promise<boolean> = Promise.resolve(false);
    await inTransaction(env.core.platform.database, async (tx) => {
      await tx.query('SELECT FROM trades WHERE id = $1 FOR UPDATE', [id]);
      stored = env.execution.storeAbsence(id, performance.now());
      await tx.query('SELECT pg_sleep(1.5)');
    });
    expect(await stored).toBe(false);
    expect(await unsentAfterDelay()).toEqual([]);
  });

  it('rule 14, rule 20: ends as EXPIRED once its time limit has passed', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await expire(id);
    expect((await probeUntilAbsent(id)).at(-1)).toBe(true);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXPIRED' });
    expect(await unsentAfterDelay()).toEqual([]);
  });

  it('is not judged while its submission may still arrive, and no other submission of it is judged', async () => {
    const id = await env.placeCopy();
    const { begunAt } = (await env.claimSubmission(id))!;
    await env.execution.storeCertainAbsence(id, begunAt);
    await env.backdateSubmission(id, 9_000);
    const [early] = await env.execution.findInFlightOrders([env.account.uuid]);
    expect(early!.certainInMs).toBeGreaterThan(0);
    await env.execution.storeCertainAbsence(id, early!.begunAt);
    await env.execution.storeCertainAbsence(id, begunAt);
    expect(await env.storedTrade(id)).toMatchObject({ sub_status: 'SUBMITTING' });
    await env.backdateSubmission(id, 1_001);
    const [late] = await env.execution.findInFlightOrders([env.account.uuid]);
    expect(late!.certainInMs).toBe(0);
    await env.execution.storeCertainAbsence(id, late!.begunAt);
    expect(await unsentAfterDelay()).toEqual([id]);
  });

  it('rule 20: is resubmitted without a time limit if it is an exit; a user’s own order is never resubmitted', async () => {
    const exit = await env.placeCopy({ resendUntil: 'infinity', intent: 'CLOSE', order: { side: 'SELL' } });
    const userOrder = await env.placeCopy({ resendUntil: null });
    for (let round = 0; round < 3; round++) {
      expect(await env.claimSubmission(exit)).not.toBeNull();
      await probeUntilAbsent(exit);
      expect(await unsentAfterDelay()).toContain(exit);
    }
    await env.claimSubmission(userOrder);
    await probeUntilAbsent(userOrder);
    expect(await env.storedTrade(userOrder)).toMatchObject({ status: 'FAILED' });
    expect(await env.claimSubmission(userOrder)).toBeNull();
  });

  it('is not resubmitted if its cancellation is requested', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    expect(await env.execution.requestCancellation(id)).toBe('wait');
    await probeUntilAbsent(id);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'FAILED' });
  });

  it('row 1: is not resubmitted if the exchange reports it after all, and the report is stored', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await probeUntilAbsent(id);
    const order = venueOrderOf(id, { status: 'EXPIRED', filledAmount: '0.4' });
    await env.execution.storeOrder(id, order, [venueFillOf(id, 'a', '0.4')]);
    expect(await env.storedTrade(id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'IOC_REMAINDER' });
    expect((await env.storedTrade(id)).submitted_at).not.toBeNull();
    expect(await unsentAfterDelay()).toEqual([]);
  });

  it('rule 20: is CANCELLED with its fills and never resubmitted if it was partly filled', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.execution.storeOrder(id, venueOrderOf(id, { filledAmount: '0.4' }), [
      venueFillOf(id, 'a', '0.4'),
    ]);
    await probeUntilAbsent(id);
    const stored = await env.storedTrade(id);
    expect(stored).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
    expect(Number(stored.filled_amount)).toBe(0.4);
    expect(await unsentAfterDelay()).toEqual([]);
  });
});

describe('an order that the exchange rejected', () => {
  it('rule 20: returns to UNSENT if the rejection is retryable, and is resubmitted after a delay until its time limit', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.execution.storeRejection(id, RETRYABLE_REJECTION);
    expect(await env.storedTrade(id)).toMatchObject({
      status: 'PENDING',
      submitted_at: null,
      sub_status: null,
    });
    expect(await env.execution.findUnsent([env.account.uuid], 10)).toEqual([]);
    expect(await unsentAfterDelay()).toEqual([id]);
    expect(await env.claimSubmission(id)).not.toBeNull();
  });

  it('rule 14: ends as EXPIRED, not as FAILED, if only its time limit prevents another attempt', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await expire(id);
    await env.execution.storeRejection(id, RETRYABLE_REJECTION);
    expect(await env.storedTrade(id)).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXPIRED',
      failure_code: null,
    });
    expect(await unsentAfterDelay()).toEqual([]);
  });

  it('fails immediately if the rejection is final, or if the order is a user’s own', async () => {
    const [copy, userOrder] = [await env.placeCopy(), await env.placeCopy({ resendUntil: null })];
    for (const id of [copy, userOrder]) await env.claimSubmission(id);
    await env.execution.storeRejection(copy, { code: 'rule_violated', message: 'No.' });
    await env.execution.storeRejection(userOrder, RETRYABLE_REJECTION);
    for (const id of [copy, userOrder]) expect(await env.storedTrade(id)).toMatchObject({ status: 'FAILED' });
  });

  it('is cancelled without a call to the exchange if the cancellation is requested before the resubmission', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.execution.storeRejection(id, RETRYABLE_REJECTION);
    expect(await env.execution.requestCancellation(id)).toBe('done');
    expect(await unsentAfterDelay()).toEqual([]);
  });
});

describe('a copy that waited beyond its time limit', () => {
  it('rule 14: ends instead of being sent', async () => {
    const [late, fresh] = [await env.placeCopy(), await env.placeCopy()];
    await expire(late);
    expect(await env.claimSubmission(late)).toBeNull();
    expect(await env.claimSubmission(fresh)).not.toBeNull();
    expect(await env.storedTrade(late)).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXPIRED',
      submitted_at: null,
    });
    expect(await env.eventTypes()).toEqual(['trade.created', 'trade.created', 'trade.cancelled']);
  });
});

describe('reports of many orders', () => {
  it('rule 1: add up to the cumulative amount of each order, even if its fills are split and repeated', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await env.placeCopy());
    for (const id of ids) await env.claimSubmission(id);
    const reports = (progress: number) =>
      ids.map((tradeId) => ({
        tradeId,
        order: venueOrderOf(tradeId, { filledAmount: String(progress / 4) }),
        fills: Array.from({ length: progress }, (_, i) => venueFillOf(tradeId, `${i}`, '0.25')),
      }));
    await env.execution.storeOrders(reports(1));
    const changed = await env.execution.storeOrders([
      ...reports(3),
      ...reports(2).toReversed(),
      ...reports(3),
    ]);
    expect([...changed].sort()).toEqual([...ids].sort());
    expect(await env.execution.storeOrders(reports(2))).toEqual(new Set());
    for (const id of ids) expect(Number((await env.storedTrade(id)).filled_amount)).toBe(0.75);
    await env.execution.storeOrders(reports(4));
    for (const id of ids) expect(await env.storedTrade(id)).toMatchObject({ status: 'FILLED' });
  });

  it('are stored, except for a report that cannot be stored, which leaves its trade unchanged', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push(await env.placeCopy());
    for (const id of ids) await env.claimSubmission(id);
    const reports = ids.map((tradeId, i) => ({
      tradeId,
      order: venueOrderOf(tradeId, { status: 'FILLED', filledAmount: '1' }),
      fills: [venueFillOf(tradeId, 'a', '0.5'), venueFillOf(tradeId, 'b', i === 4 ? '-0.5' : '0.5')],
    }));
    await expect(env.execution.storeOrders(reports)).rejects.toThrow('fills_amount_check');
    for (const [i, id] of ids.entries()) {
      const stored = await env.storedTrade(id);
      expect(stored.status).toBe(i === 4 ? 'PENDING' : 'FILLED');
      const fills = await env.core.rows('SELECT FROM fills WHERE trade_id = $1', id);
      expect(fills).toHaveLength(i === 4 ? 0 : 2);
    }
  });

  it('take at most 20 statements for 100 orders', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) ids.push(await env.placeCopy());
    const requested = ids.map((id) => ({ id, venueClientOrderId: `venue-${id}` }));
    await env.execution.claimSubmissions(env.ownershipOf(), requested);
    const reports = ids.map((tradeId) => ({
      tradeId,
      order: venueOrderOf(tradeId, { status: 'FILLED', filledAmount: '1' }),
      fills: [venueFillOf(tradeId, 'a', '1')],
    }));
    const statements = await env.countStatements(() => env.execution.storeOrders(reports));
    expect(statements).toBeLessThanOrEqual(20);
    const { count } = await env.core.row(
      "SELECT count(*)::int FROM trades WHERE id = ANY ($1) AND status = 'FILLED'",
      ids,
    );
    expect(count).toBe(100);
  });

  it('are ignored if their trades are unknown', async () => {
    const unknown = newUuid();
    expect(
      await env.execution.storeOrders([{ tradeId: unknown, order: venueOrderOf(unknown), fills: [] }]),
    ).toEqual(new Set());
  });

  it('row 5: lead to the same result if they are stored concurrently, in any order and repeatedly', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await env.placeCopy());
    for (const id of ids) await env.claimSubmission(id);
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
        env.execution.storeOrders(i % 2 === 0 ? reports : reports.toReversed()),
      ),
    );
    for (const id of ids) {
      const stored = await env.storedTrade(id);
      expect(stored).toMatchObject({ status: 'FILLED' });
      expect([Number(stored.filled_amount), Number(stored.cost)]).toEqual([1, 100]);
    }
    expect((await env.eventTypes()).filter((kind) => kind === 'trade.filled')).toHaveLength(4);
  });
});
