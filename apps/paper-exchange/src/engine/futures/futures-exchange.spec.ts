import { FUTURES_ERRORS } from '../../futures-errors.js';
import { BTC, TestFutures, UNIT } from '../../testing/test-futures.js';
import { contractOf, markOfTicks } from './contracts.js';

const ETH = contractOf('ETHUSDT');

const usdt = (amount: number) => BigInt(Math.round(amount * 100)) * (UNIT / 100n);
const codeOf = (error: { code: number }) => expect.objectContaining({ code: error.code });

describe('the futures exchange', () => {
  let futures: TestFutures;
  beforeEach(() => {
    futures = new TestFutures({ makerPpm: 0, takerPpm: 0 });
    futures.setMark(600_000);
    futures.quote(600_000);
    futures.fund('a', 10_000);
  });
  afterEach(() => expect(futures.state.total()).toBe(futures.state.deposited));

  const buy = (lots: number, terms = {}) => futures.place('a', { type: 'MARKET', lots, ...terms });
  const sell = (lots: number, terms = {}) => buy(lots, { side: 'SELL', ...terms });
  const wallet = () => futures.state.account('a').cross;

  it('averages the entry price, keeps it when the position shrinks, and starts anew when it flips', () => {
    buy(1_000);
    futures.quote(600_200);
    buy(1_000);
    expect(futures.position('a')).toMatchObject({ lots: 2_000, cost: usdt(60_000.1 + 60_020.1) });
    futures.quote(600_400);
    sell(500);
    expect(futures.position('a')).toMatchObject({ lots: 1_500, cost: usdt(90_015.15) });
    expect(wallet()).toBe(usdt(10_000 + 30_019.95 - 30_005.05));
    sell(2_000);
    expect(futures.position('a')).toMatchObject({ lots: -500, cost: -usdt(30_019.95) });
    expect(futures.state.fillsOf('a').map(({ realized }) => realized)).toEqual([
      0n,
      0n,
      usdt(14.9),
      usdt(90_059.85 - 90_015.15),
    ]);
  });

  it('charges fees in USDT from the wallet', () => {
    futures = new TestFutures();
    futures.quote(600_000);
    futures.fund('a', 10_000);
    buy(1_000);
    expect(futures.state.account('fees').cross).toBe((usdt(60_000.1) * 500n) / 1_000_000n);
    expect(futures.state.incomesOf('a').map(({ type }) => type)).toEqual(['TRANSFER', 'COMMISSION']);
  });

  it('refuses an order beyond the available margin, and lets one reduce the position without any', () => {
    buy(3_000);
    expect(() => buy(1_000)).toThrow(codeOf(FUTURES_ERRORS.marginInsufficient()));
    futures.setMark(591_000);
    expect(futures.exchange.margins.of(futures.state.account('a')).available).toBeLessThan(usdt(1_000));
    sell(3_000);
    expect(futures.position('a').lots).toBe(0);
  });

  it('funds isolated margin by the wallet alone, which must cover all isolated orders together', () => {
    const { exchange, state } = futures;
    const account = futures.fund('b', 1_000);
    exchange.setMark(ETH, markOfTicks(ETH, 300_000), true);
    exchange.settings.setIsolated(account, ETH, true);
    exchange.placeQuote(ETH, 'SELL', 300_000, 1_000_000);
    const buyEth = (lots: number, terms = {}) =>
      exchange.place(account, ETH, futures.request({ lots, priceTicks: 300_000, ...terms }));
    futures.place('b', { type: 'MARKET', lots: 100 });
    futures.setMark(800_000);
    expect(exchange.margins.of(account).available).toBeGreaterThan(usdt(2_000));
    // 40,000 USDT at a leverage of 20 need 2,000 USDT.
    expect(() => buyEth(13_333)).toThrow(codeOf(FUTURES_ERRORS.marginInsufficient()));
    const resting = buyEth(4_000, { priceTicks: 299_000 });
    expect(() => buyEth(3_000)).toThrow(codeOf(FUTURES_ERRORS.marginInsufficient()));
    expect(() => exchange.settings.setLeverage(account, ETH, 10)).toThrow(
      codeOf(FUTURES_ERRORS.leverageTooSmall()),
    );
    expect(() => exchange.amend(resting, 7_000, 299_000)).toThrow(
      codeOf(FUTURES_ERRORS.marginInsufficient()),
    );
    exchange.cancel(resting);
    buyEth(6_000);
    expect(account.positions.get(ETH.id)).toMatchObject({ lots: 6_000, isolated: usdt(900) });
    expect(() => exchange.settings.moveMargin(account, ETH, usdt(101))).toThrow(
      codeOf(FUTURES_ERRORS.crossTooSmall()),
    );
    // An order with cross margin may still use the unrealised profit.
    futures.place('b', { priceTicks: 600_000, lots: 100 });
    expect(state.ordersOf('b').every(({ forced }) => forced === undefined)).toBe(true);
  });

  it('counts open orders on one side only, and refuses more than the bracket of the leverage allows', () => {
    const { settings, margins } = futures.exchange;
    const account = futures.state.account('a');
    futures.place('a', { priceTicks: 590_000 });
    futures.place('a', { side: 'SELL', priceTicks: 610_000 });
    expect(margins.of(account).available).toBe(usdt(10_000 - 3_050));
    settings.setLeverage(account, BTC, 125);
    expect(() => futures.place('a', { priceTicks: 590_000, lots: 6_000 })).toThrow(
      codeOf(FUTURES_ERRORS.maxPosition()),
    );
    expect(() => settings.setLeverage(account, BTC, 126)).toThrow(codeOf(FUTURES_ERRORS.badLeverage(126)));
  });

  it('refuses reduce-only orders that would not reduce, and fits the others to the position', () => {
    expect(() => sell(1_000, { isReduceOnly: true })).toThrow(codeOf(FUTURES_ERRORS.reduceOnlyRejected()));
    buy(1_000);
    expect(() => buy(1, { isReduceOnly: true })).toThrow(codeOf(FUTURES_ERRORS.reduceOnlyRejected()));
    const resting = { side: 'SELL', isReduceOnly: true, priceTicks: 610_000 } as const;
    const [first, second] = [
      futures.place('a', { ...resting, lots: 5_000 }),
      futures.place('a', { ...resting, lots: 300 }),
    ];
    expect([first.lots, second.lots]).toEqual([1_000, 300]);
    sell(600);
    expect([first, second]).toMatchObject([
      { lots: 400, status: 'NEW' },
      { lots: 300, status: 'NEW' },
    ]);
    sell(400);
    expect([first.status, second.status]).toEqual(['EXPIRED', 'EXPIRED']);
    expect(futures.exchange.book(BTC).levels().asks).toEqual([[600_001, 999_000]]);
  });

  it('never flips a position by resting reduce-only orders, even if one trade takes several of them', () => {
    buy(1_000);
    futures.place('a', { side: 'SELL', priceTicks: 600_500, lots: 800 });
    const reducing = futures.place('a', { side: 'SELL', priceTicks: 600_600, lots: 800, isReduceOnly: true });
    futures.exchange.cancelQuotes(BTC);
    futures.exchange.take(BTC, 'BUY', 1_600, 600_600);
    futures.exchange.commitHouseOrders(BTC);
    expect(futures.position('a').lots).toBe(0);
    expect(reducing).toMatchObject({ executedLots: 200, lots: 800, status: 'EXPIRED' });
  });

  it('refuses post-only orders that would take, and FOK orders that cannot fill', () => {
    expect(() => futures.place('a', { timeInForce: 'GTX', priceTicks: 600_001, lots: 10 })).toThrow(
      codeOf(FUTURES_ERRORS.gtxRejected()),
    );
    futures.fund('a', 10_000_000);
    futures.quote(600_000, 100);
    const terms = { timeInForce: 'FOK', priceTicks: 600_001 } as const;
    expect(() => futures.place('a', { ...terms, lots: 101 })).toThrow(codeOf(FUTURES_ERRORS.fokRejected()));
    expect(futures.place('a', { ...terms, lots: 100 }).status).toBe('FILLED');
    expect(futures.place('a', { timeInForce: 'IOC', priceTicks: 600_001, lots: 100 }).status).toBe('EXPIRED');
    expect(futures.place('a', { timeInForce: 'GTX', priceTicks: 599_999, lots: 10 }).status).toBe('NEW');
  });

  it('expires a market order for what the book does not have, and needs margin for the rest only', () => {
    futures.quote(600_000, 100);
    expect(sell(5_000)).toMatchObject({ executedLots: 100, status: 'EXPIRED' });
    futures.exchange.cancelQuotes(BTC);
    expect(sell(5_000)).toMatchObject({ executedLots: 0, status: 'EXPIRED' });
    expect(buy(5_000)).toMatchObject({ executedLots: 0, status: 'EXPIRED' });
  });

  it('enforces tick, size, notional, price distance and unique client order ids', () => {
    const refused = (terms: Parameters<TestFutures['place']>[1], error: { code: number }) =>
      expect(() => futures.place('a', terms)).toThrow(codeOf(error));
    refused({ lots: 0 }, FUTURES_ERRORS.quantityTooLow());
    refused({ lots: BTC.maxLots + 1 }, FUTURES_ERRORS.quantityAboveMax());
    refused({ priceTicks: 0 }, FUTURES_ERRORS.priceTooLow());
    refused({ priceTicks: 1, lots: 10 }, FUTURES_ERRORS.minNotional('50.0'));
    refused({ priceTicks: 630_001, lots: 10 }, FUTURES_ERRORS.priceAbovePercent(''));
    refused({ side: 'SELL', priceTicks: 569_999, lots: 10 }, FUTURES_ERRORS.priceBelowPercent(''));
    futures.place('a', { clientOrderId: 'same', priceTicks: 590_000 });
    refused({ clientOrderId: 'same', priceTicks: 590_000 }, FUTURES_ERRORS.duplicateClientOrderId());
  });

  it('amends price and amount of an order, and cancels it at an amount that is filled', () => {
    const order = futures.place('a', { priceTicks: 590_000, lots: 500 });
    expect(futures.exchange.amend(order, 600, 591_000)).toMatchObject({
      id: order.id,
      lots: 600,
      status: 'NEW',
    });
    expect(futures.exchange.book(BTC).levels().bids[1]).toEqual([591_000, 600]);
    expect(() => futures.exchange.amend(order, 600, 591_000)).toThrow(codeOf(FUTURES_ERRORS.sameOrder()));
    futures.exchange.take(BTC, 'SELL', 1_000_200, 591_000);
    futures.exchange.commitHouseOrders(BTC);
    expect(futures.exchange.amend(order, 200, 591_000)).toMatchObject({
      executedLots: 200,
      status: 'CANCELED',
    });
  });

  it('keeps an order as it is if its amendment breaks a filter, even to an amount that is filled', () => {
    const order = futures.place('a', { priceTicks: 590_000, lots: 500 });
    const refused = (lots: number, ticks: number, error: { code: number }) => {
      expect(() => futures.exchange.amend(order, lots, ticks)).toThrow(codeOf(error));
      expect(order).toMatchObject({ lots: 500, priceTicks: 590_000, status: 'NEW' });
    };
    refused(0, 590_000, FUTURES_ERRORS.quantityTooLow());
    refused(500, 0, FUTURES_ERRORS.priceTooLow());
    refused(500, 700_000, FUTURES_ERRORS.priceAbovePercent(''));
    expect(futures.exchange.book(BTC).levels().bids[1]).toEqual([590_000, 500]);
    futures.exchange.take(BTC, 'SELL', 1_000_200, 590_000);
    futures.exchange.commitHouseOrders(BTC);
    expect(() => futures.exchange.amend(order, 0, 590_000)).toThrow(codeOf(FUTURES_ERRORS.quantityTooLow()));
    expect(order).toMatchObject({ executedLots: 200, status: 'PARTIALLY_FILLED' });
  });

  it('cancels a post-only order that is amended to a price at which it would take', () => {
    const terms = { timeInForce: 'GTX', priceTicks: 590_000, lots: 500 } as const;
    const order = futures.place('a', terms);
    expect(futures.exchange.amend(order, 500, 600_000)).toMatchObject({ priceTicks: 600_000, status: 'NEW' });
    expect(futures.exchange.amend(order, 600, 600_001)).toMatchObject({
      lots: 500,
      priceTicks: 600_000,
      executedLots: 0,
      status: 'CANCELED',
    });
    expect(futures.exchange.book(BTC).levels().bids).toEqual([[599_999, 1_000_000]]);
    expect(futures.replayed().order(order.id)).toMatchObject({ status: 'CANCELED' });
    const resting = futures.place('a', terms);
    expect(() => futures.exchange.amend(resting, 500, 700_000)).toThrow(
      codeOf(FUTURES_ERRORS.priceAbovePercent('')),
    );
    expect(resting.status).toBe('NEW');
  });

  it('expires an order that would trade with an order of the same account', () => {
    futures.exchange.cancelQuotes(BTC);
    futures.place('a', { lots: 100 });
    expect(futures.place('a', { side: 'SELL', lots: 100 }).status).toBe('EXPIRED_IN_MATCH');
  });
});

