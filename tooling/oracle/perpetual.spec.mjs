import { seeded } from '../chaos/random.mjs';
import { settledOutcome } from './compare.mjs';
import { newCopiedLot } from './copied-lots.mjs';
import { planEntry } from './entries.mjs';
import { isReduceOnly, planExit } from './exits.mjs';
import { FactReader } from './facts.mjs';
import { figuresOf } from './figures.mjs';
import { exact, least, sum, ZERO } from './fraction.mjs';
import { compareLots } from './lot-records.mjs';
import { LotBook, lotFigures } from './lots.mjs';
import { divideFunding, equityOf, fundingOfLots, Margin } from './margins.mjs';
import { fundingOf } from './perpetual-records.mjs';
import { PositionLimits } from './position-limits.mjs';
import { Replay } from './replay.mjs';
import { resultOf } from './results.mjs';
import { SignalSource } from './signals.mjs';

/** Examples of perpetuals, calculated by hand from the documents, and properties over random fills. */
const pair = {
  symbol: 'BTC/USDT:USDT',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  tick: exact('0.1'),
  step: exact('0.001'),
  marketStep: exact('0.001'),
  minAmount: exact('0.001'),
  minNotional: exact('50'),
  takerFee: exact('0.0005'),
};

/** A fill of the side and the amount of `text`, such as `SELL 0.5`, at a price and with a fee in USDT. */
const fill = (text, more = {}) => {
  const [side, amount] = text.split(' ');
  const fee = exact(more.fee ?? '0');
  return {
    id: `${text} ${more.at ?? 0}`,
    tradeId: 'trade',
    owner: undefined,
    price: exact(more.price ?? '100'),
    at: 1,
    ...more,
    side,
    amount: exact(amount),
    fee: { amount: fee, currency: 'USDT', value: fee },
    ...(more.price === undefined ? {} : { price: exact(more.price) }),
  };
};
const bookOf = (...fills) => {
  const book = new LotBook(pair);
  for (const each of fills) book.book(each);
  return book;
};
const openLots = ({ lots }) =>
  lots
    .filter(({ open }) => open.isPositive)
    .map(({ tradeId, side, open }) => `${tradeId} ${side} ${open}`)
    .sort();
const ofCopier = (copierId, sourceTradeId, isEntry, more = {}) => ({
  owner: copierId,
  copierId,
  sourceTradeId,
  isEntry,
  ...more,
});

