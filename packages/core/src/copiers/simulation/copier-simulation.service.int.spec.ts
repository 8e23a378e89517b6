/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import {
  type Copier,
  decodeId,
  encodeId,
  simulation as simulationSchema,
} from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { appendSignals, type NewSignal } from '../../strategies/index.js';
import { CopiersUnderTest, invalidStateError } from '../testing/copiers-under-test.js';
import { CopierSimulation } from './copier-simulation.service.js';
import { Replay } from './replay.js';

let env: CopiersUnderTest;
let simulation: CopierSimulation;
beforeAll(async () => {
  env = await CopiersUnderTest.open();
  simulation = new CopierSimulation(env.core.platform);
  await env.core.pair({ symbol: 'BTC/USDT', amount_step: '0.001', min_amount: '0.001', taker_fee: '0.002' });
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const PAST = new Date('2026-03-01T12:00:00.000Z');

/** Inserts signals one second apart, with their overrides. By default all are of one lot and open 2 BTC at 100. */
async function appendPastSignals(strategyId: string, ...overrides: Partial<NewSignal>[]): Promise<void> {
  const lotTradeId = newUuid();
  const id = decodeId('str', strategyId)!;
  const signals = overrides.map(
    (override, index): NewSignal => ({
      strategyId: id,
      kind: 'OPEN',
      side: override.kind === 'REDUCE' || override.kind === 'CLOSE' ? 'SELL' : 'BUY',
      exchangeAccountId: env.source.uuid,
      tradePairId: newUuid(),
      symbol: 'BTC/USDT',
      tradingType: 'spot',
      lotTradeId,
      lotFirstSequence: index === 0 ? null : 1,
      lotOpenedAt: PAST,
      lotOrderAmount: '2',
      sourceTradeId: newUuid(),
      sourceFillId: newUuid(),
      filledAmount: '2',
      cumulativeAmount: '2',
      lotAmountBefore: '0',
      lotAmountAfter: '2',
      exitAmount: '0',
      referencePrice: '100',
      leaderEquity: '4000.125',
      signalAt: PAST,
      ...override,
    }),
  );
  await inTransaction(env.core.platform.database, (tx) => appendSignals(tx, signals));
  await env.core.rows(
    `UPDATE signals SET signal_at = $2::timestamptz + sequence * interval '1 second',
       emitted_at = $2::timestamptz + sequence * interval '1 second' WHERE strategy_id = $1`,
    id,
    PAST,
  );
}

const CLOSED = {
  kind: 'CLOSE',
  exitAmount: '2',
  lotAmountBefore: '2',
  lotAmountAfter: '0',
  referencePrice: '110',
} as const;

const simulate = (copier: Copier, range = {}) => simulation.simulate(env.actor, copier.id, range);

describe('simulating a copier', () => {
  it('returns the decisions that it would have made, and the result', async () => {
    const copier = await env.createLinked({ limits: { max_trade_quote: '50' } });
    await appendPastSignals(env.strategy.id, {}, CLOSED);
    const result = await simulate(copier);
    expect(simulationSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      from: '2026-03-01T12:00:01.000Z',
      to: '2026-03-01T12:00:02.000Z',
      signal_count: 2,
      left_out_count: 0,
      truncated: false,
      copied: 1,
      clamped: 1,
      skipped: 0,
      skipped_by_reason: {},
      currency: 'USDT',
      starting_equity: '100000',
    });
    expect(result.decisions).toMatchObject([
      {
        sequence: 1,
        kind: 'OPEN',
        outcome: 'CLAMPED',
        code: 'MAX_TRADE',
        target_amount: '1',
        sent_amount: '0.497',
      },
      { sequence: 2, kind: 'CLOSE', outcome: 'COPIED', code: undefined, sent_amount: '0.496' },
    ]);
    // The exchange's fee of 0.2 % is deducted from the bought amount, and from the proceeds.
    expect(result.fees).toBe('0.20852');
    // Of the bought amount, 0.000006 cannot be sold and count as worthless.
    expect(Number(result.net_pnl)).toBeCloseTo(0.496 * 110 * 0.998 - 0.497 * 100, 9);
    expect(Number(result.tracking_difference_bps)).toBeLessThan(0);
  });

  it('on perpetuals, books the recorded funding and returns the lowest margin ratio', async () => {
    const spot = await simulate(await env.createLinked());
    expect(spot).toMatchObject({ funding: '0' });
    expect(spot).not.toHaveProperty('would_be_liquidated_at', expect.anything());
    const copier = await env.createLinked({ limits: { max_trade_quote: '50' } });
    const pair = await env.core.pair({ symbol: 'BTC/USDT', trading_type: 'perpetual', last_price: '100' });
    await env.core.rows(
      "UPDATE exchange_accounts SET trading_type = 'perpetual' WHERE id = $1",
      env.account.uuid,
    );
    await env.core.rows(
      `INSERT INTO funding_rates (trade_pair_id, at, rate, mark_price)
       SELECT $1, $2::timestamptz + hours * interval '1 hour', 0.01, 100 FROM unnest(ARRAY[-1, 1, 2]) AS hours`,
      pair.uuid,
      PAST,
    );
    await appendPastSignals(env.strategy.id, {});
    const result = await simulate(copier);
    expect(simulationSchema.parse(result)).toEqual(result);
    const held = Number(result.decisions[0]!.sent_amount);
    expect(held).toBeGreaterThan(0);
    expect(Number(result.funding) / (held * 100 * 0.02)).toBeCloseTo(-1, 2);
    // The maintenance margin is 5 % of the notional.
    expect(Number(result.lowest_margin_ratio) / (100_000 / (held * 5))).toBeCloseTo(1, 2);
    const before = await simulate(copier, { to: new Date(PAST.getTime() + 5_400_000).toISOString() });
    expect(Number(before.funding) / Number(result.funding)).toBeCloseTo(0.5, 6);
  });

  it('places no order, stores no decision and emits no event', async () => {
    const copier = await env.createLinked();
    await appendPastSignals(env.strategy.id, {}, CLOSED);
    await simulate(copier);
    expect(await env.core.rows('SELECT FROM trades')).toEqual([]);
    expect(await env.core.rows('SELECT FROM decisions')).toEqual([]);
    expect(await env.eventTypes()).toEqual([]);
  });

  it('replays the signals from `from` (inclusive) to `to` (exclusive)', async () => {
    const copier = await env.createLinked();
    await appendPastSignals(
      env.strategy.id,
      {},
      CLOSED,
      { lotTradeId: newUuid(), lotFirstSequence: null },
      CLOSED,
    );
    const sequences = async (range: object) =>
      (await simulate(copier, range)).decisions.map(({ sequence }) => sequence);
    expect(await sequences({ from: '2026-03-01T12:00:03Z' })).toEqual([3, 4]);
    expect(await sequences({ to: '2026-03-01T12:00:03Z' })).toEqual([1, 2]);
    expect(await sequences({ from: '2026-03-01T12:00:02Z', to: '2026-03-01T12:00:04Z' })).toEqual([2, 3]);
    expect(await sequences({ from: '2026-03-02T00:00:00Z' })).toEqual([]);
    expect(await sequences({ to: '2026-02-01T00:00:00Z' })).toEqual([]);
  });

  it('returns an empty result for a strategy without signals', async () => {
    expect(await simulate(await env.createLinked())).toEqual({
      from: undefined,
      to: undefined,
      signal_count: 0,
      left_out_count: 0,
      decisions: [],
      truncated: false,
      copied: 0,
      clamped: 0,
      skipped: 0,
      skipped_by_reason: {},
      currency: undefined,
      starting_equity: '0',
      fees: '0',
      funding: '0',
      net_pnl: '0',
      tracking_difference_bps: null,
    });
  });

  it('replays only the newest signals and lists only the newest decisions, up to its limits', async () => {
    const bounded = new CopierSimulation(env.core.platform, {
      signalsMax: 3,
      decisionsMax: 2,
    });
    const copier = await env.createLinked();
    const lots = Array.from({ length: 5 }, () => ({ lotTradeId: newUuid(), lotFirstSequence: null }));
    await appendPastSignals(env.strategy.id, ...lots);
    const result = await bounded.simulate(env.actor, copier.id);
    expect(result).toMatchObject({ signal_count: 3, left_out_count: 2, truncated: true, copied: 3 });
    expect(result.decisions.map(({ sequence }) => sequence)).toEqual([4, 5]);
  });

  it('reads a long history in chunks, each signal once', async () => {
    const copier = await env.createLinked();
    const lots = Array.from({ length: 450 }, () => ({
      lotTradeId: newUuid(),
      lotFirstSequence: null,
      lotOrderAmount: '0.2',
      filledAmount: '0.2',
      cumulativeAmount: '0.2',
    }));
    await appendPastSignals(env.strategy.id, ...lots);
    const result = await simulate(copier);
    expect(result).toMatchObject({ signal_count: 450, copied: 450, truncated: false });
    expect(result.decisions.map(({ sequence }) => sequence)).toEqual(lots.map((_, index) => index + 1));
  });

  it('rule 30: does not reveal the account or equity of another user’s strategy', async () => {
    const open = await env.foreignStrategy({ visibility: 'PUBLIC' });
    const copier = await env.create({ strategy_id: open.id, sizing: { mode: 'EQUITY_RATIO', value: '1' } });
    await appendPastSignals(open.id, {}, CLOSED);
    const result = await simulate(copier);
    expect(result).toMatchObject({ signal_count: 2, skipped: 0 });
    expect(JSON.stringify(result)).not.toContain('4000.125');
    expect(JSON.stringify(result)).not.toContain(env.source.id);
  });

  it('starts with the equity of the account, including assets with a known price', async () => {
    await env.core.rows('UPDATE exchange_accounts SET balances = $2 WHERE id = $1', env.account.uuid, {
      BTC: { free: '2', locked: '1' },
      USDT: { free: '5', locked: '5' },
    });
    const copier = await env.createLinked();
    await appendPastSignals(env.strategy.id, {});
    expect(await simulate(copier)).toMatchObject({
      starting_equity: '10',
      skipped_by_reason: { INSUFFICIENT_BALANCE: 1 },
    });
    await env.core.rows("UPDATE trade_pairs SET last_price = 100 WHERE symbol = 'BTC/USDT'");
    expect(await simulate(copier)).toMatchObject({ starting_equity: '310', copied: 1 });
    await env.core.rows("UPDATE trade_pairs SET last_price = NULL WHERE symbol = 'BTC/USDT'");
  });

  it('judges past exits at the price of their time, and values lots that are still open at the price of now', async () => {
    const setPair = (columns: string) =>
      env.core.rows(`UPDATE trade_pairs SET ${columns} WHERE symbol = 'BTC/USDT'`);
    const copier = await env.createLinked();
    const reduced = {
      kind: 'REDUCE',
      exitAmount: '0.2',
      lotAmountBefore: '2',
      lotAmountAfter: '1.8',
      filledAmount: '0.2',
      referencePrice: '110',
    } as const;
    await appendPastSignals(env.strategy.id, {}, reduced);
    // At 10, the exit of about 0.1 BTC would be below the minimum. At 110, its price of the time, it is not.
    await setPair('last_price = 10, min_notional = 5');
    const result = await simulate(copier);
    expect(result.decisions.map(({ outcome }) => outcome)).toEqual(['COPIED', 'COPIED']);
    const sold = Number(result.decisions[1]!.sent_amount);
    const flow = sold * 110 * 0.998 - 100;
    expect(Number(result.net_pnl)).toBeCloseTo(flow + (0.998 - sold) * 10, 9);
    // A replay that ends earlier does not know the price of now.
    const earlier = await simulate(copier, { to: '2026-03-02T00:00:00Z' });
    expect(Number(earlier.net_pnl)).toBeCloseTo(flow + (0.998 - sold) * 110, 9);
    await setPair('last_price = NULL, min_notional = 1');
  });

  it('fails for a copier that has no strategy, or whose account was removed or never read', async () => {
    await expect(simulate(await env.create())).rejects.toMatchObject(invalidStateError('NO_STRATEGY'));
    const copier = await env.createLinked();
    await env.core.rows(
      'UPDATE exchange_accounts SET balances_taken_at = NULL WHERE id = $1',
      env.account.uuid,
    );
    await expect(simulate(copier)).rejects.toMatchObject(invalidStateError('BALANCES_UNKNOWN'));
    await env.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', env.account.uuid);
    await expect(simulate(copier)).rejects.toMatchObject(invalidStateError('ACCOUNT_REMOVED'));
  });

  it('fails with the same error for copiers of other users and unknown copiers, and requires only READ', async () => {
    const copier = await env.createLinked();
    const stranger = await env.core.actor();
    for (const id of [copier.id, encodeId('cpr', newUuid()), 'no id']) {
      await expect(simulation.simulate(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    }
    const credential = { ...env.actor.credential, permissions: ['READ'] } as const;
    await expect(simulation.simulate({ ...env.actor, credential }, copier.id)).resolves.toMatchObject({
      signal_count: 0,
    });
  });

  it('computes again for the same Idempotency-Key', async () => {
    const copier = await env.createLinked();
    const once = { ...env.actor, idempotency: env.core.idempotencyContext(env.actor.userId, newUuid()) };
    await simulation.simulate(once, copier.id);
    await appendPastSignals(env.strategy.id, {});
    await expect(simulation.simulate(once, copier.id)).resolves.toMatchObject({ signal_count: 1 });
    expect(await env.core.rows('SELECT FROM idempotency_keys WHERE user_id = $1', env.actor.userId)).toEqual(
      [],
    );
  });

  it('runs once at a time for a user, and at the same time for others', async () => {
    const copier = await env.createLinked();
    await appendPastSignals(env.strategy.id, {}, CLOSED);
    const first = simulate(copier);
    await expect(simulate(copier)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    const stranger = await env.core.actor();
    await expect(simulation.simulate(stranger, copier.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(first).resolves.toMatchObject({ signal_count: 2 });
    await expect(simulate(copier)).resolves.toMatchObject({ signal_count: 2 });
  });

  it('lets other work of the process run after every 20 signals', async () => {
    const copier = await env.createLinked();
    await appendLots(env.strategy.id, 400);
    const replayed = countReplayed();
    let isDone = false;
    let [replayedBefore, longestSlice] = [0, 0];
    const watch = () => {
      const count = replayed.count();
      longestSlice = Math.max(longestSlice, count - replayedBefore);
      replayedBefore = count;
      if (!isDone) setImmediate(watch);
    };
    watch();
    await simulate(copier);
    isDone = true;
    replayed.restore();
    expect(replayedBefore).toBeGreaterThan(300);
    expect(longestSlice).toBeLessThanOrEqual(20);
  });

  it('stops when the client disconnects, and the user can start another one', async () => {
    const copier = await env.createLinked();
    await appendLots(env.strategy.id, 200);
    const client = new AbortController();
    const replayed = countReplayed(() => client.abort(new Error('disconnected')));
    const abandoned = simulation.simulate({ ...env.actor, signal: client.signal }, copier.id);
    await expect(abandoned).rejects.toThrow('disconnected');
    expect(replayed.count()).toBeLessThanOrEqual(20);
    replayed.restore();
    await expect(simulate(copier)).resolves.toMatchObject({ signal_count: 200 });
  });
});

/** Counts the replayed signals until `restore`, and calls `onSignal` before each. */
function countReplayed(onSignal: () => void = () => undefined) {
  const { apply } = Replay.prototype;
  let count = 0;
  Replay.prototype.apply = function (signal) {
    count += 1;
    onSignal();
    return apply.call(this, signal);
  };
  return {
    count: () => count,
    restore: () => {
      Replay.prototype.apply = apply;
    },
  };
}

/** Appends signals that each open a lot. */
function appendLots(strategyId: string, count: number): Promise<void> {
  const lots = Array.from({ length: count }, () => ({ lotTradeId: newUuid(), lotFirstSequence: null }));
  return appendPastSignals(strategyId, ...lots);
}
