import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plant } from '../planted-faults/plant.mjs';
import { newCopiedLot } from './copied-lots.mjs';
import { planEntry } from './entries.mjs';
import { planExit } from './exits.mjs';
import { FactReader } from './facts.mjs';
import { figuresOf } from './figures.mjs';
import { exact, Fraction, ONE, ZERO } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { outcomeOfRun, packageOf } from './planted.rules.mjs';
import { Replay } from './replay.mjs';
import { SignalSource } from './signals.mjs';

/** Examples calculated by hand from the documents, so that a fault of the oracle itself is noticed. */
const pair = {
  symbol: 'BTC/USDT',
  base: 'BTC',
  quote: 'USDT',
  tick: exact('0.01'),
  step: exact('0.00001'),
  marketStep: exact('0.00001'),
  minAmount: exact('0.00001'),
  minNotional: exact('10'),
  takerFee: exact('0.001'),
};

const settings = (more = {}) => ({
  sizing: { mode: 'MULTIPLIER', value: '0.5' },
  limits: {},
  below_minimum: 'ACCUMULATE',
  ...more,
});
const lotOf = (more) => ({
  settings: settings(more),
  ratio: undefined,
  sent: ZERO,
  forgone: ZERO,
  skipped: ZERO,
  rest: ZERO,
  held: ZERO,
  cost: ZERO,
  earlier: [],
});
const entry = (more = {}) => ({
  pair,
  lot: lotOf(),
  isActive: true,
  isWatched: true,
  cumulative: exact('0.1'),
  orderAmount: exact('0.1'),
  reference: exact('50000'),
  mid: exact('50000'),
  held: ZERO,
  certain: ZERO,
  openLots: 0,
  exposure: ZERO,
  freeQuote: exact('100000'),
  equity: { copier: exact('1000'), leader: exact('4000') },
  ...more,
});
const shown = ({ outcome, code, target, sent }) => [outcome, code, String(target), String(sent)];

describe('fractions', () => {
  it('are exact, and are shown with at most 18 decimals', () => {
    expect(String(exact('0.1').plus(exact('0.2')))).toBe('0.3');
    expect(String(ONE.over(exact('3')).times(exact('3')))).toBe('1');
    expect(String(exact('-2').over(exact('3')))).toBe('-0.666666666666666666');
    expect(String(exact('1.5e-7'))).toBe('0.00000015');
  });

  it('round down and up to a step, below zero, too', () => {
    const step = exact('0.25');
    expect([exact('1.3'), exact('-1.3'), exact('1.5')].map((each) => String(each.floorTo(step)))).toEqual([
      '1.25',
      '-1.5',
      '1.5',
    ]);
    expect(String(exact('1.3').ceilTo(step))).toBe('1.5');
    const nearest = ['1.37', '1.38', '1.375', '1.125'].map((each) => String(exact(each).roundTo(step)));
    expect(nearest).toEqual(['1.25', '1.5', '1.5', '1']);
  });

  it('have no denominator of 0', () => {
    expect(() => new Fraction(1n, 0n)).toThrow('The denominator of a fraction must not be 0.');
  });
});

