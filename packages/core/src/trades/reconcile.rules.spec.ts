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
const tradeOf = (id: string, more: Partial<KnownTrade> = {}): KnownTrade => ({
  id,
  symbol: 'BTC/USDT',
  venueClientOrderId: `client-${id}`,
  exchangeOrderId: `order-${id}`,
  isOurs: true,
  isSubmitted: true,
  isAcknowledged: true,
  isOpen: true,
  filledAmount: '0',
  ...more,
});
const orderOf = (id: string, more: Partial<ReportedOrder> = {}): ReportedOrder => ({
  exchangeOrderId: `order-${id}`,
  venueClientOrderId: `client-${id}`,
  symbol: 'BTC/USDT',
  filledAmount: '0',
  ...more,
});
const fillOf = (id: string, name: string, more: Partial<ReportedFill> = {}): ReportedFill => ({
  exchangeFillId: name,
  exchangeOrderId: `order-${id}`,
  symbol: 'BTC/USDT',
  side: 'BUY',
  amount: '1',
  executedAt: AT,
  ...more,
});
const inputOf = (more: Partial<ReconcileInput> = {}): ReconcileInput => ({
  trades: [],
  knownFills: new Set(),
  expectedHoldings: [],
  shortfalls: {},
  openOrders: [],
  fills: [],
  totalsByAsset: {},
  ...more,
});
const run = (more: Partial<ReconcileInput>) => reconcile(inputOf(more));

