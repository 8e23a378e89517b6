import fc from 'fast-check';
import { VenueError } from '../../errors.js';
import { Exchange } from '../exchange.js';
import type { Account, SideEffect } from '../order.js';
import { State, type StateRecord } from '../state.js';
import { ASSETS, findMarket } from '../symbols.js';
import { interestOf, marginIdOf, marginValues } from './margin-account.rules.js';
import { LENDER } from './margin-lending.js';

const spec = findMarket('BTC/USDT')!;
const UNIT = 100_000_000n;
const HOUR_MS = 3_600_000;
const owner: Account = {
  id: 'a',
  uid: 1,
  apiKey: 'a',
  apiSecret: 'a',
  canTrade: true,
  canWithdraw: false,
  createdAt: 0,
};
const margin = { ...owner, id: marginIdOf(owner.id) };

function start() {
  const clock = { at: 10 * HOUR_MS };
  const records: StateRecord[] = [];
  const state = new State();
  const exchange = new Exchange({
    state,
    fees: { makerPpm: 1_000, takerPpm: 1_000 },
    now: () => clock.at,
    persist: (record) => records.push(JSON.parse(JSON.stringify(record))),
  });
  exchange.openAccount(owner, new Map([['USDT', 10_000n * UNIT]]));
  exchange.margin.transfer(owner, true, 'USDT', 10_000n * UNIT);
  exchange.placeQuote(spec, 'BUY', 4_999_000, 10_000_000);
  exchange.placeQuote(spec, 'SELL', 5_001_000, 10_000_000);
  exchange.setLastPrice(spec, 5_000_000);
  exchange.commitHouseOrders(spec);
  return { clock, records, state, exchange };
}

const anyMove = fc.record({
  kind: fc.constantFrom('borrow', 'repay', 'order', 'order', 'order', 'hour', 'cancel', 'transfer'),
  asset: fc.constantFrom('BTC', 'USDT'),
  amount: fc.integer({ min: 1, max: 30_000 }),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  sideEffect: fc.constantFrom<SideEffect>('NO_SIDE_EFFECT', 'MARGIN_BUY', 'AUTO_REPAY', 'AUTO_BORROW_REPAY'),
  isMarket: fc.boolean(),
});
type Move = typeof anyMove extends fc.Arbitrary<infer T> ? T : never;

function run({ clock, state, exchange }: ReturnType<typeof start>, move: Move, n: number): void {
  // An amount of 1 is 1 USDT or 0.0001 BTC.
  const units = BigInt(move.amount) * (move.asset === 'BTC' ? UNIT / 10_000n : UNIT);
  switch (move.kind) {
    case 'borrow':
      exchange.margin.borrow(margin.id, move.asset, units);
      break;
    case 'repay':
      exchange.margin.repay(margin.id, move.asset, units);
      break;
    case 'hour':
      clock.at += HOUR_MS;
      exchange.margin.chargeDue();
      break;
    case 'transfer':
      exchange.margin.transfer(owner, move.isMarket, move.asset, units);
      break;
    case 'cancel': {
      const [open] = state.openOrdersOf(margin.id);
      if (open !== undefined) exchange.cancel(open, 'x');
      break;
    }
    default:
      exchange.place(margin, spec, {
        side: move.side,
        type: move.isMarket ? 'MARKET' : 'LIMIT',
        timeInForce: 'GTC',
        lots: move.amount * 10,
        priceTicks: move.isMarket ? 0 : 5_000_000,
        stopTicks: 0,
        quoteOrderQty: 0n,
        clientOrderId: `n${n}`,
        sideEffect: move.sideEffect,
      });
  }
}

