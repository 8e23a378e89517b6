/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import {
  encodeId,
  type TradeCreate,
  type TradeDetail,
  tradeCreate,
  tradeDetail,
  tradeOperations,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { AccountSyncService, serveWorkerCalls } from '../exchange-accounts/index.js';
import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeExecution } from './trade-execution.service.js';
import { TradesService } from './trades.service.js';

let core: CoreUnderTest;
let trades: TradesService;
let execution: TradeExecution;
let accountSync: AccountSyncService;
let actor: Actor;
let account: RecordIds;
let pair: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  trades = new TradesService({ platform: core.platform, lists: core.lists, commands: core.commands });
  execution = new TradeExecution(core.platform);
  accountSync = new AccountSyncService(core.platform);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

const inputOf = (overrides: Record<string, unknown> = {}): TradeCreate =>
  tradeCreate.parse({
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: '100',
    amount: '1',
    ...overrides,
  });
const create = (overrides: Record<string, unknown> = {}) => trades.create(actor, inputOf(overrides));
const uuidOf = async ({ client_order_id }: TradeDetail): Promise<string> => {
  const { id } = await core.row('SELECT id FROM trades WHERE client_order_id = $1', client_order_id);
  return String(id);
};
const countTrades = async () => {
  const { count } = await core.row('SELECT count(*)::int FROM trades WHERE user_id = $1', actor.userId);
  return count;
};
/** Claims the submission of the trade's order and stores the exchange's report of the order. */
async function acknowledge(trade: TradeDetail, status: 'OPEN' | 'CANCELLED' | 'REJECTED' = 'OPEN') {
  const uuid = await uuidOf(trade);
  await core.beginSubmission(uuid, `venue-${uuid}`);
  const order = {
    exchangeOrderId: `order-${uuid}`,
    venueClientOrderId: `venue-${uuid}`,
    symbol: trade.symbol,
    status,
    side: trade.side,
    type: trade.type,
    timeInForce: trade.time_in_force,
    amount: trade.amount,
    filledAmount: '0',
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  await execution.storeOrder(uuid, order, []);
}
/** Parses a query string as the REST API does. */
const queryOf = (queryString: string) =>
  querySchemaOf(tradeOperations.list).parse(
    Object.fromEntries(new URLSearchParams(queryString)),
  ) as Parameters<TradesService['list']>[1];

describe('creating a trade', () => {
  it('returns the trade as PENDING and emits trade.created', async () => {
    const created = await create({ amount: '0.25', client_order_id: 'mine-1', time_in_force: 'IOC' });
    expect(tradeDetail.parse(created)).toEqual(created);
    expect(created).toMatchObject({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      symbol: 'BTC/USDT',
      client_order_id: 'mine-1',
      origin: 'API',
      time_in_force: 'IOC',
      price: '100',
      amount: '0.25',
      filled_amount: '0',
      remaining_amount: '0.25',
      status: 'PENDING',
      version: 1,
      fills: [],
    });
    expect(await trades.get(actor, created.id)).toEqual(created);
    const events = await core.events(actor.userId);
    expect(events).toMatchObject([{ type: 'trade.created', data: { id: created.id, amount: 0.25 } }]);
  });

  it('uses the id of the trade as the client order id by default', async () => {
    const created = await create();
    expect(created.client_order_id).toBe(created.id);
  });

  it('keeps 20 digits before and 18 digits after the decimal point exactly', async () => {
    const fine = await core.pair({
      base: 'FINE',
      amount_step: '0',
      price_tick: '0',
      min_amount: '0',
      min_notional: '0',
    });
    account = await core.account(actor, { USDT: '99999999999999999999' });
    const amount = '12345678901234567890.123456789012345678';
    const created = await create({ trade_pair_id: fine.id, amount, price: '0.000000000000000001' });
    expect(created).toMatchObject({ amount, price: '0.000000000000000001' });
  });

  it('accepts a client order id once per account, and the same id on another account', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => create({ client_order_id: 'same' })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({
          code: 'already_exists',
          details: [{ field: 'client_order_id' }],
        });
      }
    }
    account = await core.account(actor);
    await expect(create({ client_order_id: 'same' })).resolves.toMatchObject({ client_order_id: 'same' });
    expect(await core.events(actor.userId)).toHaveLength(2);
  });

  it('happens once for equal requests with one Idempotency-Key, even if they are concurrent', async () => {
    const idempotentActor = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'key-1') };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => trades.create(idempotentActor, inputOf())),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await countTrades()).toBe(1);
    const replay = await trades.create(idempotentActor, inputOf()).catch((thrown) => thrown);
    expect(replay).toBeInstanceOf(ResponseReplayed);
    expect(JSON.parse(replay.response.body.toString())).toMatchObject({ status: 'PENDING' });
  });

  it('is rejected without the permission TRADE and stores nothing', async () => {
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ'] as const } };
    await expect(trades.create(reader, inputOf())).rejects.toMatchObject({
      code: 'permission_denied',
      details: [{ permission: 'TRADE' }],
    });
    expect(await countTrades()).toBe(0);
  });

  it.each([
    ['an unknown account', { exchange_account_id: encodeId('exa', newUuid()) }, 'exchange_account_id'],
    ['a malformed account', { exchange_account_id: 'exa_nonsense' }, 'exchange_account_id'],
    ['an unknown pair', { trade_pair_id: encodeId('tpr', newUuid()) }, 'trade_pair_id'],
    ['a pair with the id prefix of a trade', { trade_pair_id: encodeId('trd', newUuid()) }, 'trade_pair_id'],
    ['an unknown strategy', { strategy_id: encodeId('str', newUuid()) }, 'strategy_id'],
  ])('rejects %s as not found', async (_case, overrides, field) => {
    await expect(create(overrides)).rejects.toMatchObject({ code: 'not_found', details: [{ field }] });
    expect(await countTrades()).toBe(0);
  });

  it('is rejected on an inactive account or pair, and on a pair of another exchange', async () => {
    const idle = await core.account(actor, { USDT: '1000' }, { isActive: false });
    await expect(create({ exchange_account_id: idle.id })).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'INACTIVE' }],
    });
    const halted = await core.pair({ base: 'HALTED', is_active: false });
    await expect(create({ trade_pair_id: halted.id })).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ field: 'trade_pair_id', state: 'INACTIVE' }],
    });
    for (const columns of [{ exchange: 'other' }, { trading_type: 'perpetual' }]) {
      const elsewhere = await core.pair({ base: 'ELSE', ...columns });
      await expect(create({ trade_pair_id: elsewhere.id })).rejects.toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'trade_pair_id', code: 'other_exchange' }],
      });
    }
  });

  it('rejects reduce_only on spot', async () => {
    await expect(create({ reduce_only: true })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'reduce_only', code: 'not_allowed' }],
    });
  });

  it('row 14: reports every rule of the exchange that the order breaks, with value and limit', async () => {
    const strict = await core.pair({ base: 'STRICT', min_amount: '5', min_notional: '1000' });
    await expect(create({ trade_pair_id: strict.id, amount: '0.001', price: '0.005' })).rejects.toMatchObject(
      {
        code: 'exchange_rule_violated',
        details: [
          { field: 'amount', rule: 'amount_step', value: '0.001', limit: '0.01' },
          { field: 'amount', rule: 'min_amount', value: '0.001', limit: '5' },
          { field: 'price', rule: 'price_tick', value: '0.005', limit: '0.01' },
          { field: 'amount', rule: 'min_notional', value: '0.000005', limit: '1000' },
        ],
      },
    );
  });

  it.each(['BUY', 'SELL'])(
    'rejects a %s whose cost has too many digits to be stored, however large the balance',
    async (side) => {
      const nines = '9'.repeat(20);
      account = await core.account(actor, { USDT: '1'.padEnd(40, '0'), BTC: '1'.padEnd(40, '0') });
      for (const [price, amount] of [
        [nines, nines],
        [nines, '1.01'],
        ['10000000000', '10000000000'],
      ]) {
        await expect(create({ side, price, amount })).rejects.toMatchObject({
          code: 'validation_failed',
          details: [{ field: 'amount', code: 'too_many_digits' }],
        });
      }
      await expect(create({ side, price: '9999999999', amount: '10000000000' })).resolves.toBeDefined();
    },
  );
});

