import fc from 'fast-check';
import { VenueError } from '../errors.js';
import { Exchange } from './exchange.js';
import { FEES } from './ledger.js';
import type { Account } from './order.js';
import type { OrderRequest } from './order.rules.js';
import { splitInThree } from './split-order.js';
import { State, type StateRecord } from './state.js';
import { ASSETS, findMarket } from './symbols.js';

const spec = findMarket('BTC/USDT')!;
const UNIT = 100_000_000n;

function account(id: string): Account {
  return { id, uid: 1, apiKey: id, apiSecret: id, canTrade: true, canWithdraw: false, createdAt: 0 };
}

/** Creates an exchange that persists into `records`. With `splitsOrders`, orders fill in three parts. */
function start(records: StateRecord[] = [], splitsOrders = false): { exchange: Exchange; state: State } {
  const state = new State();
  const persist = (record: StateRecord): void => void records.push(JSON.parse(JSON.stringify(record)));
  return {
    state,
    exchange: new Exchange({
      state,
      fees: { makerPpm: 1_000, takerPpm: 1_000 },
      now: () => 1,
      persist,
      ...(splitsOrders ? { splitLots: splitInThree } : {}),
    }),
  };
}

function order(overrides: Partial<OrderRequest>): OrderRequest {
  return {
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    lots: 100_000,
    priceTicks: 6_000_000,
    stopTicks: 0,
    quoteOrderQty: 0n,
    clientOrderId: `c${Math.random()}`,
    ...overrides,
  };
}

/** One random action: a user places an order or cancels an open one, or the house places a quote. */
const anyMove = fc.record({
  user: fc.nat(2),
  isCancel: fc.boolean(),
  openOrderIndex: fc.nat(5),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  kind: fc.constantFrom(
    'LIMIT',
    'IOC',
    'FOK',
    'MARKET',
    'QUOTE',
    'LIMIT_MAKER',
    'STOP_LOSS',
    'STOP_LOSS_LIMIT',
    'HOUSE',
  ),
  lots: fc.integer({ min: 20, max: 300_000 }),
  ticks: fc.integer({ min: 5_999_000, max: 6_001_000 }),
});

function toRequest(
  move: { side: 'BUY' | 'SELL'; kind: string; lots: number; ticks: number },
  n: number,
): OrderRequest {
  const isLimit = !['MARKET', 'QUOTE', 'STOP_LOSS'].includes(move.kind);
  return {
    side: move.side,
    type: (['IOC', 'FOK'].includes(move.kind)
      ? 'LIMIT'
      : move.kind === 'QUOTE'
        ? 'MARKET'
        : move.kind) as OrderRequest['type'],
    timeInForce: move.kind === 'IOC' || move.kind === 'FOK' ? move.kind : 'GTC',
    lots: move.kind === 'QUOTE' ? 0 : move.lots,
    priceTicks: isLimit ? move.ticks : 0,
    stopTicks: move.kind.startsWith('STOP') ? move.ticks : 0,
    quoteOrderQty: move.kind === 'QUOTE' ? BigInt(move.lots) * UNIT : 0n,
    clientOrderId: `n${n}`,
  };
}

describe('the exchange', () => {
  it('after any orders holds the issued total of each asset, locks what open orders need, and can be restored from its records', () => {
    fc.assert(
      fc.property(fc.array(anyMove, { maxLength: 60 }), fc.boolean(), (moves, splitsOrders) => {
        const records: StateRecord[] = [];
        const { exchange, state } = start(records, splitsOrders);
        const users = ['a', 'b', 'c'].map(account);
        for (const user of users)
          exchange.openAccount(
            user,
            new Map([
              ['USDT', 200_000n * UNIT],
              ['BTC', 5n * UNIT],
            ]),
          );
        moves.forEach((move, n) => {
          const user = users[move.user]!;
          try {
            const open = state.openOrdersOf(user.id)[move.openOrderIndex];
            if (move.kind === 'HOUSE') {
              exchange.placeQuote(spec, move.side, move.ticks, move.lots);
              exchange.commitHouseOrders(spec);
            } else if (move.isCancel && open !== undefined) exchange.cancel(open, 'x');
            else exchange.place(user, spec, toRequest(move, n));
          } catch (error) {
            if (!(error instanceof VenueError)) throw error;
          }
          for (const asset of ASSETS)
            expect(state.ledger.total(asset)).toBe(state.ledger.issued().get(asset));
          for (const { id } of users) {
            for (const [asset, side] of [
              ['USDT', 'BUY'],
              ['BTC', 'SELL'],
            ] as const) {
              const locked = state
                .openOrdersOf(id)
                .filter((o) => o.side === side)
                .reduce((sum, o) => sum + o.locked, 0n);
              expect(state.ledger.balance(id, asset).locked).toBe(locked);
            }
          }
        });
        const replayed = new State();
        for (const record of records) replayed.apply(record);
        for (const { id } of users) {
          expect(replayed.ledger.balances(id)).toEqual(state.ledger.balances(id));
          expect(replayed.ordersOf(id)).toEqual(state.ordersOf(id));
          expect(replayed.fillsOf(id)).toEqual(state.fillsOf(id));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('fills a MARKET order that is larger than the best level at two prices, and removes the amounts from the book', () => {
    const { exchange, state } = start();
    exchange.placeQuote(spec, 'SELL', 6_000_000, 100_000);
    exchange.placeQuote(spec, 'SELL', 6_000_100, 100_000);
    exchange.commitHouseOrders(spec);
    exchange.openAccount(account('a'), new Map([['USDT', 200_000n * UNIT]]));
    const placed = exchange.place(
      account('a'),
      spec,
      order({ type: 'MARKET', lots: 150_000, priceTicks: 0 }),
    );
    expect(placed.status).toBe('FILLED');
    expect(state.fillsOf('a').map((fill) => [fill.priceTicks, fill.lots])).toEqual([
      [6_000_000, 100_000],
      [6_000_100, 50_000],
    ]);
    expect(exchange.book(spec).levels().asks).toEqual([[6_000_100, 50_000]]);
    expect(state.ledger.balance('a', 'BTC')).toEqual({ free: 149_850_000n, locked: 0n });
    expect(state.ledger.balance('a', 'USDT')).toEqual({ free: 10_999_950_000_000n, locked: 0n });
    expect(state.ledger.balance(FEES, 'BTC').free).toBe(150_000n);
  });

  it('expires an order that would trade with an order of the same account, and keeps the resting order', () => {
    const { exchange, state } = start();
    exchange.openAccount(
      account('a'),
      new Map([
        ['USDT', 200_000n * UNIT],
        ['BTC', UNIT],
      ]),
    );
    const maker = exchange.place(account('a'), spec, order({}));
    const taker = exchange.place(account('a'), spec, order({ side: 'SELL' }));
    expect([maker.status, taker.status]).toEqual(['NEW', 'EXPIRED_IN_MATCH']);
    expect(state.ledger.balance('a', 'BTC')).toEqual({ free: UNIT, locked: 0n });
  });

  it('rejects an order that costs more than the free balance, and changes nothing', () => {
    const { exchange, state } = start();
    exchange.openAccount(account('a'), new Map([['USDT', 10n * UNIT]]));
    expect(() => exchange.place(account('a'), spec, order({}))).toThrow(
      expect.objectContaining({ code: -2010 }),
    );
    expect(state.ordersOf('a')).toEqual([]);
    expect(state.ledger.balance('a', 'USDT')).toEqual({ free: 10n * UNIT, locked: 0n });
  });
});