describe('entries', () => {
  it.each([
    ['FIXED_AMOUNT', { mode: 'FIXED_AMOUNT', value: '0.02' }, '0.02'],
    ['FIXED_QUOTE', { mode: 'FIXED_QUOTE', value: '500' }, '0.01'],
    ['MULTIPLIER', { mode: 'MULTIPLIER', value: '0.5' }, '0.05'],
    ['EQUITY_RATIO', { mode: 'EQUITY_RATIO', value: '2' }, '0.05'],
    ['EQUITY_RATIO with capital', { mode: 'EQUITY_RATIO', value: '1', capital: '800' }, '0.02'],
  ])('have the size of %s', (_, sizing, amount) => {
    const plan = planEntry(entry({ lot: lotOf({ sizing }) }));
    expect(shown(plan)).toEqual(['COPIED', undefined, amount, amount]);
  });

  it('of a part of an order take the same part of a fixed size, and later parts add the rest', () => {
    const lot = lotOf({ sizing: { mode: 'FIXED_AMOUNT', value: '0.03' } });
    expect(shown(planEntry(entry({ lot, cumulative: exact('0.025') })))[3]).toBe('0.0075');
    lot.sent = exact('0.0075');
    expect(shown(planEntry(entry({ lot })))[3]).toBe('0.0225');
  });

  it.each([
    ['NOT_ACTIVE', { isActive: false }],
    ['NOT_HELD', { isWatched: false }],
    ['PAIR_BLOCKED', { lot: lotOf({ limits: { blocked_pairs: ['BTC/USDT'] } }) }],
    ['PAIR_BLOCKED', { lot: lotOf({ limits: { allowed_pairs: ['ETH/USDT'] } }) }],
    ['SIDE_BLOCKED', { lot: lotOf({ limits: { allowed_sides: ['SELL'] } }) }],
    ['OFF_MARKET', { mid: exact('49700') }],
    ['MAX_TRADES', { openLots: 2, lot: lotOf({ limits: { max_open_trades: 2 } }) }],
    ['INSUFFICIENT_BALANCE', { freeQuote: exact('2500') }],
  ])('are skipped as %s', (code, more) => {
    expect(shown(planEntry(entry(more))).slice(0, 2)).toEqual(['SKIPPED', code]);
  });

  it('are reduced by the limits on money at the limit price, and the tightest limit is the reason', () => {
    const limits = { max_trade_quote: '1005', max_open_quote: '1105.5' };
    const plan = planEntry(entry({ lot: lotOf({ limits }), exposure: exact('201') }));
    // The limit price is 50,250: 1,005 ÷ 50,250 = 0.02, then 904.5 ÷ 50,250 = 0.018.
    expect([...shown(plan), String(plan.price)]).toEqual(['CLAMPED', 'MAX_OPEN', '0.05', '0.018', '50250']);
  });

  it('are not reduced by a limit that takes less than rounding', () => {
    const sizing = { mode: 'FIXED_AMOUNT', value: '0.020004' };
    const plan = planEntry(entry({ lot: lotOf({ sizing, limits: { max_trade_quote: '1005' } }) }));
    expect([...shown(plan), String(plan.forgone)]).toEqual(['COPIED', undefined, '0.020004', '0.02', '0']);
  });

  it('below the minimum are added to the next entry, given up, or raised to at most twice their size', () => {
    const small = (below_minimum, amount) => {
      const lot = lotOf({ below_minimum, sizing: { mode: 'FIXED_AMOUNT', value: amount } });
      return planEntry(entry({ lot }));
    };
    // 10.50 USDT after the fee need 0.00021 ÷ 0.999, rounded up: 0.00022.
    expect(shown(small('ACCUMULATE', '0.00021'))).toEqual(['SKIPPED', 'BELOW_MINIMUM', '0.00021', '0']);
    expect(String(small('ACCUMULATE', '0.00021').forgone)).toBe('0');
    expect(String(small('SKIP', '0.00021').forgone)).toBe('0.00021');
    expect(shown(small('ROUND_UP', '0.00011'))).toEqual(['COPIED', undefined, '0.00011', '0.00022']);
    expect(shown(small('ROUND_UP', '0.0001'))[1]).toBe('BELOW_MINIMUM');
  });

  it('below the minimum are neither reduced nor raised beyond a limit, which is the reason only if it reduces them below it', () => {
    const limited = (below_minimum, amount) => {
      const lot = lotOf({
        below_minimum,
        sizing: { mode: 'FIXED_AMOUNT', value: amount },
        limits: { max_open_quote: '5' },
      });
      return planEntry(entry({ lot }));
    };
    const small = limited('ACCUMULATE', '0.00021');
    expect([...shown(small), String(small.forgone)]).toEqual([
      'SKIPPED',
      'BELOW_MINIMUM',
      '0.00021',
      '0',
      '0',
    ]);
    expect(shown(limited('ROUND_UP', '0.00021'))[1]).toBe('BELOW_MINIMUM');
    const reduced = limited('ACCUMULATE', '0.001');
    expect([...shown(reduced), String(reduced.forgone)]).toEqual([
      'SKIPPED',
      'MAX_OPEN',
      '0.001',
      '0',
      '0.001',
    ]);
  });
});

