import { type EmergencyStop, emergencyStop, encodeId, tradeCreate } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';

import { StrategyChangesService } from '../copiers/index.js';
import { lockAccountForTrade, serveWorkerCalls } from '../exchange-accounts/index.js';
import { type Actor, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeExecution, TradesService } from '../trades/index.js';
import { EmergencyStopService } from './emergency-stop.service.js';

/** The wait of most tests, long enough for their worker calls. Tests that expect no reply use SHORT_WAIT_MS. */
const WAIT_MS = 5_000;
const SHORT_WAIT_MS = 50;

let core: CoreUnderTest;
let trades: TradesService;
let execution: TradeExecution;
let pair: RecordIds;
let actor: Actor;
let account: RecordIds;
let stop: EmergencyStopService;
let stopWithShortWait: EmergencyStopService;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  trades = new TradesService({ platform: core.platform, lists: core.lists, commands: core.commands });
  execution = new TradeExecution(core.platform);
  stop = new EmergencyStopService(core.platform, core.commands, WAIT_MS);
  stopWithShortWait = new EmergencyStopService(core.platform, core.commands, SHORT_WAIT_MS);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

/** Places a trade and returns its ids. */
async function place(owner = actor, onAccount = account): Promise<RecordIds> {
  const input = tradeCreate.parse({
    exchange_account_id: onAccount.id,
    trade_pair_id: pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: '100',
    amount: '1',
  });
  const { id, client_order_id } = await trades.create(owner, input);
  const { id: uuid } = await core.row('SELECT id FROM trades WHERE client_order_id = $1', client_order_id);
  return { id, uuid: String(uuid) };
}

