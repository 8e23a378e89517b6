/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import {
  compileSerializer,
  event as eventSchema,
  type TradeCreate,
  type TradeDetail,
  tradeCreate,
  trade as tradeSchema,
} from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { Platform } from '../platform/index.js';

import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeExecution } from './trade-execution.service.js';
import { TradesService } from './trades.service.js';

let core: CoreUnderTest;
let execution: TradeExecution;
let trades: TradesService;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  execution = new TradeExecution(core.platform);
  trades = new TradesService({ platform: core.platform, lists: core.lists, commands: core.commands });
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

interface PlacedTrade extends TradeDetail {
  readonly uuid: string;
}

async function place(overrides: Partial<TradeCreate> = {}): Promise<PlacedTrade> {
  const input = tradeCreate.parse({
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: '100',
    amount: '1',
    ...overrides,
  });
  const created = await trades.create(actor, input);
  const { id } = await core.row('SELECT id FROM trades WHERE user_id = $1 ORDER BY id DESC', actor.userId);
  return { ...created, uuid: String(id) };
}

/** Places a trade whose order was sent `agoMs` ago and has not been reported since. */
async function placeSent(agoMs = 0): Promise<PlacedTrade> {
  const trade = await place();
  expect(await core.beginSubmission(trade.uuid, `venue-${trade.uuid}`)).not.toBeNull();
  await core.rows(
    "UPDATE trades SET submitted_at = submitted_at - $2 * interval '1 millisecond' WHERE id = $1",
    trade.uuid,
    agoMs,
  );
  return trade;
}

const orderOf = (trade: PlacedTrade, overrides: Partial<VenueOrder> = {}): VenueOrder => ({
  exchangeOrderId: `order-${trade.uuid}`,
  venueClientOrderId: `venue-${trade.uuid}`,
  symbol: 'BTC/USDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  price: '100',
  status: 'OPEN',
  amount: '1',
  filledAmount: '0',
  createdAt: new Date(),
  updatedAt: new Date(),
  ...overrides,
});
const fillOf = (
  trade: PlacedTrade,
  name: string,
  amount: string,
  overrides: Partial<VenueFill> = {},
): VenueFill => ({
  exchangeFillId: `${trade.uuid}-${name}`,
  exchangeOrderId: `order-${trade.uuid}`,
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount,
  fee: { amount: '0.1', currency: 'USDT' },
  liquidity: 'TAKER',
  executedAt: new Date(),
  ...overrides,
});
const eventTypes = async () => (await core.events(actor.userId)).map(({ type }) => type);
const read = (trade: PlacedTrade) => trades.get(actor, trade.id);
/** Returns the stored trade, fills and events. */
const storedTrade = async ({ uuid }: PlacedTrade) => ({
  trade: await core.row('SELECT * FROM trades WHERE id = $1', uuid),
  fills: await core.rows('SELECT * FROM fills WHERE trade_id = $1', uuid),
  events: await core.events(actor.userId),
});