describe('exits', () => {
  const exit = (more) => ({
    pair,
    isCopying: true,
    isFinal: false,
    exit: exact('0.3'),
    leaderLot: exact('0.9'),
    held: exact('0.01'),
    owed: ZERO,
    rest: ZERO,
    freeBase: exact('1'),
    price: exact('50000'),
    ...more,
  });

  it('sell the same fraction, rounded down', () => {
    expect(shown(planExit(exit()))).toEqual(['COPIED', undefined, '0.003333333333333333', '0.00333']);
  });

  it('add what the step left of the exit before', () => {
    const [, , target, sent] = shown(planExit(exit({ rest: exact('0.000007') })));
    expect([target, sent]).toEqual(['0.003338', '0.00333']);
  });

  it('sell all at the final exit, and if the rest could not be sold', () => {
    expect(shown(planExit(exit({ isFinal: true, held: exact('0.010007') })))[3]).toBe('0.01');
    expect(shown(planExit(exit({ exit: exact('0.89') })))[3]).toBe('0.01');
  });

  it('below the minimum wait, and are sold together with the next exit', () => {
    expect(shown(planExit(exit({ held: exact('0.0005') })))).toEqual([
      'PENDING',
      'BELOW_MINIMUM',
      '0.000166666666666666',
      '0',
    ]);
    const carrying = planExit(exit({ held: exact('0.001'), owed: exact('0.0001') }));
    expect([String(carrying.amount), String(carrying.sent)]).toEqual(['0.0004', '0.0003']);
  });

  it('never sell more than is free, and nothing while the copier is paused or holds nothing', () => {
    expect(shown(planExit(exit({ isFinal: true, freeBase: exact('0.004') })))[3]).toBe('0.004');
    expect(shown(planExit(exit({ isCopying: false })))[1]).toBe('NOT_ACTIVE');
    expect(shown(planExit(exit({ held: ZERO })))[1]).toBe('NOT_HELD');
  });
});

const fill = (more) => ({
  id: 'fill',
  symbol: 'BTC/USDT',
  tradeId: 'opening',
  owner: 'strategy',
  side: 'BUY',
  price: exact('100'),
  amount: exact('1'),
  fee: { amount: exact('0.001'), currency: 'BTC', value: exact('0.1') },
  at: 1_000,
  ...more,
});
const sale = (more) =>
  fill({ side: 'SELL', tradeId: 'closing', fee: { amount: ONE, currency: 'USDT', value: ONE }, ...more });

describe('lots', () => {
  it('are net of fees in base currency, and cost what was paid with other fees', () => {
    const book = new LotBook(pair);
    book.book(fill());
    book.book(fill({ fee: { amount: ONE, currency: 'USDT', value: ONE } }));
    expect(book.lots.map(({ opened, cost }) => [String(opened), String(cost)])).toEqual([
      ['0.999', '100'],
      ['1', '101'],
    ]);
  });

  it('of no copier are one list, whatever their strategy, and are closed first in, first out', () => {
    const book = new LotBook(pair);
    book.book(fill({ owner: 'other', tradeId: 'foreign' }));
    book.book(fill());
    const closures = book.book(sale({ amount: exact('1.5'), price: exact('120') }));
    expect(closed(closures)).toEqual(['foreign 0.999', 'opening 0.501']);
    // 0.999 × 120 − 0.999 ÷ 1.5 − 100.
    expect(String(closures[0].pnl)).toBe('19.214');
  });

  it('are closed with a rest below a step, at no proceeds', () => {
    const book = new LotBook(pair);
    book.book(fill({ fee: { amount: exact('0.000003'), currency: 'BTC', value: ZERO } }));
    const [closure] = book.book(sale({ amount: exact('0.99999'), price: exact('200') }));
    expect([String(closure.amount), String(closure.pnl)]).toEqual(['0.999997', '98.998']);
  });
});