/** Stores a report of the order and its filled amount. */
async function storeReport(
  uuid: string,
  status: 'OPEN' | 'FILLED' | 'CANCELLED',
  filledAmount = '0',
): Promise<void> {
  const venueClientOrderId = `venue-${uuid}`;
  await core.beginSubmission(uuid, venueClientOrderId);
  const order = {
    exchangeOrderId: `order-${uuid}`,
    venueClientOrderId,
    symbol: 'BTC/USDT',
    status,
    amount: '1',
    filledAmount,
    side: 'BUY' as const,
    type: 'LIMIT' as const,
    timeInForce: 'GTC' as const,
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  const fill = {
    exchangeFillId: `fill-${uuid}`,
    exchangeOrderId: order.exchangeOrderId,
    symbol: order.symbol,
    side: 'BUY' as const,
    price: '100',
    amount: filledAmount,
    fee: { amount: '0', currency: 'USDT' },
    liquidity: 'TAKER' as const,
    executedAt: new Date(),
  };
  await execution.storeOrder(uuid, order, filledAmount === '0' ? [] : [fill]);
}

/** Places a trade whose order the exchange reports as open. */
async function placeResting(owner = actor, onAccount = account): Promise<RecordIds> {
  const trade = await place(owner, onAccount);
  await storeReport(trade.uuid, 'OPEN');
  return trade;
}

/** Inserts a strategy of the actor and a copier of it, and returns the id of the copier. */
async function insertCopier(status = 'ACTIVE'): Promise<string> {
  const strategyId = newUuid();
  const id = newUuid();
  await core.rows(
    `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
     VALUES ($1, $2, $3, 'strategy', 'PUBLIC', 'ACTIVE')`,
    strategyId,
    actor.userId,
    account.uuid,
  );
  await core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing, started_at)
     VALUES ($1, $2, $3, $4, 'copier', $5, 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false, now())`,
    id,
    actor.userId,
    strategyId,
    account.uuid,
    status,
  );
  return encodeId('cpr', id);
}

/** Serves `trade.cancel` with `work`, as a trading worker does, while `during` runs. */
async function withWorker<T>(work: (uuid: string) => Promise<unknown>, during: () => Promise<T>): Promise<T> {
  const serving = serveWorkerCalls(
    await core.openSecondPlatform(),
    {
      'trade.cancel': async ({ trade_id }) => {
        await work(trade_id);
        return null;
      },
    },
    () => undefined,
  );
  try {
    return await during();
  } finally {
    await serving.stop();
  }
}

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id).sort();
const rowOf = (uuid: string) =>
  core.row(
    `SELECT status, sub_status, version, submitted_at, look_at <= clock_timestamp() AS is_due FROM trades WHERE id = $1`,
    uuid,
  );
function assertMatchesContract(result: EmergencyStop): void {
  expect(emergencyStop.parse(result)).toEqual(result);
}

describe('an emergency stop', () => {
  it('pauses every copier and cancels every open order, and does not affect other users', async () => {
    const copiers = [await insertCopier('ACTIVE'), await insertCopier('CLOSE_ONLY')];
    await insertCopier('PAUSED');
    const second = await core.account(actor);
    const resting = [await placeResting(), await placeResting(), await placeResting(actor, second)];
    const other = await core.actor();
    const foreign = await placeResting(other, await core.account(other));

    const result = await withWorker(
      (uuid) => storeReport(uuid, 'CANCELLED'),
      () => stop.run(actor),
    );
    assertMatchesContract(result);
    expect(idsOf(result.paused_copiers)).toEqual(copiers.sort());
    expect(result.paused_copiers.map(({ status }) => status)).toEqual(['PAUSED', 'PAUSED']);
    expect(idsOf(result.cancelled)).toEqual(idsOf(resting));
    expect(result.cancelled).toMatchObject(
      resting.map(() => ({ status: 'CANCELLED', cancel_reason: 'USER' })),
    );
    expect(result).toMatchObject({ ended_otherwise: [], still_open: [] });
    expect(await rowOf(foreign.uuid)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });

  it('lists the user’s open lots by pair and side', async () => {
    for (let i = 0; i < 2; i++) await storeReport((await place()).uuid, 'FILLED', '1');
    const otherActor = await core.actor();
    await storeReport((await place(otherActor, await core.account(otherActor))).uuid, 'FILLED', '1');
    expect((await stopWithShortWait.run(actor)).open_lots).toEqual([
      { symbol: 'BTC/USDT', side: 'BUY', amount: '2', average_price: '100' },
    ]);
  });

  it('ends an unsent trade, so that its order is never sent', async () => {
    const trade = await place();
    const result = await stop.run(actor);
    expect(idsOf(result.cancelled)).toEqual([trade.id]);
    expect(await core.beginSubmission(trade.uuid, 'venue')).toBeNull();
    expect(await rowOf(trade.uuid)).toMatchObject({ status: 'CANCELLED', submitted_at: null });
    const events = await core.events(actor.userId);
    expect(events.map(({ type }) => type)).toEqual(['trade.created', 'trade.cancelled']);
  });

  it('stores the cancel request if no worker replies; the open order is listed and due for a check', async () => {
    const trade = await placeResting();
    const { version } = await rowOf(trade.uuid);
    const result = await stopWithShortWait.run(actor);
    assertMatchesContract(result);
    expect(result.still_open).toMatchObject([{ id: trade.id, sub_status: 'PENDING_CANCEL' }]);
    expect(result.cancelled).toEqual([]);
    expect(await rowOf(trade.uuid)).toMatchObject({
      status: 'PENDING',
      sub_status: 'PENDING_CANCEL',
      version: Number(version) + 1,
      is_due: true,
    });
    expect(await execution.claimDueChecks(1_000, 100, true)).toContain(trade.uuid);
    expect(await execution.find(trade.uuid)).toMatchObject({ isCancelRequested: true, isAcknowledged: true });
  });

  it('keeps the cancel request of an order in flight after the order is acknowledged', async () => {
    const trade = await place();
    await core.beginSubmission(trade.uuid, 'venue');
    expect((await stopWithShortWait.run(actor)).still_open).toMatchObject([{ id: trade.id }]);
    expect(await rowOf(trade.uuid)).toMatchObject({ sub_status: 'PENDING_CANCEL', is_due: false });
    await storeReport(trade.uuid, 'OPEN');
    expect(await rowOf(trade.uuid)).toMatchObject({ sub_status: 'PENDING_CANCEL' });
  });

  it('cancels only the remaining open trades if it is repeated, and pauses and cancels nothing twice', async () => {
    await insertCopier();
    const trade = await placeResting();
    expect((await stopWithShortWait.run(actor)).paused_copiers).toHaveLength(1);
    const { version } = await rowOf(trade.uuid);
    const again = await stopWithShortWait.run(actor);
    expect(again).toMatchObject({ paused_copiers: [], still_open: [{ id: trade.id }] });
    expect(await rowOf(trade.uuid)).toMatchObject({ version });
    const last = await withWorker(
      (uuid) => storeReport(uuid, 'CANCELLED'),
      () => stop.run(actor),
    );
    expect(last).toMatchObject({ cancelled: [{ id: trade.id }], still_open: [] });
    expect(await stop.run(actor)).toEqual({
      paused_copiers: [],
      open_lots: [],
      closing: [],
      cancelled: [],
      ended_otherwise: [],
      still_open: [],
    });
    const types = (await core.events(actor.userId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'copier.stopped')).toHaveLength(1);
    expect(types.filter((type) => type === 'trade.cancelled')).toHaveLength(1);
  });

  it('lists trades that were filled before they could be cancelled', async () => {
    const trade = await placeResting();
    const result = await withWorker(
      (uuid) => storeReport(uuid, 'FILLED', '1'),
      () => stop.run(actor),
    );
    expect(result.ended_otherwise).toMatchObject([{ id: trade.id, status: 'FILLED', filled_amount: '1' }]);
    expect(result.cancelled).toEqual([]);
  });

  it('is not delayed by one account whose exchange does not respond', async () => {
    const unresponsiveAccount = await core.account(actor);
    const stuck = [];
    for (let i = 0; i < 4; i++) stuck.push(await placeResting(actor, unresponsiveAccount));
    const cancellable = [await placeResting(), await placeResting()];
    const stuckIds = stuck.map(({ uuid }) => uuid);
    let respond: () => void = () => undefined;
    const lateResponse = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const cancel = (uuid: string) =>
      stuckIds.includes(uuid) ? lateResponse : storeReport(uuid, 'CANCELLED');
    const result = await withWorker(cancel, async () => {
      const service = new EmergencyStopService(core.platform, core.commands, 1_500);
      const result = await service.run(actor);
      respond();
      return result;
    });
    expect(idsOf(result.cancelled)).toEqual(idsOf(cancellable));
    expect(idsOf(result.still_open)).toEqual(idsOf(stuck));
  });

  it('lists trades of an inactive account as still open', async () => {
    const trade = await placeResting();
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', account.uuid);
    const rejecting = async () => {
      throw new Error('the account is not active');
    };
    const result = await withWorker(rejecting, () => stop.run(actor));
    expect(result.still_open).toMatchObject([{ id: trade.id, sub_status: 'PENDING_CANCEL' }]);
  });

  it('waits for a trade that is being placed, and cancels it too', async () => {
    let stopped: Promise<EmergencyStop> | undefined;
    const placed = await inTransaction(core.platform.database, async (tx) => {
      // Placing a trade first locks its account.
      await lockAccountForTrade(tx, actor, account.id);
      stopped = stop.run(actor);
      await waitForLock();
      const id = newUuid();
      await tx.query(
        `INSERT INTO trades (id, user_id, exchange_account_id, trade_pair_id, symbol, trading_type, client_order_id,
           origin, type, side, reduce_only, time_in_force, price, amount, reserved_asset, reserved_amount, status,
           look_at)
         VALUES ($1::uuid, $2, $3, $4, 'BTC/USDT', 'spot', $1::uuid::text, 'API', 'LIMIT', 'BUY', false, 'GTC', 1, 1,
           'USDT', 1, 'PENDING', now())`,
        [id, actor.userId, account.uuid, pair.uuid],
      );
      return encodeId('trd', id);
    });
    expect(idsOf((await stopped)?.cancelled ?? [])).toEqual([placed]);
  });

  it('happens once for one Idempotency-Key; a repeat returns the first response', async () => {
    await insertCopier();
    const once = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'stop-1') };
    const first = await stop.run(once);
    expect(first.paused_copiers).toHaveLength(1);
    const trade = await placeResting();
    const again = await stop.run(once).catch((error) => error);
    expect(again).toBeInstanceOf(ResponseReplayed);
    expect(JSON.parse(again.response.body.toString())).toEqual(first);
    expect(await rowOf(trade.uuid)).toMatchObject({ sub_status: 'ACCEPTED' });
  });

  it('does not block the archiving of a copied strategy while it waits for the lock of an account', async () => {
    await insertCopier();
    const { id } = await core.row('SELECT id FROM strategies WHERE user_id = $1', actor.userId);
    const strategyChanges = new StrategyChangesService(core.commands);
    let stopped: Promise<EmergencyStop> | undefined;
    await inTransaction(core.platform.database, async (tx) => {
      // Starting a copier takes this lock; archiving a strategy may take it too.
      await tx.query('SELECT FROM exchange_accounts WHERE id = $1 FOR SHARE', [account.uuid]);
      stopped = stop.run(actor);
      await waitForLock();
      await strategyChanges.update(actor, encodeId('str', String(id)), { status: 'ARCHIVED' });
    });
    expect((await stopped)?.paused_copiers).toHaveLength(1);
  });

  it('pauses and cancels once, even if it runs many times concurrently', async () => {
    await insertCopier();
    const placed = await Promise.all(Array.from({ length: 5 }, () => place()));
    const results = await Promise.all(Array.from({ length: 8 }, () => stop.run(actor)));
    expect(results.flatMap(({ paused_copiers }) => paused_copiers)).toHaveLength(1);
    expect(results.flatMap(({ cancelled }) => idsOf(cancelled)).sort()).toEqual(idsOf(placed));
  });

  it('requires TRADE', async () => {
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ' as const] } };
    await expect(stop.run(reader)).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

/** Waits until a transaction waits for the lock of an account. */
async function waitForLock(): Promise<void> {
  await eventually(async () => {
    const [row] = await core.rows(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%exchange_accounts%'`,
    );
    return row !== undefined;
  });
}