describe('balances', () => {
  it('that cover 10 orders accept exactly 10 of 30 concurrent orders', async () => {
    account = await core.account(actor, { USDT: '1000.5' });
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => create()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({
          code: 'insufficient_balance',
          details: [{ asset: 'USDT', needed: '100', free: '0.5' }],
        });
      }
    }
    expect(await countTrades()).toBe(10);
  });

  it('of the base asset limit sells; a sell needs no quote currency', async () => {
    account = await core.account(actor, { BTC: '3' });
    const sells = Array.from({ length: 12 }, () => create({ side: 'SELL', amount: '0.6' }));
    const outcomes = await Promise.allSettled(sells);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    await expect(create()).rejects.toMatchObject({ code: 'insufficient_balance' });
  });

  it('already account for orders acknowledged before the balances were read, but not for later ones', async () => {
    account = await core.account(actor, { USDT: '1000' });
    const [before, after] = [await create({ amount: '4' }), await create({ amount: '3' })];
    await expect(create({ amount: '3.01' })).rejects.toMatchObject({ code: 'insufficient_balance' });
    await acknowledge(before);
    const takenAt = await accountSync.databaseTime();
    await acknowledge(after);
    await accountSync.storeBalances(account.uuid, { USDT: { free: '600', locked: '400' } }, takenAt);
    await expect(create({ amount: '3.01' })).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [{ free: '300' }],
    });
    await expect(create({ amount: '3' })).resolves.toBeDefined();
  });

  it('are free again once a trade is cancelled or failed without a fill', async () => {
    account = await core.account(actor, { USDT: '100' });
    for (const status of ['CANCELLED', 'REJECTED'] as const) {
      const trade = await create();
      await expect(create()).rejects.toMatchObject({ code: 'insufficient_balance' });
      await acknowledge(trade, status);
    }
    const unsent = await create();
    await execution.requestCancellation(await uuidOf(unsent));
    await expect(create()).resolves.toBeDefined();
  });

  it('are separate for each account and for each asset', async () => {
    account = await core.account(actor, { USDT: '100', BTC: '1' });
    await create();
    await expect(create({ side: 'SELL' })).resolves.toBeDefined();
    account = await core.account(actor, { USDT: '100' });
    await expect(create()).resolves.toBeDefined();
  });

  it('for a market order are checked at the last price; without a last price only the exchange checks them', async () => {
    account = await core.account(actor, { USDT: '100' });
    const priced = await core.pair({ base: 'PRICED', last_price: '50.5' });
    const market = { type: 'MARKET', price: undefined, trade_pair_id: priced.id };
    await expect(create({ ...market, amount: '2' })).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [{ needed: '101' }],
    });
    const unpriced = await core.pair({ base: 'UNPRICED' });
    await expect(create({ ...market, trade_pair_id: unpriced.id, amount: '2' })).resolves.toBeDefined();
  });

  it('that were never read are read before an order is checked', async () => {
    account = await core.account(actor, null);
    const synced: string[] = [];
    const serving = serveWorkerCalls(
      await core.openSecondPlatform(),
      {
        'exchange_account.sync': async ({ account_id }) => {
          synced.push(account_id);
          const balances = { USDT: { free: '100', locked: '0' } };
          await accountSync.storeBalances(account_id, balances, await accountSync.databaseTime());
          return null;
        },
      },
      () => undefined,
    );
    await expect(create()).resolves.toMatchObject({ status: 'PENDING' });
    await expect(create()).rejects.toMatchObject({ code: 'insufficient_balance' });
    await serving.stop();
    expect(synced).toEqual([account.uuid]);
  });
});

