import { numberDifferences } from './compare.mjs';
import { asItWaited } from './comparison.mjs';
import { strategyStatistics } from './figures.mjs';
import { exact, ONE, ZERO } from './fraction.mjs';
import { compareLots } from './lot-records.mjs';
import { LotBook, lotFigures } from './lots.mjs';
import { Deck } from './moves.mjs';
import { LossLimits, oneDayDifferences, openValueOf, resultOf } from './results.mjs';

/** Examples calculated by hand from the documents. */
const pair = { symbol: 'BTC/USDT', base: 'BTC', step: exact('0.00001') };
const purchase = (more) => ({
  id: 'fill',
  symbol: 'BTC/USDT',
  tradeId: 'opening',
  owner: 'copier',
  copierId: 'copier',
  sourceTradeId: 'source',
  side: 'BUY',
  price: exact('100'),
  amount: exact('1'),
  fee: { amount: exact('0.001'), currency: 'BTC', value: exact('0.1') },
  at: 1_000,
  ...more,
});
const sale = (more) =>
  purchase({
    side: 'SELL',
    tradeId: 'closing',
    fee: { amount: ONE, currency: 'USDT', value: ONE },
    at: 2_000,
    ...more,
  });
const byHand = { owner: undefined, copierId: undefined, sourceTradeId: undefined };
const shown = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)]));

describe('a lot', () => {
  it('has the fees of its fills, and a rest without proceeds as a fee', () => {
    const book = new LotBook(pair);
    book.book(purchase({ fee: { amount: exact('0.000003'), currency: 'BTC', value: exact('0.0003') } }));
    book.book(sale({ amount: exact('0.99999'), price: exact('200') }));
    // 0.0003, then 1, then the rest of 0.000007 at 200.
    expect(shown(lotFigures(book, book.lots[0], exact('300')))).toEqual({
      amount: '0.999997',
      remaining_amount: '0',
      entry_price: '100',
      cost: '100',
      remaining_cost: '0',
      fees: '1.0017',
      realized_pnl: '98.998',
      unrealized_pnl: '0',
    });
  });

  it('that a sale closes as dust without touching it loses its cost, and its amount is a fee', () => {
    const book = new LotBook(pair);
    const fee = { amount: ZERO, currency: 'USDT', value: ZERO };
    book.book(purchase({ fee, amount: exact('1.000005') }));
    book.book(purchase({ fee, amount: exact('0.000004'), tradeId: 'second' }));
    book.book(sale({ ...byHand, price: exact('200') }));
    const [, second] = book.lots;
    expect(shown(lotFigures(book, second, exact('300')))).toMatchObject({
      remaining_amount: '0',
      cost: '0.0004',
      fees: '0.0008',
      realized_pnl: '-0.0004',
    });
    expect(second.isDetached).toBe(true);
  });

  it('that is open has the part of its cost, and a result at the last price', () => {
    const book = new LotBook(pair);
    book.book(purchase({ fee: { amount: ONE, currency: 'USDT', value: ONE } }));
    book.book(sale({ amount: exact('0.25'), price: exact('140') }));
    expect(shown(lotFigures(book, book.lots[0], exact('120')))).toMatchObject({
      remaining_amount: '0.75',
      cost: '101',
      remaining_cost: '75.75',
      fees: '2',
      realized_pnl: '8.75',
      unrealized_pnl: '14.25',
    });
  });

  it('is closed first by an order that names it', () => {
    const book = new LotBook(pair);
    book.book(purchase());
    book.book(purchase({ tradeId: 'second' }));
    const [, second] = book.lots;
    book.book(sale({ ...byHand, amount: exact('1.2'), closes: (lot) => lot === second }));
    expect(book.lots.map(({ tradeId, open }) => [tradeId, String(open)])).toEqual([
      ['opening', '0.798'],
      ['second', '0'],
    ]);
  });

  it('is detached by a sale that is not of its copier, and only if it is a copy', () => {
    const book = new LotBook(pair);
    book.book(purchase());
    book.book(sale({ amount: exact('0.1') }));
    book.book(sale({ amount: exact('0.1'), sourceTradeId: 'other' }));
    expect(book.lots[0]?.isDetached).toBe(false);
    book.book(sale({ amount: exact('0.1'), ...byHand }));
    expect(book.lots[0]?.isDetached).toBe(true);
    const leader = new LotBook(pair);
    leader.book(purchase({ ...byHand, owner: 'strategy' }));
    leader.book(sale({ amount: exact('0.1'), ...byHand }));
    expect(leader.lots[0]?.isDetached).toBe(false);
  });
});

