import { outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** The paper exchange runs without its market maker: only users of these tests trade, so every fill is predictable. */

/** @type {import('./product.mjs').Product} */
let product;
let maker;
let taker;
beforeAll(async () => {
  product = await startProduct({ extraEnv: { 'paper-exchange': { MARKET: 'off' } } });
  maker = await openTrader(product, 'trades: maker');
  taker = await openTrader(product, 'trades: taker');
}, 120_000);
afterAll(() => product?.stop());

const place = ({ api, account, pair }, order) =>
  api.trades.create({ exchange_account_id: account.id, trade_pair_id: pair.id, ...order });
const limit = (side, price, amount, extraFields = {}) => ({
  type: 'LIMIT',
  side,
  price,
  amount,
  ...extraFields,
});
/** Waits until the trade has the expected fields, and returns it. */
const untilTrade = ({ api }, { id }, expected) =>
  until(
    () => api.trades.get(id),
    (trade) => Object.entries(expected).every(([name, value]) => trade[name] === value),
  );
const untilResting = (owner, trade) =>
  untilTrade(owner, trade, { status: 'PENDING', sub_status: 'ACCEPTED' });
const placeResting = async (owner, order) => untilResting(owner, await place(owner, order));
const isRejected = (status, code) => expect.objectContaining({ status, code });

describe('a trade', () => {
  it('moves from PENDING through PARTIALLY_FILLED to FILLED, with its fills and a growing version', async () => {
    const offer = await placeResting(maker, limit('SELL', 60_000, '0.03'));
    const first = await untilTrade(taker, await place(taker, limit('BUY', 60_000, '0.01')), {
      status: 'FILLED',
    });
    expect(first.fills).toMatchObject([{ price: 60_000, amount: 0.01, liquidity: 'TAKER' }]);
    const part = await untilTrade(maker, offer, { status: 'PARTIALLY_FILLED', filled_amount: 0.01 });
    expect(part).toMatchObject({ remaining_amount: 0.02, average_price: 60_000, cost: 600 });
    await place(taker, { type: 'MARKET', side: 'BUY', amount: '0.02' });
    const whole = await untilTrade(maker, offer, { status: 'FILLED' });
    expect(whole).toMatchObject({ filled_amount: 0.03, cost: 1_800, fee: { amount: 1.8, currency: 'USDT' } });
    expect(whole.fills).toHaveLength(2);
    expect(whole.version).toBeGreaterThan(part.version);
  });

  it('cancelled after a partial fill keeps what was filled', async () => {
    const offer = await placeResting(maker, limit('SELL', 60_000, '0.03'));
    await place(taker, limit('BUY', 60_000, '0.01'));
    await untilTrade(maker, offer, { status: 'PARTIALLY_FILLED' });
    const cancelled = await maker.api.trades.cancel(offer.id);
    expect(cancelled).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER', filled_amount: 0.01 });
    const again = await outcomeOf(maker.api.trades.cancel(offer.id));
    expect(again).toMatchObject({ status: 409, code: 'invalid_state' });
    expect(again.details[0].state).toBe('CANCELLED');
  });

  it('that is FILLED cannot be cancelled', async () => {
    await placeResting(maker, limit('SELL', 60_000, '0.01'));
    const bought = await untilTrade(taker, await place(taker, limit('BUY', 60_000, '0.01')), {
      status: 'FILLED',
    });
    const rejected = await outcomeOf(taker.api.trades.cancel(bought.id));
    expect(rejected).toMatchObject({ status: 409, code: 'invalid_state' });
    expect(rejected.details[0].state).toBe('FILLED');
  });

  it('with IOC is cancelled after the part that fills immediately', async () => {
    await placeResting(maker, limit('SELL', 60_000, '0.01'));
    const order = limit('BUY', 60_000, '0.02', { time_in_force: 'IOC' });
    const trade = await untilTrade(taker, await place(taker, order), { status: 'CANCELLED' });
    expect(trade).toMatchObject({ filled_amount: 0.01, cancel_reason: 'IOC_REMAINDER' });
  });

  it('with FOK is filled completely or not at all', async () => {
    await placeResting(maker, limit('SELL', 60_000, '0.01'));
    const order = limit('BUY', 60_000, '0.02', { time_in_force: 'FOK' });
    const trade = await untilTrade(taker, await place(taker, order), { status: 'CANCELLED' });
    expect(trade).toMatchObject({ filled_amount: 0, fills: [] });
    await untilTrade(taker, await place(taker, limit('BUY', 60_000, '0.01')), { status: 'FILLED' });
  });

  it('with POST_ONLY that would take liquidity is rejected by the exchange and becomes FAILED', async () => {
    const offer = await placeResting(maker, limit('SELL', 60_000, '0.01'));
    const order = limit('BUY', 60_000, '0.01', { time_in_force: 'POST_ONLY' });
    const trade = await untilTrade(taker, await place(taker, order), { status: 'FAILED' });
    expect(trade.failure).toMatchObject({ code: 'would_not_fit_book', message: expect.any(String) });
    await maker.api.trades.cancel(offer.id);
  });

  it('is filled while many others rest on the same account', async () => {
    const offers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => place(maker, limit('SELL', 61_000 + i, '0.01'))),
    );
    await Promise.all(offers.map((offer) => untilResting(maker, offer)));
    await place(taker, limit('BUY', 61_003, '0.04'));
    await Promise.all(offers.slice(0, 4).map((offer) => untilTrade(maker, offer, { status: 'FILLED' })));
    for (const offer of offers.slice(4)) {
      expect(await maker.api.trades.get(offer.id)).toMatchObject({ status: 'PENDING' });
      expect(await maker.api.trades.cancel(offer.id)).toMatchObject({ status: 'CANCELLED' });
    }
  });

  it('reserves its balance as soon as it is placed', async () => {
    const owner = await openTrader(product, 'trades: owner of one bitcoin');
    const sell = (amount) => outcomeOf(place(owner, limit('SELL', 90_000, amount)));
    const { data: trade } = await sell('1');
    expect(await sell('0.1')).toMatchObject({ status: 422, code: 'insufficient_balance' });
    await untilResting(owner, trade);
    expect(await sell('0.1')).toMatchObject({ status: 422 });
    await owner.api.trades.cancel(trade.id);
    // The balance of the cancelled order is free again after the next balance sync.
    await until(
      () => sell('0.1'),
      ({ status }) => status === 201,
    );
  });
});

