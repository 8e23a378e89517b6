import {
  decidesUnclear,
  isListingComplete,
  isUnlistedAgain,
  judgeListing,
  type ListedFill,
  type ListedOrder,
  type UnfoundTrade,
} from './order-listing.rules.js';

const SUBMITTED = new Date('2026-11-30T12:00:00Z');
const after = (ms: number) => new Date(SUBMITTED.getTime() + ms);
const tradeOf = (overrides: Partial<UnfoundTrade> = {}): UnfoundTrade => ({
  side: 'BUY',
  type: 'LIMIT',
  amount: '1',
  price: '100',
  venueClientOrderId: 'ours',
  exchangeOrderId: null,
  filledAmount: '0',
  submittedAt: SUBMITTED,
  ...overrides,
});
const orderOf = (overrides: Partial<ListedOrder> = {}): ListedOrder => ({
  exchangeOrderId: 'order-1',
  venueClientOrderId: '',
  side: 'BUY',
  amount: '1.0',
  price: '100.00',
  createdAt: SUBMITTED,
  ...overrides,
});
const fillOf = (overrides: Partial<ListedFill> = {}): ListedFill => ({
  exchangeOrderId: 'order-1',
  side: 'BUY',
  amount: '0.4',
  ...overrides,
});

interface Lists {
  readonly trade?: Partial<UnfoundTrade>;
  readonly openOrders?: readonly ListedOrder[];
  readonly fills?: readonly ListedFill[];
  readonly orders?: readonly ListedOrder[];
  readonly known?: readonly string[];
}
const judge = ({ trade, openOrders = [], fills = [], orders = [], known = [] }: Lists) =>
  judgeListing(
    tradeOf(trade),
    {
      openOrders,
      fills,
      ordersOfFills: new Map(orders.map((order) => [order.exchangeOrderId, order])),
    },
    new Set(known),
  );