describe('a submission', () => {
  it('rule 19: is claimed by exactly one of 20 concurrent callers, which gets the order as it was placed', async () => {
    const trade = await place({ type: 'STOP_LIMIT', stop_price: '99.5', amount: '0.25' });
    const orders = await Promise.all(
      Array.from({ length: 20 }, (_, i) => core.beginSubmission(trade.uuid, `venue-${i}`)),
    );
    const [order, ...others] = orders.filter((each) => each !== null);
    expect(others).toEqual([]);
    expect(order).toMatchObject({
      symbol: 'BTC/USDT',
      type: 'STOP_LIMIT',
      side: 'BUY',
      timeInForce: 'GTC',
      amount: '0.25',
      price: '100',
      stopPrice: '99.5',
      reduceOnly: false,
    });
    expect(await core.row('SELECT venue_client_order_id FROM trades WHERE id = $1', trade.uuid)).toEqual({
      venue_client_order_id: order?.venueClientOrderId,
    });
    expect(await read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING', version: 2 });
    expect(await execution.find(trade.uuid)).toMatchObject({ isSubmitted: true, isAcknowledged: false });
  });

  it('is not claimed for a trade that is unknown, cancelled or failed', async () => {
    const [cancelled, failed] = [await place(), await place()];
    await execution.requestCancellation(cancelled.uuid);
    await execution.failUnsent(failed.uuid, { code: 'x', message: 'x' });
    for (const id of [newUuid(), cancelled.uuid, failed.uuid]) {
      expect(await core.beginSubmission(id, `venue-${id}`)).toBeNull();
    }
  });

  it('ends in FAILED if the order cannot be sent, but not once a worker has claimed it', async () => {
    const [unsent, sent] = [await place(), await placeSent()];
    const failure = { code: 'exchange_credentials_rejected', message: 'The exchange rejected them.' };
    await execution.failUnsent(unsent.uuid, failure);
    await execution.failUnsent(sent.uuid, failure);
    expect(await read(unsent)).toMatchObject({ status: 'FAILED', failure, version: 2 });
    expect(await read(sent)).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING' });
    expect(await eventTypes()).toEqual(['trade.created', 'trade.created', 'trade.failed']);
  });

  it('ends in FAILED if the exchange rejects it, but not once the exchange has reported the order', async () => {
    const [rejected, known] = [await placeSent(), await placeSent()];
    const failure = { code: 'insufficient_balance', message: 'Not enough.' };
    await execution.storeOrder(known.uuid, orderOf(known), []);
    await execution.storeRejection(rejected.uuid, failure);
    await execution.storeRejection(rejected.uuid, { code: 'other', message: 'other' });
    await execution.storeRejection(known.uuid, failure);
    expect(await read(rejected)).toMatchObject({ status: 'FAILED', failure });
    expect(await read(known)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });
});

describe('the report of an order', () => {
  it('is stored with its fills, cost, average price and fees by currency', async () => {
    const trade = await placeSent();
    const fills = [
      fillOf(trade, 'a', '0.25', {
        price: '100.01',
        fee: { amount: '0.000000000000000001', currency: 'BTC' },
      }),
      fillOf(trade, 'b', '0.5', { price: '99', fee: { amount: '0.1', currency: 'USDT' } }),
      fillOf(trade, 'c', '0.25', {
        price: '100',
        fee: { amount: '0.2', currency: 'USDT' },
        liquidity: 'MAKER',
      }),
    ];
    expect(await execution.storeOrder(trade.uuid, orderOf(trade), [])).toBe(true);
    const filled = orderOf(trade, { status: 'FILLED', filledAmount: '1' });
    expect(await execution.storeOrder(trade.uuid, filled, fills)).toBe(true);
    const reported = await read(trade);
    expect(reported).toMatchObject({
      status: 'FILLED',
      exchange_order_id: `order-${trade.uuid}`,
      filled_amount: '1',
      remaining_amount: '0',
      cost: '99.5025',
      average_price: '99.5025',
      fee: { amount: '0.3', currency: 'USDT' },
      fees_by_currency: [
        { amount: '0.3', currency: 'USDT' },
        { amount: '0.000000000000000001', currency: 'BTC' },
      ],
      filled_at: expect.any(String),
      submitted_at: expect.any(String),
    });
    expect(reported.sub_status).toBeUndefined();
    expect(reported.fills.map(({ price, amount, liquidity }) => ({ price, amount, liquidity }))).toEqual([
      { price: '100.01', amount: '0.25', liquidity: 'TAKER' },
      { price: '99', amount: '0.5', liquidity: 'TAKER' },
      { price: '100', amount: '0.25', liquidity: 'MAKER' },
    ]);
  });

  it('rule 21: counts each fill once, even if it is repeated serially and concurrently', async () => {
    const trade = await placeSent();
    const partly = orderOf(trade, { filledAmount: '0.4' });
    const fills = [fillOf(trade, 'a', '0.1'), fillOf(trade, 'b', '0.3')];
    const changes = await Promise.all(
      Array.from({ length: 12 }, () => execution.storeOrder(trade.uuid, partly, fills)),
    );
    expect(changes.filter(Boolean)).toHaveLength(1);
    expect(await execution.storeOrder(trade.uuid, partly, [...fills, ...fills])).toBe(false);
    const reported = await read(trade);
    expect(reported).toMatchObject({ status: 'PARTIALLY_FILLED', filled_amount: '0.4', cost: '40' });
    expect(reported.fills).toHaveLength(2);
    expect(await eventTypes()).toEqual(['trade.created', 'trade.partially_filled']);
  });

  it('does not end the trade before the known fills add up to the filled amount of the ended order', async () => {
    const trade = await placeSent();
    const cancelled = orderOf(trade, { status: 'CANCELLED', filledAmount: '0.5' });
    await execution.storeOrder(trade.uuid, cancelled, []);
    expect(await read(trade)).toMatchObject({ status: 'PENDING', filled_amount: '0' });
    await execution.storeOrder(trade.uuid, cancelled, [fillOf(trade, 'a', '0.2')]);
    expect(await read(trade)).toMatchObject({ status: 'PARTIALLY_FILLED', filled_amount: '0.2' });
    await execution.storeOrder(trade.uuid, cancelled, [fillOf(trade, 'a', '0.2'), fillOf(trade, 'b', '0.3')]);
    expect(await read(trade)).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXCHANGE',
      filled_amount: '0.5',
      remaining_amount: '0.5',
      cancelled_at: expect.any(String),
    });
    expect(await eventTypes()).toEqual(['trade.created', 'trade.partially_filled', 'trade.cancelled']);
  });

  it('rule 21: adds fills that arrive after the trade is CANCELLED, and leaves it CANCELLED', async () => {
    const trade = await placeSent();
    await execution.storeOrder(trade.uuid, orderOf(trade, { status: 'CANCELLED' }), []);
    const before = await read(trade);
    const late = orderOf(trade, { status: 'CANCELLED', filledAmount: '0.3' });
    expect(await execution.storeOrder(trade.uuid, late, [fillOf(trade, 'late', '0.3')])).toBe(true);
    const after = await read(trade);
    expect(after).toMatchObject({
      status: 'CANCELLED',
      filled_amount: '0.3',
      cost: '30',
      cancelled_at: before.cancelled_at,
      version: before.version + 1,
    });
    expect(after.fills).toHaveLength(1);
    expect(await execution.storeOrder(trade.uuid, late, [fillOf(trade, 'late', '0.3')])).toBe(false);
    expect(await eventTypes()).toEqual(['trade.created', 'trade.cancelled']);
  });

  it('ends the trade in FAILED with a reason if the exchange rejects the order after accepting it', async () => {
    const trade = await placeSent();
    await execution.storeOrder(trade.uuid, orderOf(trade, { status: 'REJECTED' }), []);
    expect(await read(trade)).toMatchObject({
      status: 'FAILED',
      failure: { code: 'refused', message: expect.any(String) },
    });
    expect((await core.events(actor.userId)).at(-1)).toMatchObject({
      type: 'trade.failed',
      data: { status: 'FAILED', failure: { code: 'refused' } },
    });
  });

  it('is stored atomically: if its event cannot be emitted, neither state nor fills are stored', async () => {
    const trade = await placeSent();
    const before = await storedTrade(trade);
    await core.rows(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no event today'; END $$`);
    await core.rows(`CREATE TRIGGER refuse BEFORE INSERT ON outbox_events FOR EACH ROW
      WHEN (NEW.type = 'trade.filled') EXECUTE FUNCTION refuse()`);
    const filled = orderOf(trade, { status: 'FILLED', filledAmount: '1' });
    const storing = execution.storeOrder(trade.uuid, filled, [fillOf(trade, 'a', '1')]);
    await expect(storing).rejects.toThrow('no event today');
    expect(await storedTrade(trade)).toEqual(before);
    await core.rows('DROP FUNCTION refuse CASCADE');
    expect(await execution.storeOrder(trade.uuid, filled, [fillOf(trade, 'a', '1')])).toBe(true);
    expect(await read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
  });

  it('row 16: emits an event for every partial fill in order, each with the trade as REST showed it at that moment', async () => {
    const trade = await placeSent();
    const serialize = compileSerializer(tradeSchema);
    const shown: unknown[] = [];
    const recordShown = async () => shown.push(JSON.parse(serialize(await read(trade))));
    shown.push(JSON.parse(serialize(trade)));
    await execution.storeOrder(trade.uuid, orderOf(trade), []);
    const first = [fillOf(trade, 'a', '0.5', { price: '33.33' })];
    await execution.storeOrder(trade.uuid, orderOf(trade, { filledAmount: '0.5' }), first);
    await recordShown();
    const second = [...first, fillOf(trade, 'b', '0.25')];
    await execution.storeOrder(trade.uuid, orderOf(trade, { filledAmount: '0.75' }), second);
    await recordShown();
    const all = [...second, fillOf(trade, 'c', '0.25')];
    await execution.storeOrder(trade.uuid, orderOf(trade, { status: 'FILLED', filledAmount: '1' }), all);
    await recordShown();
    const events = await core.events(actor.userId);
    expect(events.map(({ type }) => type)).toEqual([
      'trade.created',
      'trade.partially_filled',
      'trade.partially_filled',
      'trade.filled',
    ]);
    expect(events.map(({ data }) => data)).toEqual(shown);
    const versions = events.map(({ data }) => Number(data.version));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(4);
  });

  it('changes version and updated_at, as the other calls do, if and only if it changes the trade', async () => {
    const trade = await placeSent();
    const readVersion = async () => {
      const { version, updated_at } = await core.row(
        'SELECT version, updated_at::text FROM trades WHERE id = $1',
        trade.uuid,
      );
      return { version: Number(version), updatedAt: String(updated_at) };
    };
    const steps = [await readVersion()];
    const step = async (change: () => Promise<unknown>, isChange: boolean) => {
      await change();
      const [before, after] = [steps.at(-1)!, await readVersion()];
      expect(after.version - before.version).toBe(isChange ? 1 : 0);
      expect(after.updatedAt > before.updatedAt).toBe(isChange);
      steps.push(after);
    };
    const partly = orderOf(trade, { filledAmount: '0.5' });
    const fills = [fillOf(trade, 'a', '0.5')];
    await step(() => execution.markUnknown(trade.uuid), true);
    await step(() => execution.markUnknown(trade.uuid), false);
    await step(() => execution.storeOrder(trade.uuid, orderOf(trade), []), true);
    await step(() => execution.storeOrder(trade.uuid, orderOf(trade), []), false);
    await step(() => execution.storeOrder(trade.uuid, partly, fills), true);
    await step(() => execution.storeOrder(trade.uuid, partly, fills), false);
    await step(() => execution.requestCancellation(trade.uuid), true);
    await step(() => execution.requestCancellation(trade.uuid), false);
    await step(() => execution.recheckSoon(trade.uuid), false);
    const ended = orderOf(trade, { status: 'CANCELLED', filledAmount: '0.5' });
    await step(() => execution.storeOrder(trade.uuid, ended, fills), true);
    await step(() => execution.storeOrder(trade.uuid, ended, fills), false);
  });
});

describe('an order that the exchange does not know', () => {
  it('is FAILED with not_accepted after six probes, and not before', async () => {
    const trade = await placeSent(5_001);
    for (let probe = 1; probe <= 5; probe++) expect(await execution.storeAbsence(trade.uuid)).toBe(false);
    expect(await read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    expect(await execution.storeAbsence(trade.uuid)).toBe(true);
    expect(await read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    expect(await execution.storeAbsence(trade.uuid)).toBe(false);
    expect(await eventTypes()).toEqual(['trade.created', 'trade.failed']);
  });

  it('is not FAILED after one probe, however long ago it was sent', async () => {
    const trade = await placeSent(60_000);
    expect(await execution.storeAbsence(trade.uuid, performance.now())).toBe(false);
    expect((await read(trade)).status).toBe('PENDING');
  });

  it('does not fail while it may be in flight, even after ten probes', async () => {
    const [unsent, trade] = [await place(), await placeSent()];
    for (let probe = 0; probe < 10; probe++) {
      expect(await execution.storeAbsence(trade.uuid)).toBe(false);
      expect(await execution.storeAbsence(unsent.uuid)).toBe(false);
    }
    await core.rows(
      "UPDATE trades SET submitted_at = submitted_at - interval '6 seconds' WHERE id = $1",
      trade.uuid,
    );
    for (let probe = 1; probe <= 5; probe++) expect(await execution.storeAbsence(trade.uuid)).toBe(false);
    expect((await read(unsent)).status).toBe('PENDING');
  });

  it('is probed six times again after the exchange has reported it', async () => {
    const trade = await placeSent(5_001);
    for (let probe = 1; probe <= 5; probe++) await execution.storeAbsence(trade.uuid);
    await execution.storeOrder(trade.uuid, orderOf(trade), []);
    for (let probe = 1; probe <= 5; probe++) expect(await execution.storeAbsence(trade.uuid)).toBe(false);
    expect((await read(trade)).status).toBe('PENDING');
  });

  it('is CANCELLED with its fills if it was partly filled', async () => {
    const trade = await placeSent(5_001);
    await execution.storeOrder(trade.uuid, orderOf(trade, { filledAmount: '0.5' }), [
      fillOf(trade, 'a', '0.5'),
    ]);
    for (let probe = 1; probe <= 6; probe++) await execution.storeAbsence(trade.uuid);
    const reported = await read(trade);
    expect(reported).toMatchObject({
      status: 'CANCELLED',
      cancel_reason: 'EXCHANGE',
      filled_amount: '0.5',
      cost: '50',
    });
    expect(reported.fills).toHaveLength(1);
    expect(await eventTypes()).toEqual(['trade.created', 'trade.partially_filled', 'trade.cancelled']);
  });

  it('is CANCELLED and not FAILED if the exchange had accepted it', async () => {
    const trade = await placeSent(5_001);
    await execution.storeOrder(trade.uuid, orderOf(trade), []);
    for (let probe = 1; probe <= 6; probe++) await execution.storeAbsence(trade.uuid);
    expect(await read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
  });
});

describe('a cancellation', () => {
  it('ends an unclaimed trade immediately, and it is never sent', async () => {
    const trade = await place();
    expect(await execution.requestCancellation(trade.uuid)).toBe('done');
    expect(await core.beginSubmission(trade.uuid, 'venue')).toBeNull();
    const reported = await read(trade);
    expect(reported).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER', version: 2 });
    expect(reported.submitted_at).toBeUndefined();
    expect(await eventTypes()).toEqual(['trade.created', 'trade.cancelled']);
  });

  it('and a concurrent submission exclude each other: either the trade ends unsent, or its order is sent', async () => {
    const placed = [];
    for (let i = 0; i < 10; i++) placed.push(await place());
    for (const { uuid } of placed) {
      const [step, order] = await Promise.all([
        execution.requestCancellation(uuid),
        core.beginSubmission(uuid, `venue-${uuid}`),
      ]);
      expect(order === null).toBe(step === 'done');
    }
  });

  it('waits for an order that is in flight, and is carried out once the exchange reports the order', async () => {
    const trade = await placeSent();
    expect(await execution.requestCancellation(trade.uuid)).toBe('wait');
    expect(await execution.find(trade.uuid)).toMatchObject({
      isCancelRequested: true,
      isAcknowledged: false,
    });
    await execution.markUnknown(trade.uuid);
    await execution.storeOrder(trade.uuid, orderOf(trade), []);
    expect(await execution.find(trade.uuid)).toMatchObject({ isCancelRequested: true, isAcknowledged: true });
    expect(await execution.requestCancellation(trade.uuid)).toBe('send');
    await execution.storeOrder(trade.uuid, orderOf(trade, { status: 'CANCELLED' }), []);
    expect(await read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(await execution.requestCancellation(trade.uuid)).toBe('done');
  });

  it('leaves the trade FILLED if its order was filled first', async () => {
    const trade = await placeSent();
    await execution.storeOrder(trade.uuid, orderOf(trade), []);
    expect(await execution.requestCancellation(trade.uuid)).toBe('send');
    const filled = orderOf(trade, { status: 'FILLED', filledAmount: '1' });
    await execution.storeOrder(trade.uuid, filled, [fillOf(trade, 'a', '1')]);
    expect(await execution.requestCancellation(trade.uuid)).toBe('done');
    expect((await read(trade)).status).toBe('FILLED');
  });
});

describe('checks', () => {
  it('are each claimed by one of many concurrent callers, for the duration of the lease', async () => {
    await core.rows("UPDATE trades SET look_at = 'infinity'");
    const placed = [];
    for (let i = 0; i < 12; i++) placed.push((await place()).uuid);
    await core.rows('UPDATE trades SET look_at = clock_timestamp() WHERE id = ANY ($1)', placed);
    const claimed = await Promise.all(
      Array.from({ length: 6 }, () => execution.claimDueChecks(60_000, 4, false)),
    );
    const all = claimed.flat();
    expect(new Set(all).size).toBe(all.length);
    all.push(...(await execution.claimDueChecks(60_000, 50, false)));
    expect([...all].sort()).toEqual([...placed].sort());
    expect(await execution.claimDueChecks(60_000, 50, false)).toEqual([]);
  });

  it('of orders without a response are claimed separately, because copiers wait for them', async () => {
    await core.rows("UPDATE trades SET look_at = 'infinity'");
    const [unanswered, acknowledged] = [await place(), await place()];
    await core.rows('UPDATE trades SET acknowledged_at = now() WHERE id = $1', acknowledged.uuid);
    await core.rows('UPDATE trades SET look_at = clock_timestamp() WHERE id = ANY ($1)', [
      unanswered.uuid,
      acknowledged.uuid,
    ]);
    expect(await execution.claimDueChecks(60_000, 50, false)).toEqual([unanswered.uuid]);
    expect(await execution.claimDueChecks(60_000, 50, true)).toEqual([acknowledged.uuid]);
  });

  it('are claimed by the owner of their account while it lives, then by anyone', async () => {
    await core.rows("UPDATE trades SET look_at = 'infinity'");
    const { uuid } = await place();
    await core.rows(
      "INSERT INTO account_owners (account_id, worker, fence) VALUES ($1, 'owner', 1)",
      account.uuid,
    );
    const { world, database, listener } = core.platform;
    const owner = new TradeExecution(new Platform(world, database, listener, 'owner'));
    const claimDue = async (by: TradeExecution, leaseLeftS: number) => {
      await core.rows('UPDATE trades SET look_at = clock_timestamp() WHERE id = $1', uuid);
      await core.rows(
        `INSERT INTO worker_leases (worker, exchanges, expires_at)
         VALUES ('owner', '{paper}', clock_timestamp() + $1 * interval '1 second')
         ON CONFLICT (worker) DO UPDATE SET expires_at = excluded.expires_at`,
        leaseLeftS,
      );
      return by.claimDueChecks(60_000, 50, false);
    };
    expect(await claimDue(execution, 3_600)).toEqual([]);
    expect(await claimDue(owner, 3_600)).toEqual([uuid]);
    expect(await claimDue(execution, 0)).toEqual([uuid]);
    await core.rows('DELETE FROM worker_leases');
  });

  it('are due again within 2 s after recheckSoon, and never for a trade that has ended', async () => {
    await core.rows("UPDATE trades SET look_at = 'infinity'");
    const [open, ended] = [await place(), await place()];
    await execution.requestCancellation(ended.uuid);
    await core.rows('UPDATE trades SET look_at = clock_timestamp() WHERE id = ANY ($1)', [
      open.uuid,
      ended.uuid,
    ]);
    expect(await execution.claimDueChecks(60_000, 50, false)).toEqual([open.uuid]);
    await execution.recheckSoon(open.uuid);
    const { wait } = await core.row(
      'SELECT extract(epoch FROM look_at - clock_timestamp()) AS wait FROM trades WHERE id = $1',
      open.uuid,
    );
    expect(Number(wait)).toBeLessThanOrEqual(2);
  });
});
