/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import {
  fillKey,
  type KnownTrade,
  type ReconcileAction,
  type ReconcileInput,
  type ReportedFill,
  type ReportedOrder,
  reconcile,
} from './reconcile.rules.js';

const AT = new Date('2026-01-01T00:00:00Z');
const tradeOf = (id: string, overrides: Partial<KnownTrade> = {}): KnownTrade => ({
  id,
  symbol: 'BTC/USDT',
  venueClientOrderId: `client-${id}`,
  exchangeOrderId: `order-${id}`,
  isOurs: true,
  isSubmitted: true,
  isAcknowledged: true,
  isOpen: true,
  filledAmount: '0',
  ...overrides,
});
const orderOf = (id: string, overrides: Partial<ReportedOrder> = {}): ReportedOrder => ({
  exchangeOrderId: `order-${id}`,
  venueClientOrderId: `client-${id}`,
  symbol: 'BTC/USDT',
  filledAmount: '0',
  ...overrides,
});
const fillOf = (id: string, name: string, overrides: Partial<ReportedFill> = {}): ReportedFill => ({
  exchangeFillId: name,
  exchangeOrderId: `order-${id}`,
  symbol: 'BTC/USDT',
  side: 'BUY',
  amount: '1',
  executedAt: AT,
  ...overrides,
});
const inputOf = (overrides: Partial<ReconcileInput> = {}): ReconcileInput => ({
  trades: [],
  knownFills: new Set(),
  expectedHoldings: [],
  shortfalls: {},
  openOrders: [],
  fills: [],
  totalsByAsset: {},
  netLots: [],
  positions: null,
  ...overrides,
});
const run = (overrides: Partial<ReconcileInput>) => reconcile(inputOf(overrides));

describe('a comparison of an account with its exchange', () => {
  it('leads to no action if both agree', () => {
    const filled = fillOf('a', '1');
    const actions = run({
      trades: [tradeOf('a', { filledAmount: '1' }), tradeOf('done', { isOpen: false })],
      openOrders: [orderOf('a', { filledAmount: '1' })],
      fills: [filled],
      knownFills: new Set([fillKey(filled)]),
      expectedHoldings: [{ pairId: 'p', symbol: 'BTC/USDT', base: 'BTC', amount: '1' }],
      totalsByAsset: { BTC: '1' },
    });
    expect(actions).toEqual([]);
  });

  it('rule 22: stores the fills that were executed while the connection was lost, of open and of ended orders', () => {
    const [missed, late] = [fillOf('a', '1'), fillOf('b', '2')];
    const actions = run({
      trades: [tradeOf('a'), tradeOf('b', { isOpen: false })],
      openOrders: [orderOf('a', { filledAmount: '1' })],
      fills: [missed, late, missed],
    });
    expect(actions).toEqual([
      { kind: 'store', tradeId: 'a', order: orderOf('a', { filledAmount: '1' }), fills: [missed] },
      { kind: 'store', tradeId: 'b', order: null, fills: [late] },
    ]);
  });

  it('rule 22: probes for an order that is not among the open orders, and does not end its trade', () => {
    expect(run({ trades: [tradeOf('a')] })).toEqual([{ kind: 'probe', tradeId: 'a' }]);
  });

  it('leads to no action for a trade that was not submitted', () => {
    const unsent = { isSubmitted: false, isAcknowledged: false, exchangeOrderId: null };
    expect(run({ trades: [tradeOf('a', unsent)] })).toEqual([]);
  });

  it('row 3: adopts unknown open orders with their fills', () => {
    const fill = fillOf('x', '1');
    const openOrders = [orderOf('x', { filledAmount: '1' })];
    expect(run({ openOrders, fills: [fill] })).toEqual([
      { kind: 'adopt', order: openOrders[0], fills: [fill] },
    ]);
  });

  it('row 5: identifies the order of unknown fills', () => {
    const fills = [fillOf('x', '1'), fillOf('x', '2')];
    expect(run({ fills })).toEqual([
      { kind: 'identify', symbol: 'BTC/USDT', exchangeOrderId: 'order-x', fills },
    ]);
  });

  it('matches our order by client order id while its exchange order id is unknown', () => {
    const trade = tradeOf('a', { exchangeOrderId: null, isAcknowledged: false });
    expect(run({ trades: [trade], openOrders: [orderOf('a')] })).toEqual([
      { kind: 'store', tradeId: 'a', order: orderOf('a'), fills: [] },
    ]);
  });

  it('cancels our order if its trade has ended, but never an external order', () => {
    const openOrders = [orderOf('a')];
    const ended = tradeOf('a', { isOpen: false });
    const cancel = { kind: 'cancel', tradeId: 'a', order: orderOf('a') };
    expect(run({ trades: [ended], openOrders })).toEqual([cancel]);
    expect(run({ trades: [{ ...ended, isOurs: false }], openOrders })).toEqual([]);
  });
});