describe('the lists of an exchange', () => {
  it('show nothing of an order without an open order and a fill', () => {
    expect(judge({})).toEqual({ outcome: 'UNLISTED' });
  });

  it.each([
    ['client order id', { venueClientOrderId: 'ours' }, {}],
    ['exchange order id', {}, { exchangeOrderId: 'order-1' }],
  ])('contain the order by its %s, among the open orders and among those of fills', (_id, order, trade) => {
    const listed = orderOf(order);
    expect(judge({ trade, openOrders: [orderOf({ exchangeOrderId: 'other' }), listed] })).toEqual({
      outcome: 'FOUND',
      order: listed,
    });
    expect(judge({ trade, fills: [fillOf()], orders: [listed] })).toEqual({
      outcome: 'FOUND',
      order: listed,
    });
  });

  it('contain new fills of an order whose exchange order id is known', () => {
    const trade = { exchangeOrderId: 'order-1', filledAmount: '0.4' };
    const fills = [fillOf(), fillOf({ exchangeOrderId: 'order-2' }), fillOf()];
    expect(judge({ trade, fills })).toEqual({ outcome: 'FILLED', fills: [fills[0], fills[2]] });
    expect(judge({ trade, fills: fills.slice(0, 2) })).toEqual({ outcome: 'UNLISTED' });
  });

  it('are not matched by an unknown client order id or exchange order id', () => {
    const trade = { venueClientOrderId: null };
    expect(judge({ trade, openOrders: [orderOf({ venueClientOrderId: 'other' })] })).toEqual({
      outcome: 'UNLISTED',
    });
  });

  describe('with an open order without a client order id', () => {
    it.each([
      ['of the same terms', {}, {}],
      ['of a market order', { type: 'MARKET', price: null } as const, { amount: '5', price: undefined }],
      ['of a stop order', { type: 'STOP_MARKET', price: null } as const, { amount: '5' }],
      ['without a price', {}, { price: undefined }],
      ['for a trade without a price', { price: null }, {}],
    ])('%s are unclear', (_case, trade, order) => {
      expect(judge({ trade, openOrders: [orderOf(order)] })).toEqual({ outcome: 'UNCLEAR' });
    });

    it.each([
      ['side', { side: 'SELL' } as const],
      ['amount', { amount: '1.1' }],
      ['price', { price: '100.1' }],
      ['client order id', { venueClientOrderId: 'other' }],
    ])('of another %s are clear', (_case, order) => {
      expect(judge({ openOrders: [orderOf(order)] })).toEqual({ outcome: 'UNLISTED' });
    });

    it('are clear if the order belongs to another trade, or the order id of the trade is known', () => {
      const openOrders = [orderOf()];
      expect(judge({ openOrders, known: ['order-1'] })).toEqual({ outcome: 'UNLISTED' });
      expect(judge({ openOrders, trade: { exchangeOrderId: 'order-2' } })).toEqual({ outcome: 'UNLISTED' });
    });
  });

  describe('with a fill', () => {
    it('of the same side are unclear if no trade explains it and its order is not found', () => {
      expect(judge({ fills: [fillOf()] })).toEqual({ outcome: 'UNCLEAR' });
      expect(judge({ fills: [fillOf({ side: 'SELL' })] })).toEqual({ outcome: 'UNLISTED' });
      expect(judge({ fills: [fillOf()], known: ['order-1'] })).toEqual({ outcome: 'UNLISTED' });
      expect(judge({ fills: [fillOf({ cause: 'LIQUIDATION' })] })).toEqual({ outcome: 'UNLISTED' });
      expect(judge({ fills: [fillOf()], trade: { exchangeOrderId: 'order-2' } })).toEqual({
        outcome: 'UNLISTED',
      });
    });

    it('of an order without a client order id are unclear only if its terms are the same', () => {
      expect(judge({ fills: [fillOf()], orders: [orderOf()] })).toEqual({ outcome: 'UNCLEAR' });
      expect(judge({ fills: [fillOf()], orders: [orderOf({ amount: '2' })] })).toEqual({
        outcome: 'UNLISTED',
      });
      const foreign = orderOf({ venueClientOrderId: 'other' });
      expect(judge({ fills: [fillOf()], orders: [foreign] })).toEqual({ outcome: 'UNLISTED' });
    });
  });

  it.each([
    [-60_001, 'UNLISTED'],
    [-60_000, 'UNCLEAR'],
    [600_000, 'UNCLEAR'],
    [600_001, 'UNLISTED'],
  ])('judge an order that was created %i ms after the submission as %s, open or filled', (ms, outcome) => {
    const order = orderOf({ createdAt: after(ms) });
    expect(judge({ openOrders: [order] })).toEqual({ outcome });
    expect(judge({ fills: [fillOf()], orders: [order] })).toEqual({ outcome });
  });

  it('contain the order by its id, however late it was created', () => {
    const order = orderOf({ createdAt: after(86_400_000), venueClientOrderId: 'ours' });
    expect(judge({ openOrders: [order] })).toEqual({ outcome: 'FOUND', order });
  });

  it('end a trade if they agree with a reading that ended at least a minute before', () => {
    expect([59_999, 60_000].map((ms) => isUnlistedAgain(SUBMITTED, after(ms)))).toEqual([false, true]);
    expect(isUnlistedAgain(null, after(1e9))).toBe(false);
  });

  it('decide although they are unclear, an hour after the submission', () => {
    expect([3_599_999, 3_600_000].map((ms) => decidesUnclear(SUBMITTED, after(ms)))).toEqual([false, true]);
  });

  it('are complete only as far back as the exchange lists fills', () => {
    expect([999, 1_000, 1_001].map((ageMs) => isListingComplete(ageMs, 1_000))).toEqual([true, false, false]);
    expect(isListingComplete(1e12, Number.POSITIVE_INFINITY)).toBe(true);
  });
});