describe('signed lots', () => {
  it('on both sides have results in the settlement currency, with the fees in them', () => {
    const long = bookOf(
      fill('BUY 2', { price: '100', fee: '0.1' }),
      fill('SELL 2', { price: '110', fee: '0.2' }),
    );
    // 220 - 0.2 - (200 + 0.1)
    expect(long.closures.map(({ pnl }) => String(pnl))).toEqual(['19.7']);
    const short = bookOf(
      fill('SELL 2', { price: '100', fee: '0.1' }),
      fill('BUY 1', { price: '110', fee: '0.2', at: 2 }),
    );
    // A half of the proceeds of 199.9, less 110 and the fee of 0.2.
    expect(short.closures.map(({ pnl }) => String(pnl))).toEqual(['-10.25']);
    const figures = lotFigures(short, short.lots[0], exact('90'));
    expect(Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)]))).toEqual(
      {
        amount: '2',
        remaining_amount: '1',
        entry_price: '100',
        cost: '199.9',
        remaining_cost: '99.95',
        fees: '0.3',
        realized_pnl: '-10.25',
        unrealized_pnl: '9.95',
      },
    );
  });

  it('are closed first in, first out, and a larger fill opens the other side with the rest and its share of the fee', () => {
    const book = bookOf(
      fill('BUY 1', { tradeId: 'a', at: 1 }),
      fill('BUY 2', { tradeId: 'b', at: 2 }),
      fill('SELL 4', { tradeId: 'c', at: 3, fee: '0.4' }),
    );
    expect(openLots(book)).toEqual(['c SELL 1']);
    expect(book.closures.map(({ lot, amount }) => `${lot.tradeId} ${amount}`)).toEqual(['a 1', 'b 2']);
    expect(book.closures.map(({ pnl }) => String(pnl))).toEqual(['-0.1', '-0.2']);
    expect(String(book.lots[2]?.cost)).toBe('99.9');
    expect(String(book.net)).toBe('-1');
  });

  it('of several copiers and of no copier have opposite sides on one account', () => {
    const book = bookOf(
      fill('BUY 3', ofCopier('one', 'L1', true, { tradeId: 'one', at: 1 })),
      // The entry of another copier closes nothing, although the account is long.
      fill('SELL 2', ofCopier('two', 'S1', true, { tradeId: 'two', at: 2 })),
    );
    expect(openLots(book)).toEqual(['one BUY 3', 'two SELL 2']);
    expect(String(book.net)).toBe('1');
    // A sale by hand closes the long copy and detaches it; the rest opens a short lot of no copier.
    book.book(fill('SELL 4', { tradeId: 'hand', at: 3 }));
    expect(openLots(book)).toEqual(['hand SELL 1', 'two SELL 2']);
    expect(book.lots.map(({ isDetached }) => isDetached)).toEqual([true, false, false]);
    // A purchase by hand closes lots of no copier before those of copiers.
    book.book(fill('BUY 2', { tradeId: 'hand 2', at: 4 }));
    expect(openLots(book)).toEqual(['two SELL 1']);
    // The exit of a copier closes its own list.
    book.book(fill('BUY 1', ofCopier('two', 'S1', false, { at: 5 })));
    expect(openLots(book)).toEqual([]);
  });

  it('are closed by liquidations and auto-deleveraging like by any fill', () => {
    const book = bookOf(
      fill('BUY 3', ofCopier('one', 'L1', true, { tradeId: 'one', at: 1 })),
      fill('BUY 1', { tradeId: 'hand', at: 2 }),
      fill('SELL 2', { tradeId: 'LIQUIDATION', at: 3, price: '80' }),
      fill('SELL 2', { tradeId: 'ADL', at: 4, price: '70' }),
    );
    expect(openLots(book)).toEqual([]);
    expect(book.closures.map(({ lot, amount }) => `${lot.tradeId} ${amount}`)).toEqual([
      'hand 1',
      'one 1',
      'one 2',
    ]);
  });
});

describe('signals of perpetuals', () => {
  const signalsOf = (fills) => {
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    for (const each of fills)
      source.book(book, { ...each, symbol: pair.symbol, owner: each.isForeign ? undefined : 'strategy' });
    const signals = [];
    for (const tradeId of new Set(fills.map((each) => each.tradeId))) {
      for (;;) {
        const [first] = source.pending.filter(({ sourceTradeId }) => sourceTradeId === tradeId);
        if (first === undefined) break;
        const signal = source.take({ kind: first.isFinal ? 'CLOSE' : 'REDUCE', sourceTradeId: tradeId });
        signals.push(`${signal.kind} ${signal.side} ${signal.lotId} ${signal.amount}`);
      }
    }
    return signals;
  };

  it('close one lot and open the other if the leader reverses with one fill', () => {
    expect(signalsOf([fill('BUY 1', { tradeId: 'a' }), fill('SELL 3', { tradeId: 'b' })])).toEqual([
      'OPEN BUY a 1',
      'CLOSE SELL a 1',
      'OPEN SELL b 2',
    ]);
  });

  it('open, reduce and close short lots', () => {
    expect(
      signalsOf([
        fill('SELL 3', { tradeId: 'a' }),
        fill('BUY 1', { tradeId: 'b' }),
        fill('BUY 2', { tradeId: 'c' }),
      ]),
    ).toEqual(['OPEN SELL a 3', 'REDUCE BUY a 1', 'CLOSE BUY a 2']);
  });

  it('are exits if the exchange closes a position of the leader, and no entries', () => {
    const forced = fill('SELL 2', { tradeId: 'LIQUIDATION', isForeign: true });
    expect(signalsOf([fill('BUY 5', { tradeId: 'a' }), forced])).toEqual(['OPEN BUY a 5', 'REDUCE SELL a 2']);
    const beyond = fill('SELL 4', { tradeId: 'venue', isForeign: true });
    expect(signalsOf([fill('BUY 3', { tradeId: 'a' }), beyond])).toEqual(['OPEN BUY a 3', 'CLOSE SELL a 3']);
  });
});