describe('rule 23: a shortfall', () => {
  const holdings = [
    { pairId: 'p1', symbol: 'BTC/USDT', base: 'BTC', amount: '2' },
    { pairId: 'p2', symbol: 'BTC/EUR', base: 'BTC', amount: '1' },
  ];
  const held = { BTC: '0.5' };

  it('is stored by the first comparison and written off by the second, the oldest pair first', () => {
    expect(run({ expectedHoldings: holdings, totalsByAsset: held })).toEqual([
      { kind: 'record_shortfalls', shortfalls: { BTC: '2.5' } },
    ]);
    expect(run({ expectedHoldings: holdings, totalsByAsset: held, shortfalls: { BTC: '2.5' } })).toEqual([
      { kind: 'write_off', pairId: 'p1', symbol: 'BTC/USDT', amount: '2' },
      { kind: 'write_off', pairId: 'p2', symbol: 'BTC/EUR', amount: '0.5' },
    ]);
  });

  it('is written off only up to the amount that both comparisons show', () => {
    expect(run({ expectedHoldings: holdings, totalsByAsset: held, shortfalls: { BTC: '1' } })).toEqual([
      { kind: 'write_off', pairId: 'p1', symbol: 'BTC/USDT', amount: '1' },
      { kind: 'record_shortfalls', shortfalls: { BTC: '1.5' } },
    ]);
    expect(
      run({ expectedHoldings: holdings, totalsByAsset: { BTC: '3' }, shortfalls: { BTC: '1' } }),
    ).toEqual([]);
  });

  it.each([
    ['an order of the asset is open', { trades: [tradeOf('a', { symbol: 'BTC/EUR' })] }],
    ['an order pays with the asset', { trades: [tradeOf('a', { symbol: 'ETH/BTC' })] }],
    ['an order waits to be sent', { trades: [tradeOf('a', { isSubmitted: false })] }],
    ['an external order of the asset is open', { openOrders: [orderOf('x')] }],
    ['a fill of the asset is new', { fills: [fillOf('x', '1')] }],
    ['the balances could not be read', { totalsByAsset: null }],
  ])('is not evaluated while %s', (_case, overrides) => {
    const kinds = run({
      expectedHoldings: holdings,
      totalsByAsset: held,
      shortfalls: { BTC: '2.5' },
      ...overrides,
    }).map(({ kind }) => kind);
    expect(kinds).not.toContain('write_off');
    expect(kinds).not.toContain('record_shortfalls');
  });

  it('below zero, which is a surplus, leads to no action', () => {
    expect(
      run({ expectedHoldings: holdings, totalsByAsset: { BTC: '1000', ETH: '5' }, shortfalls: { BTC: '1' } }),
    ).toEqual([]);
  });
});

/** Generates an exchange with orders and fills, and stored trades that lack some of the orders and fills. */
const reconcileInputs = fc
  .array(
    fc.record({
      isOurs: fc.boolean(),
      isOpenAtExchange: fc.boolean(),
      isTradeOpen: fc.boolean(),
      isAcknowledged: fc.boolean(),
      symbol: fc.constantFrom('BTC/USDT', 'ETH/USDT'),
      /** One element per fill of the order: whether it is stored. Only fills of our own orders can be stored. */
      isFillStored: fc.array(fc.boolean(), { maxLength: 4 }),
    }),
    { maxLength: 12 },
  )
  .map((orders) => {
    const trades: KnownTrade[] = [];
    const openOrders: ReportedOrder[] = [];
    const fills: ReportedFill[] = [];
    const known = new Set<string>();
    for (const [i, order] of orders.entries()) {
      const id = String(i);
      const { symbol } = order;
      const venueFills = order.isFillStored.map((_, n) => fillOf(id, `${id}-${n}`, { symbol }));
      // All fills of the order except the first are reported twice.
      fills.push(...venueFills, ...venueFills.slice(1));
      const storedFills = order.isOurs ? venueFills.filter((_, n) => order.isFillStored[n]) : [];
      for (const fill of storedFills) known.add(fillKey(fill));
      const isAcknowledged = order.isAcknowledged || storedFills.length > 0;
      if (order.isOurs)
        trades.push(
          tradeOf(id, {
            symbol,
            isAcknowledged,
            exchangeOrderId: isAcknowledged ? `order-${id}` : null,
            isOpen: order.isTradeOpen,
            filledAmount: String(storedFills.length),
          }),
        );
      if (order.isOpenAtExchange)
        openOrders.push(orderOf(id, { symbol, filledAmount: String(venueFills.length) }));
    }
    return inputOf({ trades, openOrders, fills, knownFills: known });
  });