describe('the records of lots', () => {
  const book = new LotBook(pair);
  book.book(purchase());
  book.book(purchase({ tradeId: 'second', at: 3_000 }));
  book.book(sale({ amount: exact('0.999'), at: 4_000 }));
  const accountOf = (lots) => ({
    books: [lots],
    priceOf: () => exact('100'),
    strategyIdOf: () => 'strategy',
  });
  const account = accountOf(book);
  const recordOf = (lot, lots = book) => ({
    id: `lot of ${lot.tradeId}`,
    trade_id: lot.tradeId,
    copier_id: 'copier',
    strategy_id: 'strategy',
    source_trade_id: 'source',
    side: 'BUY',
    status: lot.open.isPositive ? 'OPEN' : 'CLOSED',
    is_detached: false,
    fees_incomplete: false,
    funding: '0',
    opened_at: new Date(lot.at).toISOString(),
    ...(lot.open.isPositive ? {} : { closed_at: '1970-01-01T00:00:04.000Z' }),
    ...shown(lotFigures(lots, lot, exact('100'))),
  });
  const records = book.lots.map((lot) => recordOf(lot)).reverse();

  it('equal the lots, in any order', () => {
    expect(compareLots(records, account)).toEqual([]);
  });

  it('equal lots of one trade whose results differ by less than one unit of the eighth decimal', () => {
    const lots = new LotBook(pair);
    lots.book(purchase());
    lots.book(purchase());
    for (const amount of ['1', '1.0000000001'])
      lots.book(
        sale({
          amount: exact('0.999'),
          at: 4_000,
          fee: { amount: exact(amount), currency: 'USDT', value: exact(amount) },
        }),
      );
    const both = lots.lots.map((lot) => recordOf(lot, lots));
    expect(compareLots(both, accountOf(lots))).toEqual([]);
    expect(compareLots(both.toReversed(), accountOf(lots))).toEqual([]);
  });

  it('equal lots of one trade that differ by nothing but the time of their closing', () => {
    const lots = new LotBook(pair);
    lots.book(purchase());
    lots.book(purchase());
    for (const at of [4_000, 4_001]) lots.book(sale({ amount: exact('0.999'), at }));
    const times = ['1970-01-01T00:00:04.000Z', '1970-01-01T00:00:04.001Z'];
    const both = lots.lots.map((lot, at) => ({ ...recordOf(lot, lots), closed_at: times[at] }));
    expect(compareLots(both, accountOf(lots))).toEqual([]);
    expect(compareLots(both.toReversed(), accountOf(lots))).toEqual([]);
  });

  it.each([
    'status',
    'source_trade_id',
    'is_detached',
    'closed_at',
    'remaining_cost',
    'fees',
    'realized_pnl',
    'unrealized_pnl',
  ])('differ by %s', (field) => {
    const changed = records.map((record) =>
      record.trade_id === 'opening' ? { ...record, [field]: '7' } : record,
    );
    expect(compareLots(changed, account).map((difference) => difference.field)).toEqual([
      `lot lot of opening ${field}`,
    ]);
  });

  it('that lack a lot differ', () => {
    expect(compareLots(records.slice(1), account)).toEqual([
      { field: 'number of lots', product: 1, oracle: 2 },
      { field: 'lots of one side', product: [], oracle: [expect.stringMatching(/^second 3000 100 /)] },
    ]);
  });
});

describe('results', () => {
  const book = new LotBook(pair);
  book.book(purchase({ fee: { amount: ONE, currency: 'USDT', value: ONE } }));
  book.book(sale({ amount: exact('0.5'), price: exact('80') }));
  const result = resultOf([book], 'copier', () => exact('90'));

  it('are those of closures, and of open lots at the last price', () => {
    // 40 − 1 − 50.5, and 45 − 50.5.
    expect(shown(result)).toEqual({ realized: '-11.5', open: '-5.5' });
    expect(shown(resultOf([book], 'other', () => exact('90')))).toEqual({ realized: '0', open: '0' });
    expect(String(openValueOf([book], 'copier', () => exact('90')))).toBe('45');
  });

  it('give the return and the drawdown of the first day, with an equity of that day', () => {
    const names = { roi: 'roi', percent: 'percent' };
    const equity = { low: exact('1000'), high: exact('1100') };
    const differences = (roi, percent, pnl = '-17') =>
      oneDayDifferences({ roi, percent }, exact(pnl), equity, names).map(({ field }) => field);
    expect(differences('-0.017', '1.7')).toEqual([]);
    expect(differences('-0.018', null)).toEqual(['roi', 'percent']);
    expect(differences('0.017', null, '17')).toEqual([]);
    expect(differences('0.017', '1.7', '17')).toEqual(['percent']);
    expect(differences(null, '1.7')).toEqual(['roi']);
  });

  it('give the statistics of closed trades', () => {
    const closed = new LotBook(pair);
    const fee = { amount: ZERO, currency: 'USDT', value: ZERO };
    for (const price of ['110', '94']) {
      closed.book(purchase({ fee, tradeId: price }));
      closed.book(sale({ fee, price: exact(price) }));
    }
    closed.book(purchase());
    const statistics = strategyStatistics([closed], 'copier');
    expect([statistics.closed_count, String(statistics.win_rate), String(statistics.profit_factor)]).toEqual([
      2,
      '0.5',
      '1.666666666666666666',
    ]);
  });
});