const settings = (more = {}) => ({
  sizing: { mode: 'MULTIPLIER', value: '0.5' },
  limits: {},
  below_minimum: 'ACCUMULATE',
  ...more,
});
const marginOf = (more = {}) =>
  new Margin({
    symbol: pair.symbol,
    side: 'SELL',
    positions: [],
    mark: exact('50000'),
    equity: exact('10000'),
    leverage: exact('20'),
    maintenance: ZERO,
    ...more,
  });
const entry = ({ more = {}, ...rest } = {}) => ({
  pair,
  side: 'SELL',
  margin: marginOf(),
  lot: newCopiedLot('copier', pair.symbol, settings(more)),
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
  ...rest,
});
const shown = ({ outcome, code, sent }) => [outcome, code, String(sent)];

describe('entries into short lots', () => {
  it.each([
    ['FIXED_AMOUNT', { mode: 'FIXED_AMOUNT', value: '0.0204' }, '0.02'],
    ['FIXED_QUOTE', { mode: 'FIXED_QUOTE', value: '500' }, '0.01'],
    ['MULTIPLIER', { mode: 'MULTIPLIER', value: '0.5' }, '0.05'],
    ['EQUITY_RATIO', { mode: 'EQUITY_RATIO', value: '2' }, '0.05'],
    ['EQUITY_RATIO with capital', { mode: 'EQUITY_RATIO', value: '1', capital: '800' }, '0.02'],
  ])('have the notional of %s, whatever the leverage is', (_, sizing, amount) => {
    for (const leverage of ['1', '125']) {
      const plan = planEntry(entry({ more: { sizing }, margin: marginOf({ leverage: exact(leverage) }) }));
      expect(shown(plan)).toEqual(['COPIED', undefined, amount]);
    }
  });

  it('have a limit price below the reference, rounded up to the tick', () => {
    expect(String(planEntry(entry({ reference: exact('50000.1') })).price)).toBe('49750.1');
  });

  it('are sides that a copier may exclude', () => {
    const plan = planEntry(entry({ more: { limits: { allowed_sides: ['BUY'] } } }));
    expect(shown(plan)).toEqual(['SKIPPED', 'SIDE_BLOCKED', '0']);
  });

  it('reserve the initial margin and the fee, not the notional', () => {
    // It can be sold at the reference price: 0.05 × 50000 = 2500; ÷ 20 = 125; the fee is 1.25.
    expect(shown(planEntry(entry({ freeQuote: exact('126.25') })))[0]).toBe('COPIED');
    const plan = planEntry(entry({ freeQuote: exact('126.24999') }));
    expect(shown(plan)).toEqual(['SKIPPED', 'INSUFFICIENT_BALANCE', '0']);
  });

  it('need no more than the minimum, because fees reduce no amount', () => {
    const small = { reference: exact('52500'), mid: exact('52500'), cumulative: exact('0.002') };
    expect(shown(planEntry(entry(small)))).toEqual(['COPIED', undefined, '0.001']);
  });

  it('are reduced by max_leverage to the notionals that the equity allows after the entry', () => {
    const limits = { max_leverage: '0.2' };
    const allows = (margin) => shown(planEntry(entry({ more: { limits }, margin: marginOf(margin) })));
    // 0.2 × 10000 = 2000, of which 0.04 at 50000.
    expect(allows({})).toEqual(['CLAMPED', 'MAX_LEVERAGE', '0.04']);
    const other = { symbol: 'ETH/USDT:USDT', net: exact('-0.5'), mark: exact('2000') };
    expect(allows({ positions: [other] })).toEqual(['CLAMPED', 'MAX_LEVERAGE', '0.02']);
    // A short position leaves less; a long one of another copier is reduced first, so it leaves more.
    const own = (net) => ({ symbol: pair.symbol, net: exact(net), mark: exact('50000') });
    expect(allows({ positions: [own('-0.01')] })).toEqual(['CLAMPED', 'MAX_LEVERAGE', '0.03']);
    expect(allows({ positions: [own('0.02')] })).toEqual(['COPIED', undefined, '0.05']);
    expect(allows({ positions: [own('-1')] })).toEqual(['SKIPPED', 'MAX_LEVERAGE', '0']);
  });

  it('are skipped while the margin ÷ the maintenance margin is below min_margin_ratio, 1.5 by default', () => {
    const skips = (maintenance, limits = {}) =>
      shown(planEntry(entry({ more: { limits }, margin: marginOf({ maintenance: exact(maintenance) }) })))[1];
    expect([skips('6666'), skips('6667')]).toEqual([undefined, 'MARGIN_RATIO']);
    expect(skips('6666', { min_margin_ratio: '2' })).toBe('MARGIN_RATIO');
    expect(skips('9999', { min_margin_ratio: '1' })).toBe(undefined);
  });
});

