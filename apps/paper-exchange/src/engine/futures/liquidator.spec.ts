import { BTC, TestFutures, UNIT } from '../../testing/test-futures.js';
import { type ContractSpec, contractOf, markOfTicks } from './contracts.js';
import { liquidationMark } from './margin.rules.js';

const ETH = contractOf('ETHUSDT');
const usdt = (amount: number) => BigInt(Math.round(amount * 100)) * (UNIT / 100n);

describe('liquidation', () => {
  let futures: TestFutures;
  beforeEach(() => {
    futures = new TestFutures({ makerPpm: 0, takerPpm: 0 });
    futures.setMark(600_000);
    futures.quote(600_000);
    futures.fund('a', 10_000);
  });
  afterEach(() => expect(futures.state.total()).toBe(futures.state.deposited));

  const account = () => futures.state.account('a');
  const insurance = () => futures.state.account('insurance').cross;
  const buy = (lots: number) => futures.place('a', { type: 'MARKET', lots });
  const autocloses = () => futures.state.ordersOf('a').filter(({ forced }) => forced === 'LIQUIDATION');
  const markAtLiquidation = (spec: ContractSpec, equity: bigint) =>
    liquidationMark(spec, futures.position('a'), equity, 0n);

  it('happens exactly below the liquidation price, cancels open orders first, and pays a fee to the insurance fund', () => {
    buy(3_000);
    const open = futures.place('a', { side: 'SELL', priceTicks: 620_000, lots: 1_000 });
    const mark = markAtLiquidation(BTC, account().cross);
    futures.exchange.setMark(BTC, mark + 1, true);
    expect(autocloses()).toEqual([]);
    const before = insurance();
    futures.exchange.setMark(BTC, mark - 1, true);
    expect(open.status).toBe('CANCELED');
    expect(futures.position('a').lots).toBe(0);
    const [order] = autocloses();
    expect(order).toMatchObject({ status: 'FILLED', side: 'SELL', executedLots: 3_000, timeInForce: 'IOC' });
    expect(order?.clientOrderId).toMatch(/^autoclose-\d+$/);
    expect(account().cross).toBe(0n);
    const fee = futures.state.incomesOf('a').find(({ type }) => type === 'INSURANCE_CLEAR');
    expect(insurance() - before).toBe(-fee!.amount);
  });

  it('first reduces a position above the first bracket to the bracket below', () => {
    futures.fund('a', 20_100);
    buy(10_000);
    expect(futures.position('a').lots).toBe(10_000);
    const mark = markAtLiquidation(BTC, account().cross);
    futures.exchange.setMark(BTC, mark - 1, true);
    const [first] = autocloses();
    expect(autocloses()).toHaveLength(1);
    expect(first?.executedLots).toBe(10_000 - Math.floor((300_000 * 1e8) / (mark - 1)));
    expect(futures.position('a').lots).toBe(10_000 - first!.executedLots);
  });

  it('closes a bankrupt position, and the insurance fund pays the loss beyond the margin', () => {
    buy(3_000);
    const before = insurance();
    futures.setMark(500_000);
    expect(futures.position('a').lots).toBe(0);
    expect(account().cross).toBe(0n);
    const [clear] = futures.state.incomesOf('a').filter(({ type }) => type === 'INSURANCE_CLEAR');
    expect(clear?.amount).toBe(usdt(3 * 10_000.1 - 10_000));
    expect(insurance()).toBe(before - clear!.amount);
  });

  it('of an isolated position leaves the rest of the wallet alone', () => {
    futures.exchange.settings.setIsolated(account(), BTC, true);
    futures.exchange.settings.setLeverage(account(), BTC, 50);
    buy(3_000);
    const margin = futures.position('a').isolated;
    expect(margin).toBe(usdt(3 * 60_000.1) / 50n);
    futures.setMark(500_000);
    expect(futures.position('a')).toMatchObject({ lots: 0, isolated: 0n });
    expect(account().cross).toBe(usdt(10_000) - margin);
  });

  it('of a cross account takes the position with the largest maintenance margin first', () => {
    futures.fund('a', 1_000);
    futures.exchange.setMark(ETH, markOfTicks(ETH, 300_000), true);
    futures.exchange.placeQuote(ETH, 'SELL', 300_000, 100_000);
    futures.exchange.commitHouseOrders(ETH);
    futures.exchange.place(account(), ETH, futures.request({ type: 'MARKET', lots: 2_000 }));
    buy(3_000);
    futures.setMark(565_000);
    expect(autocloses().map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(account().positions.get('ETHUSDT')?.lots).toBe(2_000);
  });

  it('is announced by one margin call when the margin is almost used up', () => {
    const calls: string[] = [];
    futures.exchange.onCommit(({ events }) => {
      for (const event of events) if (event.kind === 'margin-call') calls.push(event.accountId);
    });
    buy(3_000);
    for (const ticks of [569_600, 569_500, 600_000, 569_500]) futures.setMark(ticks);
    expect(calls).toEqual(['a', 'a']);
    expect(autocloses()).toEqual([]);
  });
});

describe('funding, auto-deleveraging and settlement', () => {
  let futures: TestFutures;
  beforeEach(() => {
    futures = new TestFutures({ makerPpm: 0, takerPpm: 0 });
    futures.setMark(600_000);
    futures.quote(600_000);
    for (const id of ['a', 'b']) futures.fund(id, 10_000);
    futures.place('a', { type: 'MARKET', lots: 1_000 });
    futures.place('b', { type: 'MARKET', side: 'SELL', lots: 400 });
  });
  afterEach(() => expect(futures.state.total()).toBe(futures.state.deposited));

  const incomes = (id: string) =>
    futures.state
      .incomesOf(id)
      .filter(({ type }) => type === 'FUNDING_FEE')
      .map(({ amount }) => amount);

  it('a positive rate is paid by longs and received by shorts, a negative one the other way', () => {
    futures.exchange.fund(BTC, 10_000);
    futures.exchange.fund(BTC, -25_000);
    expect(incomes('a')).toEqual([usdt(-6), usdt(15)]);
    expect(incomes('b')).toEqual([usdt(2.4), usdt(-6)]);
    const [first, second] = futures.state.contracts.fundingsOf(BTC.id);
    expect(first!.at).toBeLessThan(second!.at);
  });

  it('is paid every eight hours by the clock of the exchange, from the margin of an isolated position', () => {
    const account = futures.fund('c', 10_000);
    futures.exchange.settings.setIsolated(account, BTC, true);
    futures.place('c', { type: 'MARKET', lots: 1_000 });
    const margin = futures.position('c').isolated;
    futures.exchange.fundDue();
    expect(incomes('a')).toEqual([]);
    for (const hours of [8, 12, 16]) {
      futures.now = hours * 3_600_000;
      futures.exchange.fundDue();
    }
    expect(incomes('a')).toEqual([usdt(-6), usdt(-6)]);
    expect(futures.position('c').isolated).toBe(margin - usdt(12));
    futures.now = 24 * 3_600_000;
    futures.exchange.fundDue(false);
    expect(incomes('a')).toHaveLength(2);
    expect(futures.state.contracts.of(BTC.id).nextFundingAt).toBe(32 * 3_600_000);
  });

  it('auto-deleveraging closes a position against the insurance fund at the mark price without a fee', () => {
    futures.setMark(610_000);
    const order = futures.exchange.deleverage(futures.state.account('a'), BTC);
    expect(order).toMatchObject({ clientOrderId: 'adl_autoclose', priceTicks: 610_000, status: 'FILLED' });
    expect(futures.position('a').lots).toBe(0);
    expect(futures.position('insurance').lots).toBe(1_000);
    expect(futures.exchange.deleverage(futures.state.account('a'), BTC)).toBeUndefined();
  });

  it('a delisting closes every position at the mark price, and the contract takes no orders afterwards', () => {
    futures.setMark(605_000);
    futures.exchange.setListed(BTC, false);
    for (const id of ['a', 'b', 'house', 'insurance']) expect(futures.position(id).lots).toBe(0);
    expect(futures.state.account('a').cross).toBe(usdt(10_000 + 499.9));
    expect(futures.state.ordersOf('a').at(-1)?.clientOrderId).toMatch(/^settlement_autoclose-\d+$/);
    expect(() => futures.place('a', {})).toThrow(expect.objectContaining({ code: -4141 }));
    futures.exchange.setListed(BTC, true);
    expect(futures.place('a', { priceTicks: 590_000 }).status).toBe('NEW');
  });
});