describe('a stop that closes positions', () => {
  let perpetual: RecordIds;
  beforeAll(async () => {
    perpetual = await core.pair({ base: 'ETH', trading_type: 'perpetual', market_max_amount: '4' });
  });
  /** Stores an external order that opens a position. */
  async function open(side: 'BUY' | 'SELL', amount: string, on: RecordIds, at: number): Promise<void> {
    const id = `external-${on.uuid}-${at}`;
    const [symbol, executedAt] = ['ETH/USDT:USDT', new Date(Date.UTC(2026, 0, 1, 0, 0, at))];
    const order = {
      exchangeOrderId: id,
      venueClientOrderId: '',
      symbol,
      side,
      amount,
      filledAmount: amount,
    } as const;
    const times = { createdAt: executedAt, updatedAt: executedAt };
    const terms = { type: 'MARKET', timeInForce: 'GTC', status: 'FILLED' } as const;
    const fee = { amount: '0', currency: 'USDT' };
    const fill = {
      exchangeFillId: id,
      exchangeOrderId: id,
      symbol,
      side,
      amount,
      price: '100',
      fee,
      executedAt,
    } as const;
    await execution.adopt(on.uuid, [{ ...order, ...terms, ...times }], [{ ...fill, liquidity: 'TAKER' }]);
  }
  const derivatives = () => core.account(actor, { USDT: '0' }, { tradingType: 'perpetual' });

  it('places reduce-only market orders for the net positions, up to the maximum of one order', async () => {
    const [long, short, flat] = [await derivatives(), await derivatives(), await derivatives()];
    await open('BUY', '3', long, 1);
    await open('SELL', '9', short, 2);
    await open('BUY', '1', flat, 3);
    await open('SELL', '1', flat, 4);
    const unasked = await stop.run(actor);
    expect([unasked.closing, unasked.open_lots.length]).toEqual([[], 2]);
    const { closing } = emergencyStop.parse(await stop.run(actor, { close_positions: true }));
    const placed = closing.map((trade) => [
      trade.exchange_account_id,
      trade.side,
      trade.amount,
      trade.type,
      trade.reduce_only,
      trade.position_side,
    ]);
    expect(placed.sort()).toEqual(
      [
        [long.id, 'SELL', '3', 'MARKET', true, 'LONG'],
        [short.id, 'BUY', '4', 'MARKET', true, 'SHORT'],
      ].sort(),
    );
  });

  it('closes a position whose value has fallen below the minimum of the exchange', async () => {
    const fallen = await derivatives();
    await open('BUY', '3', fallen, 1);
    await core.rows('UPDATE trade_pairs SET last_price = 1, min_notional = 5 WHERE id = $1', perpetual.uuid);
    const { closing } = await stop.run(actor, { close_positions: true });
    expect(closing.map(({ amount, reduce_only }) => [amount, reduce_only])).toEqual([['3', true]]);
  });

  it('leaves accounts that are not active, and pairs that are not traded', async () => {
    const [inactive, active] = [await derivatives(), await derivatives()];
    await open('BUY', '3', inactive, 1);
    await open('BUY', '3', active, 2);
    await core.rows('UPDATE exchange_accounts SET is_active = false WHERE id = $1', inactive.uuid);
    const { closing } = await stop.run(actor, { close_positions: true });
    expect(closing.map(({ exchange_account_id }) => exchange_account_id)).toEqual([active.id]);
    await core.rows('UPDATE trade_pairs SET is_active = false WHERE id = $1', perpetual.uuid);
    expect((await stop.run(actor, { close_positions: true })).closing).toEqual([]);
    await core.rows('UPDATE trade_pairs SET is_active = true WHERE id = $1', perpetual.uuid);
  });
});