describe('exits of perpetuals', () => {
  it('are fractions of the own lot on both sides', () => {
    const exit = { pair, isCopying: true, isFinal: false, exit: exact('1'), leaderLot: exact('3') };
    const own = { held: exact('0.1'), freeBase: exact('0.1'), owed: ZERO, rest: ZERO, price: exact('50000') };
    expect(shown(planExit({ ...exit, ...own }))).toEqual(['COPIED', undefined, '0.033']);
    expect(shown(planExit({ ...exit, ...own, isFinal: true }))[2]).toBe('0.1');
  });

  it('below the minimum notional wait only if they cannot be reduce-only', () => {
    const exit = { pair, isCopying: true, isFinal: true, exit: exact('1'), leaderLot: exact('1') };
    const held = pair.minNotional.over(exact('100000'));
    const own = { held, freeBase: held, owed: ZERO, rest: ZERO, price: exact('50000') };
    const outcomes = [true, false].map((canReduceOnly) =>
      shown(
        planExit({ ...exit, ...own, canReduceOnly, pair: { ...pair, minAmount: ZERO, marketStep: held } }),
      ),
    );
    expect(outcomes.map(([outcome]) => outcome)).toEqual(['COPIED', 'PENDING']);
  });

  it('are reduce-only unless that would exceed the net position', () => {
    const net = exact('1');
    expect(isReduceOnly(net, 'SELL', exact('1'))).toBe(true);
    // Another copier is short: the net position is smaller than the lot.
    expect(isReduceOnly(net, 'SELL', exact('1.001'))).toBe(false);
    expect(isReduceOnly(net, 'BUY', exact('0.001'))).toBe(false);
    expect(isReduceOnly(exact('-1'), 'BUY', exact('1'))).toBe(true);
  });
});

describe('funding', () => {
  it('is divided by open amount among the lots that were open just before, and the last takes the rest', () => {
    const book = bookOf(
      fill('BUY 1', { tradeId: 'a', at: 10 }),
      fill('BUY 2', { tradeId: 'b', at: 20 }),
      fill('BUY 4', { tradeId: 'c', at: 30 }),
    );
    const partsAt = (at, amount = '-1') =>
      [...divideFunding(book, { amount: exact(amount), at })].map(([lot, part]) => `${lot.tradeId} ${part}`);
    expect(partsAt(25)).toEqual(['a -0.333333333333333333', 'b -0.666666666666666667']);
    // A lot that opens at the very instant has no part; a lot that is closed at it has one.
    expect(partsAt(30, '3')).toEqual(['a 1', 'b 2']);
    book.book(fill('SELL 1', { at: 30 }));
    expect(partsAt(30, '3')).toEqual(['a 1', 'b 2']);
    expect(partsAt(31, '3')).toEqual(['b 1', 'c 2']);
    expect(partsAt(10)).toEqual([]);
  });

  it('is shared by lots on both sides of one position', () => {
    const book = bookOf(
      fill('BUY 3', ofCopier('one', 'L1', true, { tradeId: 'one', at: 1 })),
      fill('SELL 1', ofCopier('two', 'S1', true, { tradeId: 'two', at: 2 })),
    );
    const parts = fundingOfLots(book, [
      { amount: exact('4'), at: 3 },
      { amount: exact('-8'), at: 4 },
    ]);
    expect([...parts].map(([lot, part]) => `${lot.tradeId} ${part}`)).toEqual(['one -3', 'two -1']);
  });
});