/**
 * Returns the input of the next comparison, once the actions are carried out and the orders to identify are fetched.
 */
function applyActions(input: ReconcileInput, actions: readonly ReconcileAction[]): ReconcileInput {
  const trades = new Map(input.trades.map((trade) => [trade.id, trade]));
  const known = new Set(input.knownFills);
  const store = (
    id: string,
    order: { symbol: string; exchangeOrderId: string },
    fills: readonly ReportedFill[],
  ) => {
    const trade = trades.get(id) ?? tradeOf(id, { symbol: order.symbol, isOpen: true });
    const newFills = fills.filter((fill) => !known.has(fillKey(fill)));
    for (const fill of newFills) known.add(fillKey(fill));
    trades.set(id, {
      ...trade,
      isAcknowledged: true,
      exchangeOrderId: order.exchangeOrderId,
      filledAmount: new BigDecimal(trade.filledAmount).plus(newFills.length).toString(),
    });
  };
  const idOf = (exchangeOrderId: string) => exchangeOrderId.replace('order-', '');
  for (const action of actions) {
    if (action.kind === 'identify') store(idOf(action.exchangeOrderId), action, action.fills);
    if (action.kind === 'adopt') store(idOf(action.order.exchangeOrderId), action.order, action.fills);
    if (action.kind === 'store') store(action.tradeId, action.order ?? action.fills[0]!, action.fills);
  }
  return { ...input, trades: [...trades.values()], knownFills: known };
}