describe('margin lending', () => {
  it('after any loans, orders and hours holds the issued total of each asset, owes what was lent, and can be restored from its records', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.array(anyMove, { minLength: 5, maxLength: 40 }), (moves) => {
        const test = start();
        const { state } = test;
        moves.forEach((move, n) => {
          const before = state.loans.changesOf(margin.id).length;
          try {
            run(test, move, n);
          } catch (error) {
            if (!(error instanceof VenueError)) throw error;
            refused += 1;
            expect(state.loans.changesOf(margin.id)).toHaveLength(before);
          }
          for (const asset of ASSETS) {
            expect(state.ledger.total(asset)).toBe(state.ledger.issued().get(asset));
            const paid = state.loans
              .changesOf(margin.id)
              .filter((change) => change.asset === asset && change.type === 'REPAY')
              .reduce((sum, { interest }) => sum + interest, 0n);
            const lent = 10n ** 20n + paid - state.ledger.balance(LENDER, asset).free;
            expect(state.loans.debt(margin.id, asset).principal).toBe(lent);
          }
        });
        const replayed = new State();
        for (const record of test.records) replayed.apply(record);
        expect(replayed.loans.changesOf(margin.id)).toEqual(state.loans.changesOf(margin.id));
        expect(replayed.loans.chargesOf(margin.id)).toEqual(state.loans.chargesOf(margin.id));
        for (const asset of ASSETS)
          expect(replayed.loans.debt(margin.id, asset)).toEqual(state.loans.debt(margin.id, asset));
        const copied = new State();
        for (const record of state.dump()) copied.apply(JSON.parse(JSON.stringify(record)));
        expect(copied.loans.chargesOf(margin.id)).toEqual(state.loans.chargesOf(margin.id));
        expect(copied.ledger.balances(margin.id)).toEqual(state.ledger.balances(margin.id));
      }),
      { numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it('charges each hour once, also for hours in which the process did not run', () => {
    const { clock, state, exchange } = start();
    exchange.margin.borrow(margin.id, 'USDT', 1_000n * UNIT);
    clock.at += 3 * HOUR_MS + 1;
    exchange.margin.chargeDue();
    exchange.margin.chargeDue();
    const hourly = interestOf(1_000n * UNIT);
    expect(hourly).toBe(1_000_000n);
    expect(state.loans.debt(margin.id, 'USDT')).toEqual({ principal: 1_000n * UNIT, interest: 4n * hourly });
    expect(state.loans.chargesOf(margin.id).map(({ type }) => type)).toEqual([
      'ON_BORROW',
      'PERIODIC',
      'PERIODIC',
      'PERIODIC',
    ]);
  });

  it('repays what an order borrowed and did not spend, however the order ends', () => {
    const { state, exchange, records } = start();
    const place = (timeInForce: 'GTC' | 'IOC') =>
      exchange.place(margin, spec, {
        side: 'BUY',
        type: 'LIMIT',
        timeInForce,
        lots: 40_000,
        priceTicks: 5_000_000,
        stopTicks: 0,
        quoteOrderQty: 0n,
        clientOrderId: timeInForce,
        sideEffect: 'MARGIN_BUY',
      });
    const debt = () => state.loans.debt(margin.id, 'USDT');
    const interest = interestOf(10_000n * UNIT);
    // 20,000 USDT cost 10,000 USDT more than the account has.
    expect(place('IOC')).toMatchObject({ status: 'EXPIRED', loan: 10_000n * UNIT });
    expect(debt()).toEqual({ principal: interest, interest: 0n });
    const order = place('GTC');
    exchange.take(spec, 'SELL', 30_000, 5_000_000);
    exchange.commitHouseOrders(spec);
    expect(order.status).toBe('PARTIALLY_FILLED');
    exchange.cancel(order, 'x');
    // 5,000 USDT of the order were not spent.
    expect(debt()).toEqual({ principal: 5_000n * UNIT + 2n * interest, interest: 0n });
    expect(state.ledger.balance(margin.id, 'USDT').free).toBe(0n);
    const replayed = new State();
    for (const record of records) replayed.apply(record);
    expect(replayed.order(order.id)).toEqual(order);
  });

  it('rounds interest up, and values assets and debts at last prices', () => {
    const { state, exchange } = start();
    expect(interestOf(1n)).toBe(1n);
    exchange.margin.borrow(margin.id, 'BTC', UNIT / 10n);
    expect(marginValues(state, margin.id)).toEqual({ assets: 15_000n * UNIT, debts: 500_005_000_000n });
  });
});