describe('random fills of copiers, their user and the exchange on one account', () => {
  const owners = [undefined, 'one', 'two'];
  /** Fills that a product could cause: a copier's exit is never larger than what it holds. */
  function randomDay(seed) {
    const random = seeded(seed);
    const book = new LotBook(pair);
    const fills = [];
    for (let at = 1; at <= 60; at += 1) {
      const owner = random.pick(owners);
      const side = random.pick(['BUY', 'SELL']);
      const price = random.between(50, 150).toFixed(1);
      const held =
        owner === undefined
          ? ZERO
          : sum(
              book.lots
                .filter(
                  (lot) =>
                    lot.copierId === owner && lot.side !== side && lot.sourceTradeId === `L ${lot.side}`,
                )
                .map(({ open }) => open),
            );
      const isEntry = held.isZero || random.happens(0.4);
      const drawn = exact(random.between(0.001, 3).toFixed(3));
      const amount = owner === undefined || isEntry ? drawn : least(drawn, held);
      const source = isEntry ? `L ${side}` : `L ${side === 'BUY' ? 'SELL' : 'BUY'}`;
      const more = { tradeId: `trade ${at}`, at, price, fee: random.between(0, 0.2).toFixed(4) };
      const each = fill(
        `${side} ${amount}`,
        owner === undefined ? more : { ...ofCopier(owner, source, isEntry), ...more },
      );
      fills.push(each);
      book.book(each);
    }
    return { book, fills, random };
  }
  const seeds = Array.from({ length: 25 }, (_, seed) => [seed + 1]);

  it.each(seeds)('add up to the position and to the result that the exchange knows (seed %i)', (seed) => {
    const { book, fills } = randomDay(seed);
    const signed = fills.map(({ side, amount }) => (side === 'BUY' ? amount : ZERO.minus(amount)));
    expect(String(book.net)).toBe(String(sum(signed)));
    const price = exact('97.3');
    const equity = equityOf({
      initial: ZERO,
      fills,
      positions: [{ symbol: pair.symbol, net: book.net, mark: price }],
      funding: [],
    });
    const figures = figuresOf({ books: [book], fills, priceOf: () => price });
    expect(figures.net_pnl.plus(figures.unrealized_pnl).compare(equity)).toBe(0);
    const results = owners.map((owner) => resultOf([book], owner, () => price));
    expect(sum(results.flatMap(({ realized, open }) => [realized, open])).compare(equity)).toBe(0);
    expect(book.lots.every(({ open }) => !open.isNegative)).toBe(true);
  });

  it.each(seeds)('share every funding completely (seed %i)', (seed) => {
    const { book, random } = randomDay(seed);
    for (let at = 2; at <= 61; at += 7) {
      const amount = exact(random.between(-9, 9).toFixed(8));
      const parts = divideFunding(book, { amount, at });
      expect(sum([...parts.values()]).compare(parts.size === 0 ? ZERO : amount)).toBe(0);
      expect([...parts.keys()].every((lot) => lot.at < at)).toBe(true);
    }
  });

  it.each(seeds)('of a leader cause signals whose amounts add up to its fills (seed %i)', (seed) => {
    const { fills } = randomDay(seed);
    const source = new SignalSource('strategy');
    const book = new LotBook(pair);
    for (const { copierId: _, sourceTradeId: __, isEntry: ___, ...each } of fills)
      source.book(book, { ...each, symbol: pair.symbol, owner: 'strategy' });
    const changes = source.pending;
    expect(sum(changes.map(({ amount }) => amount)).compare(sum(fills.map(({ amount }) => amount)))).toBe(0);
    for (const { tradeId, amount } of fills) {
      const own = changes.filter(({ sourceTradeId }) => sourceTradeId === tradeId);
      expect(String(sum(own.map((change) => change.amount)))).toBe(String(amount));
      // Exits come before the entry of a reversal.
      expect(own.map(({ isEntry }) => isEntry)).toEqual(own.map(({ isEntry }) => isEntry).toSorted());
    }
  });
});