const closed = (closures) => closures.map(({ lot, amount }) => `${lot.tradeId} ${amount}`);
const free = { amount: ZERO, currency: 'USDT', value: ZERO };
/** A purchase without a fee. */
const buy = (tradeId, amount, more) => fill({ tradeId, amount: exact(amount), fee: free, ...more });
/** What names a copy of a lot of the leader. */
const copyOf = (sourceTradeId, copierId = 'copier') => ({ sourceTradeId, copierId, owner: copierId });
const bookOf = (...fills) => {
  const book = new LotBook(pair);
  for (const each of fills) book.book(each);
  return book;
};
const sold = (book, amount, more) => closed(book.book(sale({ amount: exact(amount), ...more })));

describe("a copy's sale", () => {
  it('closes its own list before older lots, then other lists of its copier, and nothing else', () => {
    const book = bookOf(
      buy('own', '1'),
      buy('foreign', '1', copyOf('B', 'other')),
      buy('first', '1', copyOf('A')),
      buy('second', '1', copyOf('B')),
      buy('third', '1', copyOf('C')),
      buy('fourth', '1', copyOf('B')),
    );
    expect(sold(book, '1.5', copyOf('B'))).toEqual(['second 1', 'fourth 0.5']);
    expect(sold(book, '1.25', copyOf('B'))).toEqual(['fourth 0.5', 'first 0.75']);
    expect(book.unmatchedFills).toBe(0);
    expect(sold(book, '2', copyOf('B'))).toEqual(['first 0.25', 'third 1']);
    expect(book.unmatchedFills).toBe(1);
  });
});

describe('any other sale', () => {
  it.each([undefined, 'strategy'])(
    'closes lots of no copier, then the oldest of copiers (owner %s)',
    (owner) => {
      const book = bookOf(
        buy('first', '1', copyOf('A')),
        buy('second', '1', copyOf('B', 'other')),
        buy('own', '1'),
        buy('last', '1'),
      );
      expect(sold(book, '1.5', { owner })).toEqual(['own 1', 'last 0.5']);
      expect(sold(book, '2', { owner })).toEqual(['last 0.5', 'first 1', 'second 0.5']);
    },
  );

  it('closes the oldest lot first, even if another list has it', () => {
    const book = bookOf(
      buy('first', '1', copyOf('A')),
      buy('second', '1', copyOf('B')),
      buy('third', '1', copyOf('A')),
    );
    expect(sold(book, '2.5', { owner: undefined })).toEqual(['first 1', 'second 1', 'third 0.5']);
  });
});