describe('conditional orders', () => {
  let futures: TestFutures;
  beforeEach(() => {
    futures = new TestFutures({ makerPpm: 0, takerPpm: 0 });
    futures.quote(600_000);
    futures.exchange.setLastPrice(BTC, 600_000);
    futures.setMark(600_000);
    futures.fund('a', 10_000);
    futures.place('a', { type: 'MARKET', lots: 1_000 });
  });

  it('trigger by the contract price or by the mark price, and close the position', () => {
    const byPrice = futures.placeAlgo('a', { isClosePosition: true, lots: 0 });
    const byMark = futures.placeAlgo('a', { workingType: 'MARK_PRICE', lots: 400 });
    futures.setMark(589_000);
    expect([byPrice.status, byMark.status]).toEqual(['NEW', 'FINISHED']);
    futures.exchange.setLastPrice(BTC, 589_000);
    futures.exchange.commitHouseOrders(BTC);
    expect(byPrice.status).toBe('FINISHED');
    expect(futures.position('a').lots).toBe(0);
    expect(futures.state.order(byPrice.orderId!)).toMatchObject({
      clientOrderId: byPrice.clientAlgoId,
      lots: 600,
      isReduceOnly: true,
    });
  });

  it('are refused if they would trigger at once, and rejected at the trigger if their order is', () => {
    expect(() => futures.placeAlgo('a', { triggerTicks: 600_001 })).toThrow(
      codeOf(FUTURES_ERRORS.wouldTrigger()),
    );
    const limit = futures.placeAlgo('a', {
      type: 'TAKE_PROFIT',
      priceTicks: 610_000,
      triggerTicks: 610_000,
      isReduceOnly: true,
      workingType: 'MARK_PRICE',
    });
    futures.place('a', { type: 'MARKET', side: 'SELL', lots: 1_000 });
    futures.setMark(610_000);
    expect(limit).toMatchObject({ status: 'REJECTED', failure: 'ReduceOnly Order is rejected.' });
  });

  it('finish once the order that they placed is closed', () => {
    const algo = futures.placeAlgo('a', {
      type: 'TAKE_PROFIT',
      priceTicks: 612_000,
      triggerTicks: 610_000,
      workingType: 'MARK_PRICE',
    });
    futures.setMark(610_000);
    expect(algo.status).toBe('TRIGGERED');
    expect(() => futures.exchange.algos.cancel(algo)).toThrow(expect.objectContaining({ code: -2011 }));
    futures.exchange.cancel(futures.state.order(algo.orderId!)!);
    expect(algo.status).toBe('FINISHED');
    expect(futures.replayed().algoOrder(algo.id)).toEqual(algo);
  });

  it('trail the price by a distance after their activation', () => {
    const algo = futures.placeAlgo('a', {
      type: 'TRAILING_STOP_MARKET',
      triggerTicks: 605_000,
      trailingBips: 100,
      workingType: 'MARK_PRICE',
      isReduceOnly: true,
    });
    for (const ticks of [598_000, 606_000, 610_000, 604_000]) futures.setMark(ticks);
    expect(algo.status).toBe('NEW');
    futures.setMark(603_900);
    expect(algo.status).toBe('FINISHED');
  });
});