describe('what the driver applies to plans', () => {
  const account = { id: 'account', name: 'account', credentials: {} };
  const copiers = ['one', 'two'].map((id) => ({
    id,
    name: id,
    account,
    strategy: { id: 'strategy', account: { id: 'leader' } },
  }));
  const replayOf = () =>
    new Replay(
      { copiers, strategies: [{ id: 'strategy', account: { id: 'leader' } }], pairs: [pair] },
      () => {},
    );
  const ofPair = (each) => ({ ...each, symbol: pair.symbol });

  it('knows the entries of copies by the side of the trade that opened the lot', () => {
    const reader = new FactReader({}, {}, { valuesThirdAssets: true });
    reader.trades.set('leader', new Map([['source', { id: 'source', side: 'SELL' }]]));
    const copy = (side) => reader.isEntry({ side, source_trade_id: 'source' });
    expect([copy('SELL'), copy('BUY'), reader.isEntry({ side: 'SELL' })]).toEqual([true, false, undefined]);
  });

  it('keeps what each copier holds of lots on both sides, also after a trade by hand', () => {
    const replay = replayOf();
    const long = replay.copiedLot(
      copiers[0],
      { lotId: 'L', symbol: pair.symbol, isEntry: true, side: 'BUY' },
      {},
    );
    // An exit is on the other side of the lot.
    const short = replay.copiedLot(
      copiers[1],
      { lotId: 'S', symbol: pair.symbol, isEntry: false, side: 'BUY' },
      {},
    );
    expect([long.side, short.side]).toEqual(['BUY', 'SELL']);
    replay.apply(
      'account',
      [ofPair(fill('BUY 3', ofCopier('one', 'L', true, { tradeId: 'a', price: '100' })))],
      long,
    );
    replay.apply(
      'account',
      [ofPair(fill('SELL 2', ofCopier('two', 'S', true, { tradeId: 'b', at: 2 })))],
      short,
    );
    expect([long.held, long.cost, short.held].map(String)).toEqual(['3', '300', '2']);
    replay.apply('account', [ofPair(fill('SELL 1', { tradeId: 'hand', at: 3 }))]);
    expect([long.held, long.cost, short.held].map(String)).toEqual(['2', '200', '2']);
  });

  it('relates a fixed size to what the order of a reversal opens', () => {
    const replay = replayOf();
    const book = replay.book('leader', pair.symbol);
    book.book(fill('BUY 1', { tradeId: 'a', at: 1 }));
    book.book(fill('SELL 3', { tradeId: 'b', at: 2 }));
    const [strategy] = replay.participants.strategies;
    expect(String(replay.reversedBy(strategy, { symbol: pair.symbol, lotId: 'b' }))).toBe('1');
    expect(String(replay.reversedBy(strategy, { symbol: pair.symbol, lotId: 'a' }))).toBe('0');
  });

  it('uses the position and the margin after earlier exits of the step, and for max_leverage any equity of the last minute', () => {
    const replay = replayOf();
    replay.signed.setMark(pair.symbol, exact('100'));
    replay.signed.margins.set('account', {
      equity: exact('1000'),
      available: exact('1000'),
      maintenance: ZERO,
      nets: new Map([[pair.symbol, exact('3')]]),
    });
    replay.equities.record('account', exact('900'));
    replay.apply('account', [ofPair(fill('BUY 3', ofCopier('one', 'L', true, { tradeId: 'a' })))]);
    const { margin, side } = replay.signed.termsOf(copiers[0], { symbol: pair.symbol, side: 'SELL' });
    const most = (each) => String(each.mostAmount({ max_leverage: '0.5' }));
    expect([side, most(margin)]).toEqual(['SELL', '8']);
    expect(String(replay.signed.availableOf('account', pair.symbol))).toBe('1000');
    replay.apply('account', [ofPair(fill('SELL 3', ofCopier('one', 'L', false, { tradeId: 'b', at: 2 })))]);
    expect(most(replay.signed.termsOf(copiers[0], { symbol: pair.symbol, side: 'SELL' }).margin)).toBe('5');
    // The exits free 3 × 100 of notional, at a leverage of 20.
    expect(String(replay.signed.availableOf('account', pair.symbol))).toBe('1015');
    const entry = { margin, pair, mid: undefined };
    const limits = { max_leverage: '0.5' };
    const others = (sent) =>
      replay.signed
        .withOtherAmounts(entry, { copier: copiers[0], limits, sent: exact(sent) })
        .map((each) => most(each.margin));
    expect(others('9')).toEqual(['7.4955', '7.5045']);
    expect(others('7.5')).toEqual(['7.4955', '7.5045', '7.5']);
    // The product may know the mark price of some seconds ago.
    replay.signed.setMark(pair.symbol, exact('90'));
    expect(others('7.9').at(-1)).toBe('7.9');
    expect(others('8.1')).toHaveLength(2);
  });

  it('takes over the ratio and the amounts of an entry after a difference', () => {
    const replay = replayOf();
    const lot = newCopiedLot('one', pair.symbol, settings());
    const inputs = { ratio: '0.25', sent_before: '1', forgone_before: '0.5' };
    const decision = {
      id: 'd',
      kind: 'INCREASE',
      outcome: 'CLAMPED',
      target_amount: '3',
      sent_amount: '2',
      inputs,
    };
    replay.follow(decision, { lot, copier: copiers[0], lotId: 'L', filled: exact('2') });
    expect([lot.ratio, lot.sent, lot.forgone].map(String)).toEqual(['0.25', '3', '1.5']);
    const excluded = { ...decision, outcome: 'SKIPPED', sent_amount: '0', inputs: { leader_amount: '4' } };
    replay.follow(excluded, { lot, copier: copiers[0], lotId: 'L', filled: ZERO });
    expect([lot.ratio, lot.sent, lot.forgone, lot.skipped].map(String)).toEqual(['undefined', '0', '0', '4']);
    lot.earlier.push({ sent_amount: '1' });
    replay.follow(decision, { lot, copier: copiers[0], lotId: 'L', filled: exact('2') });
    replay.follow(excluded, { lot, copier: copiers[0], lotId: 'L', filled: ZERO });
    expect(String(lot.sent)).toBe('3');
  });

  it('shows funding and the side of a lot', () => {
    const book = bookOf(fill('SELL 2', { tradeId: 'trade', at: 5, price: '100' }));
    const ledger = {
      funding: [
        { symbol: pair.symbol, amount: '-1.5', at: new Date(9).toISOString() },
        { symbol: 'other', amount: '2', at: new Date(9).toISOString() },
      ],
    };
    const { ofLots, total } = fundingOf([book], ledger);
    expect([String(ofLots.get(book.lots[0])), String(total)]).toEqual(['-1.5', '0.5']);
    const figures = Object.entries(lotFigures(book, book.lots[0], exact('100'))).map(([name, value]) => [
      name,
      String(value),
    ]);
    const record = {
      ...Object.fromEntries(figures),
      id: 'lot',
      trade_id: 'trade',
      side: 'SELL',
      status: 'OPEN',
      is_detached: false,
      fees_incomplete: false,
      opened_at: new Date(5).toISOString(),
      funding: '-1.5',
    };
    const account = {
      books: [book],
      priceOf: () => exact('100'),
      strategyIdOf: () => undefined,
      fundingOf: (lot) => ofLots.get(lot) ?? ZERO,
    };
    expect(compareLots([record], account)).toEqual([]);
    const fields = compareLots([{ ...record, side: 'BUY', funding: '0' }], account).map(({ field }) => field);
    expect(fields).toEqual(['lot lot side', 'lot lot funding']);
  });
});