describe('trades that were not sent yet', () => {
  let other: RecordIds;
  beforeAll(async () => {
    other = await core.pair({ base: 'LTC' });
  });

  /** Returns the trades in the order in which the worker sends them. */
  const unsent = async () => (await execution.findUnsent([account.uuid], 10)).map(({ id }) => id);

  it('are sent in the order of their creation if they are of one pair', async () => {
    const created = [];
    for (const side of ['BUY', 'SELL', 'SELL', 'BUY', 'SELL'])
      created.push(await uuidOf(await create({ side })));
    expect(await unsent()).toEqual(created);
  });

  it('are sent sales first if they are of several pairs, or if the sale is older', async () => {
    account = await core.account(actor, { USDT: '1000', LTC: '1' });
    const purchase = await uuidOf(await create({ side: 'BUY' }));
    const sale = await uuidOf(await create({ side: 'SELL', trade_pair_id: other.id }));
    const later = await uuidOf(await create({ side: 'BUY', trade_pair_id: other.id }));
    expect(await unsent()).toEqual([sale, purchase, later]);
  });

  it('do not hold up a sale once they were sent', async () => {
    const resting = await create({ side: 'BUY' });
    await acknowledge(resting);
    const purchase = await uuidOf(await create({ side: 'BUY', trade_pair_id: other.id }));
    const sale = await uuidOf(await create({ side: 'SELL' }));
    expect(await unsent()).toEqual([sale, purchase]);
  });
});

describe('cancelling a trade', () => {
  /** Serves `trade.cancel` as a trading worker does, with `work` as the handler. */
  const serveCancel = async (work: (tradeUuid: string) => Promise<unknown>) =>
    serveWorkerCalls(
      await core.openSecondPlatform(),
      {
        'trade.cancel': async ({ trade_id }) => {
          await work(trade_id);
          return null;
        },
      },
      () => undefined,
    );

  it('returns the trade as the worker left it, and 409 if it has already ended', async () => {
    const trade = await create();
    const serving = await serveCancel((uuid) => execution.requestCancellation(uuid));
    await expect(trades.cancel(actor, trade.id)).resolves.toMatchObject({
      id: trade.id,
      status: 'CANCELLED',
      cancel_reason: 'USER',
    });
    await expect(trades.cancel(actor, trade.id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: [{ state: 'CANCELLED' }],
    });
    await serving.stop();
  });

  it('returns 502 and stores no response if the exchange has not confirmed it yet', async () => {
    const trade = await create();
    const idempotentActor = { ...actor, idempotency: core.idempotencyContext(actor.userId, 'cancel-1') };
    const idle = await serveCancel(async () => undefined);
    await expect(trades.cancel(idempotentActor, trade.id)).rejects.toMatchObject({
      code: 'exchange_unavailable',
    });
    await idle.stop();
    const serving = await serveCancel((uuid) => execution.requestCancellation(uuid));
    await expect(trades.cancel(idempotentActor, trade.id)).resolves.toMatchObject({ status: 'CANCELLED' });
    await serving.stop();
  });
});