describe('dust', () => {
  it('is a rest of a list, not of a trade or of a fill', () => {
    const book = bookOf(buy('first', '1.000005'), buy('second', '1.000003'));
    expect(sold(book, '1')).toEqual(['first 1']);
    expect(String(book.openAmountOf(['first']))).toBe('0.000005');
    // 0.000005 of the first, 0.999995 of the second, and its rest of 0.000008.
    expect(sold(book, '1')).toEqual(['first 0.000005', 'second 1.000003']);
  });

  it('is not what other lists have', () => {
    const book = bookOf(
      buy('first', '1.000005', copyOf('A')),
      buy('second', '1', copyOf('B')),
      buy('own', '0.000001'),
    );
    expect(sold(book, '1', copyOf('A'))).toEqual(['first 1.000005']);
    expect(book.lots.map(({ open }) => String(open))).toEqual(['0', '1', '0.000001']);
  });

  it('of the list that a sale touched last is closed with it', () => {
    const book = bookOf(
      buy('first', '1', copyOf('A')),
      buy('second', '1.000005', copyOf('B')),
      buy('third', '1', copyOf('C')),
    );
    expect(sold(book, '2', copyOf('A'))).toEqual(['first 1', 'second 1.000005']);
  });

  it('of a lot that the sale does not touch is a closure without proceeds', () => {
    const book = bookOf(buy('first', '1.000005'), buy('second', '0.000004'));
    const closures = book.book(sale({ price: exact('200') }));
    expect(closed(closures)).toEqual(['first 1.000005', 'second 0.000004']);
    // 200 − 1 − 100.0005, and the cost of the second lot.
    expect(closures.map(({ pnl }) => String(pnl))).toEqual(['98.9995', '-0.0004']);
  });

  it('is not a whole step', () => {
    expect(sold(bookOf(buy('first', '1.00001')), '1')).toEqual(['first 1']);
  });

  it('of the lot that a sale names is closed with it, and then what remains of its list', () => {
    const named = { owner: undefined, closes: ({ tradeId }) => tradeId === 'second' };
    const book = bookOf(buy('first', '1', copyOf('A')), buy('second', '1.000006', copyOf('A')));
    expect(sold(book, '1', named)).toEqual(['second 1.000006']);
    expect(String(book.openAmountOf(['first']))).toBe('1');
    const rest = bookOf(buy('first', '0.000006', copyOf('A')), buy('second', '1.000006', copyOf('A')));
    expect(sold(rest, '1', named)).toEqual(['second 1.000006', 'first 0.000006']);
  });
});

