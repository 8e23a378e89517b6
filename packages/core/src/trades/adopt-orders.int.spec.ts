/**
 * Tests external orders that could be mistaken for another external order or for an order of ours.
 * A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md.
 */
import type { VenueOrder } from '@trading-automation/exchanges';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';

let env: OrdersUnderTest;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const tradesOf = (accountId = env.account.uuid) =>
  env.core.rows('SELECT * FROM trades WHERE exchange_account_id = $1 ORDER BY created_at, id', accountId);
const openAmountOf = (accountId = env.account.uuid) =>
  env.core.row(
    'SELECT coalesce(sum(open_amount), 0)::float8 AS amount FROM lots WHERE exchange_account_id = $1',
    accountId,
  );

describe('a client order id that the exchange reports for two orders', () => {
  it('rule 23: identifies two trades if both orders are external, so that the second order does not change the first trade', async () => {
    const first = venueOrderOf('first', { venueClientOrderId: 'bot-1', status: 'FILLED', filledAmount: '1' });
    await env.execution.adopt(env.account.uuid, [first], [venueFillOf('first', 'a', '1')]);
    const second = venueOrderOf('second', {
      venueClientOrderId: 'bot-1',
      side: 'SELL',
      status: 'FILLED',
      filledAmount: '1',
    });
    const adoptions = [second, second].map((order) =>
      env.execution.adopt(env.account.uuid, [order], [venueFillOf('second', 'a', '1', { side: 'SELL' })]),
    );
    await Promise.all(adoptions);
    const trades = await tradesOf();
    expect(
      trades.map(({ side, status, exchange_order_id }) => ({ side, status, exchange_order_id })),
    ).toEqual([
      { side: 'BUY', status: 'FILLED', exchange_order_id: 'order-first' },
      { side: 'SELL', status: 'FILLED', exchange_order_id: 'order-second' },
    ]);
    expect(await openAmountOf()).toEqual({ amount: 0 });
  });

  it('rule 23: identifies two trades if both orders are adopted together, so that no fill is lost', async () => {
    const orders = ['first', 'second'].map((name) =>
      venueOrderOf(name, { venueClientOrderId: 'adl_autoclose', status: 'FILLED', filledAmount: '1' }),
    );
    const fills = ['first', 'second'].map((name) => venueFillOf(name, 'a', '1'));
    await env.execution.adopt(env.account.uuid, orders, fills);
    expect((await tradesOf()).map(({ status, exchange_order_id }) => [status, exchange_order_id])).toEqual([
      ['FILLED', 'order-first'],
      ['FILLED', 'order-second'],
    ]);
    expect(await openAmountOf()).toEqual({ amount: 2 });
  });

  it('row 1: identifies our trade if we sent it, and the fills of both orders are booked on that trade', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    const orders = ['one', 'two'].map((name) =>
      venueOrderOf(name, { venueClientOrderId: `venue-${id}`, filledAmount: '0.5' }),
    );
    for (const order of orders) {
      const fill = venueFillOf(order.exchangeOrderId, 'a', '0.5', { exchangeOrderId: order.exchangeOrderId });
      await env.execution.adopt(env.account.uuid, [order], [{ ...fill, venueClientOrderId: `venue-${id}` }]);
    }
    expect(await tradesOf()).toHaveLength(1);
    expect(await openAmountOf()).toEqual({ amount: 1 });
  });
});