describe("another user's records", () => {
  it('are not found by any operation', async () => {
    const trade = await create();
    const other = await core.actor();
    const errorOfUnknownId = await trades.get(other, encodeId('trd', newUuid())).catch((thrown) => thrown);
    for (const attempt of [
      () => trades.get(other, trade.id),
      () => trades.cancel(other, trade.id),
      () => trades.get(other, 'trd_nonsense'),
    ]) {
      const error = await attempt().catch((thrown) => thrown);
      expect(error).toMatchObject({ code: 'not_found', message: errorOfUnknownId.message, details: [] });
    }
    await expect(trades.create(other, inputOf())).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'exchange_account_id' }],
    });
    await expect(trades.list(other, queryOf(`exchange_account_id=${account.id}`))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await trades.list(other, queryOf(''))).items).toEqual([]);
  });
});

describe('the list of trades', () => {
  it("shows the actor's trades newest first, and can be filtered by status, side and account", async () => {
    const first = await create();
    const second = await create({ side: 'SELL' });
    await execution.requestCancellation(await uuidOf(first));
    const elsewhere = await core.account(actor);
    const third = await create({ exchange_account_id: elsewhere.id });
    const ids = async (query: string) => (await trades.list(actor, queryOf(query))).items.map(({ id }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('order=asc&sort=updated_at')).toEqual([second.id, first.id, third.id]);
    expect(await ids('status=CANCELLED')).toEqual([first.id]);
    expect(await ids('side=SELL')).toEqual([second.id]);
    expect(await ids(`exchange_account_id=${elsewhere.id}`)).toEqual([third.id]);
    expect(await ids(`exchange_account_id=${elsewhere.id}&side=SELL`)).toEqual([]);
    await expect(ids(`strategy_id=${encodeId('str', newUuid())}`)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('row 11: has pages that neither skip nor repeat a trade while trades are added', async () => {
    const created = new Set<string>();
    for (let i = 0; i < 5; i++) created.add((await create()).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await trades.list(actor, queryOf(`limit=2${cursor}`));
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.pagination.has_more ? `&cursor=${page.pagination.next_cursor}` : '';
      await create();
    } while (cursor !== '');
    expect(seen).toHaveLength(5);
    expect(new Set(seen)).toEqual(created);
  });

  it('row 11: can be read page by page in the order of the last change', async () => {
    const created: TradeDetail[] = [];
    for (let i = 0; i < 4; i++) created.push(await create());
    await acknowledge(created[1]!, 'CANCELLED');
    await acknowledge(created[0]!);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await trades.list(actor, queryOf(`limit=1&sort=updated_at&order=asc${cursor}`));
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.pagination.has_more ? `&cursor=${page.pagination.next_cursor}` : '';
    } while (cursor !== '');
    expect(seen).toEqual([2, 3, 1, 0].map((i) => created[i]!.id));
  });

  it('has cursors that are valid only for their user and query', async () => {
    for (let i = 0; i < 3; i++) await create();
    const { pagination } = await trades.list(actor, queryOf('limit=1&side=BUY'));
    const cursor = `cursor=${pagination.next_cursor}`;
    await expect(trades.list(actor, queryOf(`limit=1&side=BUY&${cursor}`))).resolves.toBeDefined();
    for (const query of [
      '',
      'side=SELL&',
      'side=BUY&status=PENDING&',
      'side=BUY&sort=updated_at&',
      'side=BUY&order=asc&',
    ]) {
      await expect(trades.list(actor, queryOf(`${query}${cursor}`))).rejects.toMatchObject({
        code: 'invalid_query',
        details: [{ field: 'cursor' }],
      });
    }
    const other = await core.actor();
    await expect(trades.list(other, queryOf(`side=BUY&${cursor}`))).rejects.toMatchObject({
      code: 'invalid_query',
    });
  });

  it('still includes the trades of a removed account', async () => {
    const trade = await create();
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      account.uuid,
    );
    const page = await trades.list(actor, queryOf(`exchange_account_id=${account.id}`));
    expect(page.items.map(({ id }) => id)).toEqual([trade.id]);
    await expect(create()).rejects.toMatchObject({ code: 'not_found' });
  });
});