describe('an account compared with its exchange', () => {
  it('needs nothing where both tell the same', () => {
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

  it('rule 22: stores the fills that were made while nobody listened, of open orders and of ended ones', () => {
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

  it('rule 22: looks for a trade that is not among the open orders, and does not take it for ended', () => {
    expect(run({ trades: [tradeOf('a')] })).toEqual([{ kind: 'probe', tradeId: 'a' }]);
  });

  it('asks nothing about a trade that nobody has sent', () => {
    const unsent = { isSubmitted: false, isAcknowledged: false, exchangeOrderId: null };
    expect(run({ trades: [tradeOf('a', unsent)] })).toEqual([]);
  });

  it('row 3: an open order that the ledger does not know is not dropped but adopted, with its fills', () => {
    const fill = fillOf('x', '1');
    const openOrders = [orderOf('x', { filledAmount: '1' })];
    expect(run({ openOrders, fills: [fill] })).toEqual([
      { kind: 'adopt', order: openOrders[0], fills: [fill] },
    ]);
  });

  it('row 5: fills of an order that nobody knows are traced to it', () => {
    const fills = [fillOf('x', '1'), fillOf('x', '2')];
    expect(run({ fills })).toEqual([
      { kind: 'identify', symbol: 'BTC/USDT', exchangeOrderId: 'order-x', fills },
    ]);
  });

  it('takes an order for ours by its client order id while its own id is not known yet', () => {
    const trade = tradeOf('a', { exchangeOrderId: null, isAcknowledged: false });
    expect(run({ trades: [trade], openOrders: [orderOf('a')] })).toEqual([
      { kind: 'store', tradeId: 'a', order: orderOf('a'), fills: [] },
    ]);
  });

  it('adopts no order without a client order id while one of ours on its pair is on its way', () => {
    const anonymous = orderOf('x', { venueClientOrderId: '' });
    const onItsWay = tradeOf('a', { exchangeOrderId: null, isAcknowledged: false });
    const other = { ...onItsWay, symbol: 'ETH/USDT' };
    expect(run({ trades: [onItsWay], openOrders: [anonymous] })).toEqual([{ kind: 'probe', tradeId: 'a' }]);
    expect(run({ trades: [other], openOrders: [anonymous] })).toContainEqual({
      kind: 'adopt',
      order: anonymous,
      fills: [],
    });
  });

  it('cancels an order of ours that outlived its trade, and never one that somebody else placed', () => {
    const openOrders = [orderOf('a')];
    const ended = tradeOf('a', { isOpen: false });
    const cancel = { kind: 'cancel', tradeId: 'a', order: orderOf('a') };
    expect(run({ trades: [ended], openOrders })).toEqual([cancel]);
    expect(run({ trades: [{ ...ended, isOurs: false }], openOrders })).toEqual([]);
  });
});

describe('rule 23: less at the exchange than lots claim', () => {
  const claims = [
    { pairId: 'p1', symbol: 'BTC/USDT', base: 'BTC', amount: '2' },
    { pairId: 'p2', symbol: 'BTC/EUR', base: 'BTC', amount: '1' },
  ];
  const held = { BTC: '0.5' };

  it('is remembered the first time, and a sale the second, the oldest pair first', () => {
    expect(run({ expectedHoldings: claims, totalsByAsset: held })).toEqual([
      { kind: 'suspect', shortfalls: { BTC: '2.5' } },
    ]);
    expect(run({ expectedHoldings: claims, totalsByAsset: held, shortfalls: { BTC: '2.5' } })).toEqual([
      { kind: 'synthesise', pairId: 'p1', symbol: 'BTC/USDT', amount: '2' },
      { kind: 'synthesise', pairId: 'p2', symbol: 'BTC/EUR', amount: '0.5' },
    ]);
  });

  it('is a sale only as far as both times showed it', () => {
    expect(run({ expectedHoldings: claims, totalsByAsset: held, shortfalls: { BTC: '1' } })).toEqual([
      { kind: 'synthesise', pairId: 'p1', symbol: 'BTC/USDT', amount: '1' },
      { kind: 'suspect', shortfalls: { BTC: '1.5' } },
    ]);
    expect(run({ expectedHoldings: claims, totalsByAsset: { BTC: '3' }, shortfalls: { BTC: '1' } })).toEqual(
      [],
    );
  });

  it.each([
    ['an order of the asset is open', { trades: [tradeOf('a', { symbol: 'BTC/EUR' })] }],
    ['something is bought with it', { trades: [tradeOf('a', { symbol: 'ETH/BTC' })] }],
    ['an order waits to be sent', { trades: [tradeOf('a', { isSubmitted: false })] }],
    ['somebody else has an order of it', { openOrders: [orderOf('x')] }],
    ['a fill of it is news', { fills: [fillOf('x', '1')] }],
    ['the balances could not be read', { totalsByAsset: null }],
  ])('is not judged while %s', (_case, more) => {
    const kinds = run({
      expectedHoldings: claims,
      totalsByAsset: held,
      shortfalls: { BTC: '2.5' },
      ...more,
    }).map(({ kind }) => kind);
    expect(kinds).not.toContain('synthesise');
    expect(kinds).not.toContain('suspect');
  });

  it('more than lots claim is nobody’s, and left alone', () => {
    expect(
      run({ expectedHoldings: claims, totalsByAsset: { BTC: '1000', ETH: '5' }, shortfalls: { BTC: '1' } }),
    ).toEqual([]);
  });
});

/** An exchange with orders and their fills, and a ledger that missed an arbitrary part of them. */
const reconcileInputs = fc
  .array(
    fc.record({
      isOurs: fc.boolean(),
      isOpenThere: fc.boolean(),
      isOpenHere: fc.boolean(),
      isAcknowledged: fc.boolean(),
      symbol: fc.constantFrom('BTC/USDT', 'ETH/USDT'),
      fills: fc.array(fc.boolean(), { maxLength: 4 }),
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
      const made = order.fills.map((_, n) => fillOf(id, `${id}-${n}`, { symbol }));
      fills.push(...made, ...made.slice(1));
      const kept = order.isOurs ? made.filter((_, n) => order.fills[n]) : [];
      for (const fill of kept) known.add(fillKey(fill));
      const isAcknowledged = order.isAcknowledged || kept.length > 0;
      if (order.isOurs)
        trades.push(
          tradeOf(id, {
            symbol,
            isAcknowledged,
            exchangeOrderId: isAcknowledged ? `order-${id}` : null,
            isOpen: order.isOpenHere,
            filledAmount: String(kept.length),
          }),
        );
      if (order.isOpenThere) openOrders.push(orderOf(id, { symbol, filledAmount: String(made.length) }));
    }
    return inputOf({ trades, openOrders, fills, knownFills: known });
  });

/** The ledger after the actions that it can carry out, and after the orders to identify were fetched. */
function applyActions(input: ReconcileInput, actions: readonly ReconcileAction[]): ReconcileInput {
  const trades = new Map(input.trades.map((trade) => [trade.id, trade]));
  const known = new Set(input.knownFills);
  const learn = (
    id: string,
    told: { symbol: string; exchangeOrderId: string },
    fills: readonly ReportedFill[],
  ) => {
    const trade = trades.get(id) ?? tradeOf(id, { symbol: told.symbol, isOpen: true });
    const news = fills.filter((fill) => !known.has(fillKey(fill)));
    for (const fill of news) known.add(fillKey(fill));
    trades.set(id, {
      ...trade,
      isAcknowledged: true,
      exchangeOrderId: told.exchangeOrderId,
      filledAmount: new BigDecimal(trade.filledAmount).plus(news.length).toString(),
    });
  };
  const idOf = (exchangeOrderId: string) => exchangeOrderId.replace('order-', '');
  for (const action of actions) {
    if (action.kind === 'identify') learn(idOf(action.exchangeOrderId), action, action.fills);
    if (action.kind === 'adopt') learn(idOf(action.order.exchangeOrderId), action.order, action.fills);
    if (action.kind === 'store') learn(action.tradeId, action.order ?? action.fills[0]!, action.fills);
  }
  return { ...input, trades: [...trades.values()], knownFills: known };
}

describe('whatever the ledger missed', () => {
  it('rule 22: after one comparison every fill is known, once, and a second one finds nothing new', () => {
    fc.assert(
      fc.property(reconcileInputs, (input) => {
        const actions = reconcile(input);
        const told = actions.flatMap((action) => ('fills' in action ? action.fills.map(fillKey) : []));
        expect(new Set(told).size).toBe(told.length);
        const then = applyActions(input, actions);
        expect(input.fills.every((fill) => then.knownFills.has(fillKey(fill)))).toBe(true);
        const again = reconcile(then).filter(({ kind }) => kind !== 'probe' && kind !== 'cancel');
        expect(again).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('no trade is concluded from a list: what is missing there is only looked for', () => {
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

  it('what was sold by reconciliation is never more than was missing, both times', () => {
    const amounts = fc.nat(1_000).map(String);
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 4 }), amounts, amounts, (claimed, heldBtc, before) => {
        const claims = claimed.map((amount, i) => ({
          pairId: `${i}`,
          symbol: `BTC/Q${i}`,
          base: 'BTC',
          amount,
        }));
        const actions = run({
          expectedHoldings: claims,
          totalsByAsset: { BTC: heldBtc },
          shortfalls: { BTC: before },
        });
        const sold = actions.reduce(
          (sum, action) => sum + (action.kind === 'synthesise' ? Number(action.amount) : 0),
          0,
        );
        const total = claimed.reduce((sum, amount) => sum + Number(amount), 0);
        expect(sold).toBe(Math.max(0, Math.min(total - Number(heldBtc), Number(before))));
        for (const action of actions)
          if (action.kind === 'synthesise')
            expect(Number(action.amount)).toBeLessThanOrEqual(Number(claimed[Number(action.pairId)]));
      }),
    );
  });
});