describe('a comparison of any stored state', () => {
  it('rule 22: stores every fill once, and a second comparison stores no further fills or orders', () => {
    fc.assert(
      fc.property(reconcileInputs, (input) => {
        const actions = reconcile(input);
        const reported = actions.flatMap((action) => ('fills' in action ? action.fills.map(fillKey) : []));
        expect(new Set(reported).size).toBe(reported.length);
        const stateAfter = applyActions(input, actions);
        expect(input.fills.every((fill) => stateAfter.knownFills.has(fillKey(fill)))).toBe(true);
        const again = reconcile(stateAfter).filter(({ kind }) => kind !== 'probe' && kind !== 'cancel');
        expect(again).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('only probes for a trade whose order is not listed, and never ends it', () => {
    fc.assert(
      fc.property(reconcileInputs, (input) => {
        const probes = reconcile(input).flatMap((action) =>
          action.kind === 'probe' ? [action.tradeId] : [],
        );
        const open = new Set(input.openOrders.map(({ exchangeOrderId }) => exchangeOrderId));
        const missing = input.trades.filter(({ id, isOpen }) => isOpen && !open.has(`order-${id}`));
        expect(probes.sort()).toEqual(missing.map(({ id }) => id).sort());
      }),
    );
  });

  it('writes off at most the amount that was missing in both comparisons', () => {
    const amounts = fc.nat(1_000).map(String);
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 4 }), amounts, amounts, (expected, heldBtc, earlier) => {
        const holdings = expected.map((amount, i) => ({
          pairId: `${i}`,
          symbol: `BTC/Q${i}`,
          base: 'BTC',
          amount,
        }));
        const actions = run({
          expectedHoldings: holdings,
          totalsByAsset: { BTC: heldBtc },
          shortfalls: { BTC: earlier },
        });
        const writtenOff = actions.reduce(
          (sum, action) => sum + (action.kind === 'write_off' ? Number(action.amount) : 0),
          0,
        );
        const total = expected.reduce((sum, amount) => sum + Number(amount), 0);
        expect(writtenOff).toBe(Math.max(0, Math.min(total - Number(heldBtc), Number(earlier))));
        for (const action of actions)
          if (action.kind === 'write_off')
            expect(Number(action.amount)).toBeLessThanOrEqual(Number(expected[Number(action.pairId)]));
      }),
    );
  });
});

describe('a shortfall on margin', () => {
  const SHORTFALL = { BTC: '0.5' };
  /** Compares long and short lots of BTC with the net of balance and loan, in a comparison that repeats the shortfall. */
  const compare = (long: string, short: string, net: string, interest = '0') =>
    run({
      expectedHoldings: [
        { pairId: 'p', symbol: 'BTC/USDT', base: 'BTC', amount: long, shortAmount: short },
        { pairId: 'q', symbol: 'BTC/USDC', base: 'BTC', amount: '0', shortAmount: '1' },
      ],
      totalsByAsset: { BTC: net },
      interest: { BTC: interest },
      shortfalls: SHORTFALL,
    });
  const writeOff = { kind: 'write_off', pairId: 'p', symbol: 'BTC/USDT', amount: '0.5' };

  it.each([
    ['does not exist if short lots owe what they should', '2', '0.5', '0.5', '0', []],
    ['is written off like on spot', '2', '0.5', '0', '0', [writeOff]],
    ['is explained by interest up to its amount', '2', '0.5', '0', '0.5', []],
    ['does not exist for short lots alone, whatever else was borrowed', '0', '0.5', '-9', '0', []],
    ['is at most what the long lots hold', '0.5', '0.5', '-9', '0', [writeOff]],
    ['does not exist after a payment and a repayment of the user', '0', '0.5', '0', '0', []],
  ] as const)('%s', (_title, long, short, net, interest, actions) => {
    expect(compare(long, short, net, interest)).toEqual(actions);
  });
});

describe('a difference between a position and the lots', () => {
  const SYMBOL = 'BTC/USDT:USDT';
  const compare = (
    lots: string,
    position: string | null,
    earlier: string,
    more: Partial<ReconcileInput> = {},
  ) =>
    run({
      netLots: lots === '0' ? [] : [{ symbol: SYMBOL, net: lots }],
      positions: position === null ? [] : [{ symbol: SYMBOL, net: position, markPrice: '100' }],
      shortfalls: earlier === '0' ? {} : { [SYMBOL]: earlier },
      ...more,
    });
  const correction = (side: 'BUY' | 'SELL', amount: string, markPrice: string | null = '100') => ({
    kind: 'correct_position',
    symbol: SYMBOL,
    side,
    amount,
    markPrice,
  });
  const suspicion = (difference: string) => ({
    kind: 'record_shortfalls',
    shortfalls: { [SYMBOL]: difference },
  });

  it.each([
    ['is only recorded at first', '2', '5', '0', [suspicion('3')]],
    ['is corrected if it lasts', '2', '5', '3', [correction('BUY', '3')]],
    ['is corrected downwards', '2', '-1', '-3', [correction('SELL', '3')]],
    [
      'is corrected as far as both comparisons agree',
      '2',
      '5',
      '1',
      [suspicion('2'), correction('BUY', '1')],
    ],
    ['is not corrected if its sign changed', '2', '5', '-3', [suspicion('3')]],
    ['is corrected without a position', '-2', null, '2', [correction('BUY', '2', null)]],
    ['is corrected without lots', '0', '-4', '-4', [correction('SELL', '4')]],
    ['leads to no action if they agree', '2', '2', '1', []],
  ] as const)('%s', (_title, lots, position, earlier, actions) => {
    expect(compare(lots, position, earlier)).toEqual(expect.arrayContaining([...actions]));
    expect(compare(lots, position, earlier)).toHaveLength(actions.length);
  });

  it('is not corrected while an order of the pair is in flight or a fill of the pair is new', () => {
    const order = tradeOf('a', { symbol: SYMBOL, isAcknowledged: false });
    expect(compare('2', '5', '3', { trades: [order] }).map(({ kind }) => kind)).toEqual(['probe']);
    const fills = [fillOf('f', '1', { symbol: SYMBOL })];
    expect(compare('2', '5', '3', { fills }).map(({ kind }) => kind)).toEqual(['identify']);
  });

  it('is not corrected where the exchange has an unsupported position, as in hedge mode', () => {
    expect(compare('2', null, '-2', { unsupportedSymbols: [SYMBOL] })).toEqual([]);
    expect(compare('2', null, '-2', { unsupportedSymbols: ['ETH/USDT:USDT'] })).toHaveLength(1);
  });

  it('is not looked for in an account without positions', () => {
    expect(compare('2', null, '-2', { positions: null })).toEqual([]);
  });
});