describe('an exchange account', () => {
  it('with open trades cannot be deleted; without open trades it can, and its trades stay readable', async () => {
    const owner = await openTrader(product, 'trades: leaver');
    const trade = await placeResting(owner, limit('BUY', 10_000, '0.001'));
    await expect(owner.api.exchanges.delete(owner.account.id)).rejects.toEqual(
      isRejected(409, 'invalid_state'),
    );
    await owner.api.trades.cancel(trade.id);
    expect(await owner.api.exchanges.delete(owner.account.id)).toEqual({
      id: owner.account.id,
      deleted: true,
    });
    await expect(owner.api.exchanges.get(owner.account.id)).rejects.toEqual(isRejected(404, 'not_found'));
    expect(await owner.api.trades.get(trade.id)).toMatchObject({ status: 'CANCELLED' });
  });

  it('is not created with credentials that the exchange rejects', async () => {
    const credentials = { api_key: 'unknown', api_secret: 'unknown' };
    const body = { exchange: 'paper', account_name: 'x', trading_type: 'spot', credentials };
    const { account_name: _name, ...test } = body;
    const areRejected = isRejected(422, 'exchange_credentials_rejected');
    await expect(maker.api.exchanges.create(body)).rejects.toEqual(areRejected);
    await expect(maker.api.exchanges.test(test)).rejects.toEqual(areRejected);
    expect((await maker.api.exchanges.list()).data).toHaveLength(1);
  });
});