describe('a copied lot', () => {
  it('loses the rest of the lot that a sale by hand names', () => {
    const replay = new Replay(
      { strategies: [], copiers: [{ id: 'copier', account: { id: 'account' } }], pairs: [pair] },
      () => {},
    );
    const lot = { ...newCopiedLot('copier', 'BTC/USDT', {}), held: exact('2.000006'), cost: exact('200') };
    replay.copiedLots.set('copier A', lot);
    replay.closedCopies.set('closing', { key: 'copier A', open: exact('1.000006') });
    const [part, last, more] = ['0.4', '0.6', '0.5'].map((amount) =>
      sale({ owner: undefined, amount: exact(amount) }),
    );
    replay.apply('account', [part]);
    expect(String(lot.held)).toBe('1.600006');
    replay.apply('account', [last]);
    expect(String(lot.held)).toBe('1');
    replay.apply('account', [more]);
    expect(String(lot.held)).toBe('0.5');
  });

  it('does not hold what an order buys that was open when the next entry was planned', () => {
    const strategy = { id: 'strategy', account: { id: 'leader' } };
    const copier = { id: 'copier', strategy, account: { id: 'account' } };
    /** The second of two entries of 10.10 USDT each: the amount that the oracle expects if the product sent `sent`. */
    const second = (/** @type {{ sent: string, madeAt: string }} */ { sent, madeAt }) => {
      const replay = new Replay({ strategies: [strategy], copiers: [copier], pairs: [pair] }, () => {});
      replay.addBalance('account', 'USDT', exact('100'));
      const lot = replay.copiedLot(copier, { lotId: 'A', symbol: 'BTC/USDT' }, settings());
      Object.assign(lot, { ratio: ONE, sent: exact('0.00025'), held: exact('0.00024975') });
      const cost = exact('12.5');
      const order = { copier, lot, bought: lot.held, cost, most: exact('12.5625') };
      replay.enteredBy({ settled_at: '2026-01-01T00:00:01.000Z' }, order);
      const plan = replay.expectedEntry({
        copier,
        state: { record: settings(), status: 'ACTIVE', startedAt: 0 },
        signal: {
          lotId: 'A',
          symbol: 'BTC/USDT',
          at: 1,
          price: exact('50000'),
          cumulative: exact('0.00045'),
        },
        decision: { created_at: madeAt, sent_amount: sent, inputs: {} },
        orderAmount: exact('0.00045'),
        market: { mid: exact('50000') },
      });
      return [plan.outcome, String(plan.sent)];
    };
    // 0.0002 are worth 10, so they can be sold with the first entry, and not alone.
    expect(second({ sent: '0.0002', madeAt: '2026-01-01T00:00:00.900Z' })).toEqual(['COPIED', '0.0002']);
    expect(second({ sent: '0', madeAt: '2026-01-01T00:00:00.900Z' })).toEqual(['SKIPPED', '0']);
    expect(second({ sent: '0', madeAt: '2026-01-01T00:00:01.600Z' })).toEqual(['COPIED', '0.0002']);
    // Any other amount is wrong in both cases.
    expect(second({ sent: '0.0001', madeAt: '2026-01-01T00:00:00.900Z' })).toEqual(['COPIED', '0.0002']);
  });

  it('of which an order sells exits that wait books them oldest first, and what exceeds them with the last', () => {
    const settled = (/** @type {string} */ amount) => {
      const replay = new Replay({ strategies: [], copiers: [], pairs: [pair] }, () => {});
      const lot = newCopiedLot('copier', 'BTC/USDT', {});
      for (const [decisionId, target] of [
        ['older', '0.3'],
        ['last', '0.2'],
      ])
        replay.pendingExits.set(decisionId, { lotKey: 'A', lot, decisionId, target: exact(target) });
      replay.settleWaiting('A', exact(amount));
      return [...replay.carriedExits.map(({ filled }) => filled), lot.rest].map(String);
    };
    expect(settled('0.9')).toEqual(['0.3', '0.6', '0']);
    expect(settled('0.4')).toEqual(['0.3', '0.1', '0.1']);
  });

  it('is named by the trades of its copies', () => {
    const reader = new FactReader({}, {}, { valuesThirdAssets: false });
    const record = {
      symbol: 'BTC/USDT',
      executed_at: '2026-01-01T00:00:00.000Z',
      price: '1',
      amount: '1',
      fee: '0',
    };
    const trade = { id: 'trade', copier_id: 'copier', source_trade_id: 'A' };
    expect(reader.fillOf(record, trade)).toMatchObject(copyOf('A'));
    expect(reader.fillOf(record, undefined).sourceTradeId).toBeUndefined();
  });
});