describe('loss limits', () => {
  const check = (limits, low, total, high, capital) =>
    new LossLimits(exact('1000')).check({
      limits,
      capital,
      low: exact(low),
      total: exact(total),
      high: exact(high),
      equity: exact('1000'),
      isFirstDay: true,
    });

  it.each([
    ['19', 'impossible'],
    ['21', 'possible'],
    ['30', 'certain'],
  ])('a daily loss of %s, with a limit of 21, makes a stop %s', (loss, daily) => {
    expect(check({ max_daily_loss_quote: '21' }, `-${loss}`, `-${loss}`, '0').daily).toBe(daily);
  });

  it('relate a fall from the highest result to the equity', () => {
    const limits = new LossLimits(exact('1000'));
    const at = (total) => {
      const all = { low: exact(total), total: exact(total), high: exact(total) };
      return limits.check({
        ...all,
        limits: { max_drawdown_percent: '2' },
        equity: exact('1000'),
        isFirstDay: true,
      }).drawdown;
    };
    // A fall of 2.5 % from a peak that may have been too short to notice; then one of 2.5 % from the start.
    expect([at('0'), at('10'), at('-15'), at('-25')]).toEqual([
      'impossible',
      'impossible',
      'possible',
      'certain',
    ]);
  });

  it.each([
    ['2000', 'impossible'],
    ['100', 'certain'],
  ])(
    'relate a fall of 15 to a capital of %s only if it is less than the equity of 1000: a limit of 5 %% is %s',
    (capital, drawdown) => {
      const limits = { max_drawdown_percent: '5' };
      expect(check(limits, '-15', '-15', '0', capital).drawdown).toBe(drawdown);
      expect(check({ max_drawdown_percent: '1' }, '-15', '-15', '0', capital).drawdown).toBe('certain');
    },
  );

  it('do nothing if they are not set', () => {
    expect(check({}, '-500', '-500', '0')).toEqual({ daily: 'impossible', drawdown: 'impossible' });
  });
});

describe('the comparison of numbers', () => {
  it('finds a difference in the twelfth decimal, and in a figure inside another', () => {
    expect(numberDifferences({ a: '1.000000000001' }, { a: ONE })).toEqual([]);
    expect(numberDifferences({ a: '1.00000000001' }, { a: ONE })).toHaveLength(1);
    expect(numberDifferences({ a: { b: '2' } }, { 'a.b': ONE })).toEqual([
      { field: 'a.b', product: '2', oracle: '1' },
    ]);
  });
});

describe('an exit that waited', () => {
  const exit = {
    copier_id: 'a',
    sequence: 16,
    outcome: 'COPIED',
    trade_id: 't',
    target_amount: '2',
    sent_amount: '2',
  };
  const seenWith = (other) => asItWaited(exit, [exit, { ...exit, ...other }]);

  it('is compared as it was, if a later signal of the step sold it', () => {
    expect(seenWith({ sequence: 17 })).toEqual({
      copier_id: 'a',
      sequence: 16,
      outcome: 'PENDING',
      code: 'BELOW_MINIMUM',
      target_amount: '2',
      sent_amount: '0',
      filled_amount: '0',
    });
  });

  it.each([{ sequence: 15 }, { sequence: 17, copier_id: 'b' }, { sequence: 17, trade_id: 'u' }])(
    'is compared as it is, if it was sold otherwise: %j',
    (other) => {
      expect(seenWith(other)).toBe(exit);
    },
  );

  it('is compared as it is, if it has no order', () => {
    const waiting = { ...exit, trade_id: undefined };
    expect(asItWaited(waiting, [waiting, { ...waiting, sequence: 17 }])).toBe(waiting);
  });
});

describe('the deck of moves', () => {
  it('contains every kind of move, in another order each time', () => {
    let state = 1;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const deck = new Deck({ next, happens: () => true });
    const drawn = [...deck.shuffled(), ...deck.shuffled()].map(({ name }) => name);
    const half = drawn.length / 2;
    expect(new Set(drawn.slice(0, half)).size).toBe(18);
    expect(drawn.slice(half)).not.toEqual(drawn.slice(0, half));
    expect(drawn.slice(half).sort()).toEqual(drawn.slice(0, half).sort());
  });
});
