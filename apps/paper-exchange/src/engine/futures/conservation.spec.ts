import fc from 'fast-check';
import { VenueError } from '../../errors.js';
import { BTC, TestFutures } from '../../testing/test-futures.js';
import { splitInThree } from '../split-order.js';
import type { FuturesTimeInForce } from './futures-order.js';
import type { FuturesState } from './futures-state.js';

const USERS = ['a', 'b', 'c'];
const price = fc.integer({ min: 570_000, max: 630_000 });
const user = fc.constantFrom(...USERS);
const side = fc.constantFrom('BUY' as const, 'SELL' as const);

/** One random action of a user, of the house or of the exchange. */
const anyMove = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('order' as const),
      user,
      side,
      type: fc.constantFrom('LIMIT' as const, 'MARKET' as const),
      timeInForce: fc.constantFrom<FuturesTimeInForce>('GTC', 'IOC', 'FOK', 'GTX'),
      isReduceOnly: fc.boolean(),
      lots: fc.integer({ min: 1, max: 4_000 }),
      ticks: price,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('algo' as const),
      user,
      side,
      lots: fc.integer({ min: 1, max: 3_000 }),
      ticks: price,
      isClosePosition: fc.boolean(),
      isByMark: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('mark' as const), ticks: price, ppm: fc.nat(9_999) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('quote' as const), ticks: price, lots: fc.nat(5_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('amend' as const), user, ticks: price, lots: fc.nat(9_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), user, index: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('funding' as const),
      rate: fc.integer({ min: -999_999, max: 999_999 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adl' as const), user }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delist' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leverage' as const),
      user,
      leverage: fc.integer({ min: 1, max: 125 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('isolated' as const), user, isIsolated: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('margin' as const),
      user,
      amount: fc.integer({ min: -9_000, max: 9_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deposit' as const), user, amount: fc.nat(9_000) }) },
);
type Move = typeof anyMove extends fc.Arbitrary<infer T> ? T : never;

function run(futures: TestFutures, move: Move): void {
  const { exchange, state } = futures;
  const account = state.account('user' in move ? move.user : 'a');
  switch (move.kind) {
    case 'order': {
      const isLimit = move.type === 'LIMIT';
      const { user: id, ticks, timeInForce, ...terms } = move;
      const order = { ...terms, timeInForce: isLimit ? timeInForce : ('GTC' as const) };
      futures.place(id, { ...order, priceTicks: isLimit ? ticks : 0 });
      break;
    }
    case 'algo':
      futures.placeAlgo(move.user, {
        side: move.side,
        type: move.lots % 2 === 0 ? 'STOP_MARKET' : 'TAKE_PROFIT_MARKET',
        lots: move.isClosePosition ? 0 : move.lots,
        triggerTicks: move.ticks,
        isClosePosition: move.isClosePosition,
        workingType: move.isByMark ? 'MARK_PRICE' : 'CONTRACT_PRICE',
      });
      break;
    case 'mark':
      exchange.setMark(BTC, move.ticks * 10_000 + move.ppm, move.ppm % 2 === 0);
      break;
    case 'quote':
      futures.quote(move.ticks, move.lots + 1);
      break;
    case 'amend': {
      const [open] = state.openOrdersOf(account.id);
      if (open !== undefined) exchange.amend(open, move.lots, move.ticks);
      break;
    }
    case 'cancel': {
      const open = state.openOrdersOf(account.id)[move.index];
      if (open !== undefined) exchange.cancel(open);
      break;
    }
    case 'funding':
      exchange.fund(BTC, move.rate);
      break;
    case 'adl':
      exchange.deleverage(account, BTC);
      break;
    case 'delist':
      exchange.setListed(BTC, false);
      exchange.setListed(BTC, true);
      break;
    case 'leverage':
      exchange.settings.setLeverage(account, BTC, move.leverage);
      break;
    case 'isolated':
      exchange.settings.setIsolated(account, BTC, move.isIsolated);
      break;
    case 'margin':
      exchange.settings.moveMargin(account, BTC, BigInt(move.amount) * 1_234_567n);
      break;
    case 'deposit':
      exchange.settings.deposit(account, BigInt(move.amount) * 1_000_001n);
      break;
  }
}

/** Runs a move, and returns whether the exchange accepted it. */
function isAccepted(futures: TestFutures, move: Move): boolean {
  try {
    run(futures, move);
    return true;
  } catch (error) {
    if (error instanceof VenueError) return false;
    throw error;
  }
}

function assertSound(futures: TestFutures): void {
  const { state, exchange } = futures;
  expect(state.total()).toBe(state.deposited);
  let lots = 0;
  for (const { positions } of state.allAccounts()) lots += positions.get(BTC.id)?.lots ?? 0;
  expect(lots).toBe(0);
  for (const id of USERS) {
    const account = state.account(id);
    const { contracts, crossMaintenance, crossUnrealized } = exchange.margins.of(account);
    expect(account.cross + crossUnrealized >= crossMaintenance || crossMaintenance === 0n).toBe(true);
    for (const { position, isIsolated, unrealized, maintenance } of contracts) {
      if (position.lots === 0) expect([position.cost, position.isolated]).toEqual([0n, 0n]);
      else if (isIsolated) expect(position.isolated + unrealized >= maintenance).toBe(true);
      for (const order of state.openOrdersOf(id).filter((open) => open.isReduceOnly)) {
        const closing = order.side === 'SELL' ? position.lots : -position.lots;
        if (position.lots !== 0) expect(order.lots - order.executedLots).toBeLessThanOrEqual(closing);
      }
    }
  }
}

function assertEqualStates(restored: FuturesState, state: FuturesState): void {
  expect(restored.total()).toBe(restored.deposited);
  for (const id of USERS) {
    expect(restored.account(id)).toEqual(state.account(id));
    expect(restored.ordersOf(id)).toEqual(state.ordersOf(id));
    expect(restored.algoOrdersOf(id)).toEqual(state.algoOrdersOf(id));
    expect(restored.fillsOf(id)).toEqual(state.fillsOf(id));
    expect(restored.incomesOf(id)).toEqual(state.incomesOf(id));
  }
}

describe('the futures exchange', () => {
  it('after any orders, mark prices, fundings, liquidations, auto-deleveraging and delistings conserves all money, keeps no position below its maintenance margin, and can be restored from its records and from a snapshot', () => {
    let accepted = 0;
    let liquidations = 0;
    fc.assert(
      fc.property(fc.array(anyMove, { minLength: 20, maxLength: 60 }), fc.boolean(), (moves, splits) => {
        const futures = new TestFutures({ makerPpm: 200, takerPpm: 500 }, splits ? splitInThree : undefined);
        for (const id of USERS) futures.fund(id, 10_000);
        futures.quote(600_000, 5_000);
        for (const move of moves) {
          if (isAccepted(futures, move)) accepted += 1;
          assertSound(futures);
        }
        for (const id of USERS)
          liquidations += futures.state.ordersOf(id).filter(({ forced }) => forced === 'LIQUIDATION').length;
        for (const restored of [futures.replayed(), futures.fromSnapshot()])
          assertEqualStates(restored, futures.state);
      }),
      { numRuns: 100 },
    );
    // The moves are not all refused, and some of them end in a liquidation.
    expect(accepted).toBeGreaterThan(500);
    expect(liquidations).toBeGreaterThan(0);
  });
});