describe('the largest position of a leverage', () => {
  const limits = new PositionLimits();
  limits.set(pair.symbol, [
    { initialLeverage: 50, notionalCap: 500_000 },
    { initialLeverage: 25, notionalCap: 5_000_000 },
  ]);
  const order = (more = {}) => ({
    symbol: pair.symbol,
    leverage: exact('33'),
    net: ZERO,
    mark: exact('50000'),
    side: 'SELL',
    amount: exact('10'),
    price: exact('50000'),
    ...more,
  });

  it.each([
    ['the limit itself', {}, false],
    ['more than the limit', { amount: exact('10.001') }, true],
    ['more, with a lower leverage', { amount: exact('10.001'), leverage: exact('25') }, false],
    ['more, at the price of the order', { price: exact('50000.1') }, true],
    ['more, together with the position', { net: exact('-0.001') }, true],
    ['less, after it closed the position', { amount: exact('10.001'), net: exact('0.001') }, false],
    ['a reduction of a position above the limit', { net: exact('20'), amount: exact('5') }, false],
    ['a pair whose tiers are not known', { symbol: 'ETH/USDT:USDT', amount: exact('100') }, false],
  ])('decides about %s', (_, more, isExceeded) => {
    expect(limits.isExceeded(order(more))).toBe(isExceeded);
  });

  it('makes an entry fail, as the exchange rejects it', () => {
    const plan = { outcome: 'COPIED', sent: exact('11'), isRejected: true };
    expect(settledOutcome(plan, true, ZERO)).toEqual({ outcome: 'FAILED', code: 'EXCHANGE_REJECTED' });
    expect(settledOutcome({ ...plan, isRejected: false }, true, ZERO)).toEqual({
      outcome: 'SKIPPED',
      code: 'SLIPPAGE',
    });
  });
});