describe('signals', () => {
  it('cover consecutive changes of one lot, with their average price', () => {
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    source.book(book, fill());
    source.book(book, fill({ price: exact('110') }));
    const signal = source.take({ kind: 'OPEN', sourceTradeId: 'opening', upTo: exact('2') });
    expect([signal.kind, String(signal.cumulative), String(signal.price)]).toEqual(['OPEN', '2', '105']);
    source.book(book, fill({ price: exact('100.004'), amount: exact('0.2'), tradeId: 'other' }));
    source.book(book, fill({ price: exact('100.02'), amount: exact('0.1'), tradeId: 'other' }));
    // The average is 100.00933…; the tick is 0.01.
    expect(String(source.take({ kind: 'OPEN', sourceTradeId: 'other' }).price)).toBe('100.01');
    source.book(book, sale({ amount: exact('0.5') }));
    source.book(book, sale({ amount: exact('1.498') }));
    expect(source.take({ kind: 'REDUCE', sourceTradeId: 'closing' })).toMatchObject({ kind: 'REDUCE' });
    expect(source.take({ kind: 'CLOSE', sourceTradeId: 'closing' })).toMatchObject({ isFinal: true });
    expect(source.take({ kind: 'CLOSE', sourceTradeId: 'closing' })).toBeUndefined();
  });

  it('may be several of one order and one lot', () => {
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    const amounts = ['0.3', '0.2', '0.1'];
    for (const each of [fill(), ...amounts.map((amount) => sale({ amount: exact(amount) }))])
      source.book(book, each);
    source.take({ kind: 'OPEN', sourceTradeId: 'opening', upTo: ONE });
    const exits = ['0.3', '0.3'].map((amount) =>
      source.take({ kind: 'REDUCE', sourceTradeId: 'closing', upTo: exact(amount) }),
    );
    expect(exits.map(({ amount, before }) => [String(amount), String(before)])).toEqual([
      ['0.3', '0.999'],
      ['0.3', '0.699'],
    ]);
  });

  it('of exits include dust, also that of a lot that the sale does not touch', () => {
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    for (const each of [buy('first', '1.000005'), buy('second', '0.000004'), sale()]) source.book(book, each);
    const exits = source.pending.filter(({ isEntry }) => !isEntry);
    expect(exits.map(({ lotId, amount, isFinal }) => [lotId, String(amount), isFinal])).toEqual([
      ['first', '1.000005', true],
      ['second', '0.000004', true],
    ]);
  });

  it('reduce a lot of which a rest below a step stays open', () => {
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    for (const each of [buy('first', '1.000005'), buy('second', '1'), sale()]) source.book(book, each);
    const exit = source.take({ kind: 'REDUCE', sourceTradeId: 'closing' });
    expect([exit.kind, String(exit.amount), String(exit.before)]).toEqual(['REDUCE', '1', '1.000005']);
  });
});

describe('figures', () => {
  it('are those of a day that was calculated by hand', () => {
    const book = new LotBook(pair);
    const fills = [
      fill({ fee: { amount: ONE, currency: 'USDT', value: ONE } }),
      sale({ price: exact('111'), at: 3_000 }),
      fill({ tradeId: 'second', fee: { amount: ONE, currency: 'USDT', value: ONE }, at: 4_000 }),
      sale({ price: exact('98'), at: 8_000 }),
    ];
    for (const each of fills) book.book(each);
    const figures = figuresOf({ books: [book], fills, priceOf: () => exact('100') });
    const texts = Object.entries(figures).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(texts)).toMatchObject({
      closed_count: '2',
      win_rate: '0.5',
      profit_factor: '2.25',
      expectancy: '2.5',
      gross_profit: '9',
      gross_loss: '4',
      fees: '4',
      net_pnl: '5',
      volume: '409',
      average_holding_seconds: '3',
      max_consecutive_losses: '1',
      unrealized_pnl: '0',
    });
  });
});

/** @type {readonly { name: string, file: string, find: string, replace: string }[]} */
const PLANTED = JSON.parse(readFileSync(join(import.meta.dirname, 'planted.json'), 'utf8'));

describe('the run with planted faults', () => {
  it.each(PLANTED)('can plant this fault in the current source: $name', ({ file, ...fault }) => {
    const source = readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8');
    expect(plant(source, fault)).not.toBe(source);
  });

  it('builds the package of the fault', () => {
    expect(packageOf('packages/core/src/trades/a.ts')).toBe('packages/core');
    expect(() => packageOf('tooling/oracle/lots.mjs')).toThrow('must be below src of a package or app');
  });

  it('counts a difference as found, but not an error', () => {
    const stdout = 'DIFFERENCE {"step":1}\n200 decisions compared, 1 differences (seed 1)\n';
    expect(outcomeOfRun({ code: 1, stdout, stderr: '' })).toBe('found within 200 decisions: {"step":1}');
    expect(outcomeOfRun({ code: 0, stdout: '200 decisions compared, 0 differences', stderr: '' })).toBe(
      'MISSED',
    );
    expect(outcomeOfRun({ code: 1, stdout: '', stderr: 'Error: no Redis' })).toBe(
      'UNUSABLE: Error: no Redis',
    );
  });
});