describe('an order without a client order id', () => {
  const MINUTE_MS = 60_000;
  /** Sends a copy that buys 1 BTC at 100, and adopts an order of the same terms but for `overrides`. */
  async function adoptBeside(overrides: Partial<VenueOrder>, createdAfterMs = 0, id?: string) {
    const sent = id ?? (await env.placeCopy());
    if (id === undefined) await env.claimSubmission(sent);
    const { submitted_at } = await env.storedTrade(sent);
    const createdAt = new Date((submitted_at as Date).getTime() + createdAfterMs);
    const order = venueOrderOf('manual', { venueClientOrderId: '', createdAt, ...overrides });
    return { sent, adopted: await env.execution.adopt(env.account.uuid, [order], []) };
  }

  it.each([
    ['of the same terms', {}, 0],
    ['of the same terms, created a minute before the submission', {}, -MINUTE_MS],
    ['of the same terms, created ten minutes after the submission', {}, 10 * MINUTE_MS],
    ['without a price', { price: undefined }, 0],
  ])('%s is not adopted beside one of ours that was sent', async (_case, overrides, createdAfterMs) => {
    expect((await adoptBeside(overrides, createdAfterMs)).adopted).toEqual([]);
  });

  it.each([
    ['of another side', { side: 'SELL' } as const, 0],
    ['of another amount', { amount: '2' }, 0],
    ['created earlier', {}, -MINUTE_MS - 1],
    ['created later than the other could arrive', {}, 10 * MINUTE_MS + 1],
  ])('%s is adopted beside one of ours that was sent', async (_case, overrides, createdAfterMs) => {
    expect((await adoptBeside(overrides, createdAfterMs)).adopted).toHaveLength(1);
  });

  it('is compared with the amount that was sent, which may be less than that of the trade', async () => {
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    await env.core.rows('UPDATE trades SET capped_amount = 0.5 WHERE id = $1', id);
    expect((await adoptBeside({ amount: '0.5' }, 0, id)).adopted).toEqual([]);
    expect((await adoptBeside({ amount: '1' }, 0, id)).adopted).toHaveLength(1);
  });

  it('is adopted once the exchange has confirmed ours', async () => {
    const { sent, adopted } = await adoptBeside({});
    expect(adopted).toEqual([]);
    await env.execution.storeOrder(sent, venueOrderOf(sent), []);
    expect((await adoptBeside({}, 0, sent)).adopted).toHaveLength(1);
  });
});

describe('an account that is connected twice', () => {
  it('rule 23: does not adopt an order of one connection as an external order of the other', async () => {
    const duplicate = await env.newAccount(env.actor);
    await env.core.rows(
      'UPDATE exchange_accounts SET venue_account_id = $1 WHERE id IN ($2, $3)',
      `uid of ${env.account.uuid}`,
      env.account.uuid,
      duplicate.uuid,
    );
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    const order = venueOrderOf(id, { status: 'FILLED', filledAmount: '1' });
    expect(await env.execution.adopt(duplicate.uuid, [order], [venueFillOf(id, 'a', '1')])).toEqual([]);
    expect(await tradesOf(duplicate.uuid)).toEqual([]);
    await env.execution.adopt(env.account.uuid, [order], [venueFillOf(id, 'a', '1')]);
    expect([await openAmountOf(duplicate.uuid), await openAmountOf()]).toEqual([
      { amount: 0 },
      { amount: 1 },
    ]);
    const external = venueOrderOf('manual', { filledAmount: '0' });
    expect(await env.execution.adopt(duplicate.uuid, [external], [])).toHaveLength(1);
  });

  it('rule 23: does not adopt an order of another trading type that shares its wallet', async () => {
    const margin = await env.core.account(env.actor, {}, { tradingType: 'margin' });
    await env.core.pair({ trading_type: 'margin' });
    const id = await env.placeCopy();
    await env.claimSubmission(id);
    const order = venueOrderOf(id, { status: 'FILLED', filledAmount: '1' });
    const adopted = () => env.execution.adopt(margin.uuid, [order], [venueFillOf(id, 'a', '1')]);
    await env.core.rows(
      'UPDATE exchange_accounts SET venue_account_id = $1, wallet_id = $2 WHERE id IN ($2, $3)',
      `uid of ${env.account.uuid}`,
      env.account.uuid,
      margin.uuid,
    );
    expect(await adopted()).toEqual([]);
    await env.core.rows('UPDATE exchange_accounts SET wallet_id = NULL WHERE id = $1', margin.uuid);
    expect(await adopted()).toHaveLength(1);
  });
});
