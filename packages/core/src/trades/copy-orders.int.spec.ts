/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { encodeId, trade as tradeSchema } from '@trading-automation/contracts';
import { inTransaction, newUuid, type Tx } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { AccountSyncService } from '../exchange-accounts/index.js';
import { cancelCopies, type NewCopyTrade, placeCopies } from './copy-orders.js';
import { loadFreeBalances } from './free-balances.queries.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { ACCOUNT_WORK_CHANNEL } from './trades.queries.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(env.core.platform.database, work);
const place = (copies: readonly NewCopyTrade[]) => inTx((tx) => placeCopies(tx, copies));
const countTrades = async () =>
  (await env.core.row('SELECT count(*)::int FROM trades WHERE copier_id = $1', env.copierId)).count;

describe('copies', () => {
  it('are stored as planned, emit an event, and are shown with the fields of the copy', async () => {
    const copy = env.newCopy();
    const [placed, ...others] = await place([copy]);
    expect(others).toEqual([]);
    expect(tradeSchema.parse(placed)).toEqual(placed);
    expect(placed).toMatchObject({
      origin: 'COPIER',
      client_order_id: copy.clientOrderId,
      intent: 'OPEN',
      amount: '1',
      // Two significant digits, because another user owns the strategy.
      requested_amount: '1',
      time_in_force: 'IOC',
      status: 'PENDING',
      copy: {
        signal_at: '2026-01-01T00:00:00.000Z',
        received_at: '2026-01-01T00:00:00.020Z',
        reference_price: '99',
        ratio: '0.5',
      },
    });
    expect(placed!.copy).not.toHaveProperty('sequence');
    const [event] = await env.core.events(env.actor.userId);
    expect(event).toMatchObject({ type: 'trade.created', data: { id: placed!.id } });
    const { lists, commands, platform } = env.core;
    const read = await new TradesService({ platform, lists, commands }).get(env.actor, placed!.id);
    expect(read).toEqual({ ...placed, fills: [] });
  });

  it('rule 19: create no second trade and no second event if they are planned again, serially or concurrently', async () => {
    const planned = Array.from({ length: 20 }, () => env.newCopy());
    const plannedAgain = () => planned.map((copy) => ({ ...copy, id: newUuid() }));
    const placed = await Promise.all([
      place(planned),
      ...Array.from({ length: 7 }, () => place(plannedAgain())),
    ]);
    expect(placed.flat()).toHaveLength(20);
    expect(await place(plannedAgain())).toEqual([]);
    expect(await countTrades()).toBe(20);
    expect(await env.eventTypes()).toHaveLength(20);
  });

  it('rule 19: can be sent only after they are stored with their client order id', async () => {
    const copy = env.newCopy();
    const failing = inTx(async (tx) => {
      await placeCopies(tx, [copy]);
      expect(await env.execution.findUnsent([env.account.uuid], 10)).toEqual([]);
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await countTrades()).toBe(0);
    await place([copy]);
    expect(await env.execution.findUnsent([env.account.uuid], 10)).toEqual([
      {
        id: copy.id,
        accountId: env.account.uuid,
        clientOrderId: copy.clientOrderId,
        symbol: 'BTC/USDT',
        isExit: false,
      },
    ]);
  });

  it('notify the workers of their account on commit, once per account', async () => {
    const received: string[] = [];
    const { listener } = env.core.platform;
    let connected: (() => void) | undefined;
    const isConnected = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const stop = listener.subscribe(ACCOUNT_WORK_CHANNEL, (payload) => {
      if (payload === undefined) connected?.();
      else received.push(payload);
    });
    await isConnected;
    await place([env.newCopy(), env.newCopy(), env.newCopy()]);
    // Notifications arrive in commit order. Once this one arrives, all of the first transaction have arrived.
    const last = await env.newAccount(env.actor);
    await place([env.newCopy({ accountId: last.uuid, copierId: await env.newCopier(last) })]);
    await eventually(() => received.includes(last.uuid));
    stop();
    expect(received).toEqual([env.account.uuid, last.uuid]);
  });

  it('of one account never hide an order of another account, however many they are', async () => {
    await place([env.newCopy(), env.newCopy(), env.newCopy()]);
    const other = await env.newAccount(env.actor);
    await place([env.newCopy({ accountId: other.uuid, copierId: await env.newCopier(other) })]);
    const unsent = await env.execution.findUnsent([env.account.uuid, other.uuid], 1);
    expect(unsent.map(({ accountId }) => accountId)).toEqual([env.account.uuid, other.uuid]);
  });

  it('are sent exits first, and the oldest first among exits and among entries', async () => {
    const entries = [await env.placeCopy(), await env.placeCopy()];
    const sale = { side: 'SELL', type: 'MARKET', timeInForce: 'GTC', price: null } as const;
    const exits = [
      await env.placeCopy({ intent: 'REDUCE', order: sale }),
      await env.placeCopy({ intent: 'CLOSE', order: sale }),
    ];
    const unsent = await env.execution.findUnsent([env.account.uuid], 10);
    expect(unsent.map(({ id }) => id)).toEqual([...exits, ...entries]);
    expect(unsent.map(({ isExit }) => isExit)).toEqual([true, true, false, false]);
    expect(await env.execution.findUnsent([env.account.uuid], 3)).toHaveLength(3);
    expect((await env.claimSubmission(exits[0]!))?.order).toMatchObject({
      type: 'MARKET',
      side: 'SELL',
      isExit: true,
    });
  });

  it('show their latency and slippage once they are sent and filled', async () => {
    const [buy, sell] = [
      await env.placeCopy(),
      await env.placeCopy({ intent: 'CLOSE', order: { side: 'SELL' } }),
    ];
    const { lists, commands, platform } = env.core;
    const trades = new TradesService({ platform, lists, commands });
    const readTrade = (id: string) => trades.get(env.actor, encodeId('trd', id));
    for (const id of [buy, sell]) {
      await env.claimSubmission(id);
      await env.core.rows("UPDATE trades SET submitted_at = '2026-01-01T00:00:00.120Z' WHERE id = $1", id);
      const order = venueOrderOf(id, { status: 'EXPIRED', filledAmount: '0.5' });
      await env.execution.storeOrder(id, order, [venueFillOf(id, 'a', '0.5')]);
    }
    expect((await readTrade(buy)).copy).toMatchObject({ latency_ms: 100, slippage_bps: '101.0101' });
    expect((await readTrade(sell)).copy).toMatchObject({ latency_ms: 100, slippage_bps: '-101.0101' });
  });
});

describe('the orders of a copier that is stopped', () => {
  it('rule 11: end if they are unsent and are cancelled at the exchange if they are sent; orders of other copiers stay open', async () => {
    const [unsent, sent, filled] = [await env.placeCopy(), await env.placeCopy(), await env.placeCopy()];
    const other = await env.placeCopy({ copierId: await env.newCopier(env.account) });
    for (const id of [sent, filled, other]) await env.claimSubmission(id);
    await env.execution.storeOrder(sent, venueOrderOf(sent), []);
    const done = venueOrderOf(filled, { status: 'FILLED', filledAmount: '1' });
    await env.execution.storeOrder(filled, done, [venueFillOf(filled, 'a', '1')]);
    await inTx((tx) => cancelCopies(tx, env.copierId));
    expect(await env.storedTrade(unsent)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(await env.storedTrade(sent)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    expect(await env.storedTrade(filled)).toMatchObject({ status: 'FILLED' });
    expect(await env.storedTrade(other)).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING' });
    expect(await env.claimSubmission(unsent)).toBeNull();
    expect(await env.execution.find(sent)).toMatchObject({ isCancelRequested: true, isOpen: true });
  });

  it('end, except for exits, if only entries are cancelled', async () => {
    const [entry, exit] = [
      await env.placeCopy(),
      await env.placeCopy({ intent: 'CLOSE', order: { side: 'SELL' } }),
    ];
    await inTx((tx) => cancelCopies(tx, env.copierId, { entriesOnly: true }));
    expect(await env.storedTrade(entry)).toMatchObject({ status: 'CANCELLED' });
    expect(await env.storedTrade(exit)).toMatchObject({ status: 'PENDING', sub_status: null });
  });
});

describe('the free balance of an account', () => {
  const free = async (accounts = [env.account.uuid], assets = ['USDT', 'BTC']) => {
    const balances = await inTx((tx) => loadFreeBalances(tx, accounts, assets));
    return Object.fromEntries([...balances].map(([id, byAsset]) => [id, Object.fromEntries(byAsset)]));
  };

  it('rule 17, row 9: excludes the reservation of an order until the balances are read after its acknowledgement', async () => {
    const poorAccount = await env.newAccount(env.actor, { USDT: '150.5' });
    const copyOnPoorAccount = { accountId: poorAccount.uuid, copierId: await env.newCopier(poorAccount) };
    const before = await free([poorAccount.uuid, env.account.uuid]);
    expect(before).toEqual({
      [poorAccount.uuid]: { USDT: '150.5', BTC: '0' },
      [env.account.uuid]: { USDT: '100000', BTC: '10' },
    });
    await place([env.newCopy(copyOnPoorAccount)]);
    expect(await free([poorAccount.uuid])).toEqual({ [poorAccount.uuid]: { USDT: '50.5', BTC: '0' } });
    await place([env.newCopy(copyOnPoorAccount)]);
    expect(await free([poorAccount.uuid])).toEqual({ [poorAccount.uuid]: { USDT: '0', BTC: '0' } });
    await env.core.rows(
      'UPDATE trades SET acknowledged_at = clock_timestamp(), venue_accepted_at = clock_timestamp() WHERE exchange_account_id = $1',
      poorAccount.uuid,
    );
    await env.core.rows('SELECT pg_sleep(0.002)');
    const accountSync = new AccountSyncService(env.core.platform);
    const snapshot = { USDT: { free: '150.5', locked: '200' } };
    await accountSync.storeBalances(poorAccount.uuid, snapshot, await accountSync.databaseTime());
    expect(await free([poorAccount.uuid])).toEqual({ [poorAccount.uuid]: { USDT: '150.5', BTC: '0' } });
  });

  it('includes the reserved amount of an order again after the exchange rejected the order', async () => {
    const id = await env.placeCopy();
    expect(await free()).toMatchObject({ [env.account.uuid]: { USDT: '99900' } });
    await env.claimSubmission(id);
    await env.execution.storeRejection(id, { code: 'refused', message: 'no' });
    expect(await free()).toMatchObject({ [env.account.uuid]: { USDT: '100000' } });
  });
});
