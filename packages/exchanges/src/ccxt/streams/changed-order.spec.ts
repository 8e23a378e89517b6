import type { ExchangeError, VenueFill, VenueOrder } from '../../port.js';
import type { VenueSession } from '../declaration.js';
import { changedOrder, type ReportedChange } from './changed-order.js';

const at = new Date(1_700_000_000_000);
const key = { symbol: 'BTC/USDT', exchangeOrderId: '1' };
const order = (filledAmount: string): VenueOrder => ({
  exchangeOrderId: '1',
  venueClientOrderId: 'ta1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  status: 'OPEN',
  amount: '3',
  filledAmount,
  createdAt: at,
  updatedAt: at,
});
const fill = (exchangeFillId: string): VenueFill => ({
  exchangeFillId,
  exchangeOrderId: '1',
  symbol: 'BTC/USDT',
  side: 'BUY',
  price: '100',
  amount: '1',
  fee: { amount: '0', currency: 'USDT' },
  liquidity: 'MAKER',
  executedAt: at,
});
const session = {} as VenueSession;
const PAUSES = [1, 1, 1];

/** Reads a changed order; each list of fills is the answer to one call. */
async function read(found: VenueOrder | null, lists: readonly (readonly VenueFill[])[]) {
  let calls = 0;
  const ofOrder = async () => lists[calls++] ?? [];
  const call = changedOrder(
    { orders: { findByExchangeId: async () => found }, fills: { ofOrder } },
    key,
    undefined,
    PAUSES,
  );
  const reports = await call.read(session);
  return {
    calls,
    reports: reports.map((each) => (each.kind === 'fill' ? each.fill.exchangeFillId : each.kind)),
  };
}

describe('an order that is read when it changes', () => {
  it('is reported after its fills', async () => {
    expect(await read(order('2'), [[fill('a'), fill('b')]])).toEqual({
      calls: 1,
      reports: ['a', 'b', 'order'],
    });
  });

  it('needs no list of fills if nothing is filled', async () => {
    expect(await read(order('0'), [])).toEqual({ calls: 0, reports: ['order'] });
  });

  it('waits for a list of fills that is behind', async () => {
    const lists = [[], [fill('a')], [fill('a'), fill('b')]];
    expect(await read(order('2'), lists)).toEqual({ calls: 3, reports: ['a', 'b', 'order'] });
  });

  it('is reported without fills that do not appear', async () => {
    expect(await read(order('1'), [[], [], [], []])).toEqual({ calls: 4, reports: ['order'] });
  });

  it('is not reported if the exchange has no such order', async () => {
    expect(await read(null, [])).toEqual({ calls: 0, reports: [] });
  });

  describe('whose look-up is behind the message', () => {
    const ended = { status: 'FILLED' } as const;
    const reported = { filledAmount: '2', hasEnded: true, isPossiblyForeign: false };
    /** Each found order is the answer to one look-up; the last one is repeated. */
    const readStale = async (found: readonly (VenueOrder | null)[], change: Partial<ReportedChange> = {}) => {
      let lookUps = 0;
      const findByExchangeId = async () => found[Math.min(lookUps++, found.length - 1)] ?? null;
      const ofOrder = async () => [fill('a'), fill('b')];
      const calls = { orders: { findByExchangeId }, fills: { ofOrder } };
      const call = changedOrder(calls, key, { ...reported, ...change }, PAUSES);
      const outcome = await call.read(session).then(
        (reports) => reports.map((each) => (each.kind === 'order' ? each.order.status : each.kind)),
        (error: ExchangeError) => `${error.outcome}/${error.code}`,
      );
      return { lookUps, outcome };
    };

    it.each([
      ['does not find it', null],
      ['has fewer fills', { ...order('1'), ...ended }],
      ['has no end', order('2')],
    ])('is looked up again while the answer %s', async (_what, behind) => {
      const current = { ...order('2'), ...ended };
      const expected = { lookUps: 3, outcome: ['fill', 'fill', 'FILLED'] };
      expect(await readStale([behind, behind, current])).toEqual(expected);
    });

    it.each([
      ['is not found', null],
      ['lacks fills', { ...order('1'), ...ended }],
      ['does not end', order('2')],
    ])('ends the stream if it still %s', async (_what, behind) => {
      expect(await readStale([behind])).toEqual({ lookUps: 4, outcome: 'retryable/bad_answer' });
    });

    it('is ignored if it is not found and may be one of another account', async () => {
      const foreign = { isPossiblyForeign: true };
      expect(await readStale([null], foreign)).toEqual({ lookUps: 4, outcome: [] });
      expect(await readStale([order('1')], foreign)).toMatchObject({ outcome: 'retryable/bad_answer' });
    });

    it('may be ahead of the message', async () => {
      const current = { ...order('2'), ...ended };
      const change = { filledAmount: '1', hasEnded: false };
      expect(await readStale([current], change)).toMatchObject({ lookUps: 1 });
    });
  });
});
