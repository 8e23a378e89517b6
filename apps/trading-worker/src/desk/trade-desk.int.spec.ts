import { ExchangeError, type ExchangeErrorCode, type ExchangeOutcome } from '@trading-automation/exchanges';
import { DesksUnderTest } from '../testing/desk-under-test.js';

let the: DesksUnderTest;
beforeAll(async () => {
  the = await DesksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());
afterEach(() => the.desks.close());

const fails = (outcome: ExchangeOutcome, code: ExchangeErrorCode) => async () => {
  throw new ExchangeError(outcome, code, `Our words for ${code}.`);
};
/** Aborts when the test does, so that nothing polls on behind it. */
const forever = () => new AbortController();

/** A promise that the test settles. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
async function eventually(check: () => unknown): Promise<void> {
  for (let tries = 0; !(await check()); tries++) {
    if (tries === 1_000) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The order is on its way, and is there once the gate opens. */
async function sendSlowly(trade: string) {
  const arrival = gate();
  the.exchange.onPlace = async (order) => {
    await arrival.opened;
    return the.exchange.accept(order);
  };
  const sending = the.desks.trades.submit(trade);
  await eventually(() => the.exchange.placed.length === 1);
  return { arrival, sending };
}

describe('sending an order', () => {
  it('that the exchange takes leaves it accepted, under the id that was written down before', async () => {
    const trade = await the.place({ client_order_id: 'mine' });
    let writtenBefore: unknown;
    the.exchange.onPlace = async (order) => {
      writtenBefore = await the.core.row(
        'SELECT venue_client_order_id, submitted_at IS NOT NULL AS is_submitted FROM trades WHERE id = $1',
        trade,
      );
      return the.exchange.accept(order);
    };
    await the.desks.trades.submit(trade);
    const venueClientOrderId = `venue-${the.account.uuid}/mine`;
    expect(writtenBefore).toEqual({ venue_client_order_id: venueClientOrderId, is_submitted: true });
    expect(the.exchange.placed).toEqual([
      {
        symbol: 'BTC/USDT',
        venueClientOrderId,
        type: 'LIMIT',
        side: 'BUY',
        timeInForce: 'GTC',
        amount: '1',
        price: '100',
        stopPrice: undefined,
        reduceOnly: false,
      },
    ]);
    expect(await the.read(trade)).toMatchObject({
      status: 'PENDING',
      sub_status: 'ACCEPTED',
      exchange_order_id: `order-${venueClientOrderId}`,
    });
  });

  it('that fills at once leaves it FILLED, and has the balances read', async () => {
    const trade = await the.place();
    the.exchange.onPlace = async (order) => the.exchange.fill(the.exchange.accept(order), '99.5');
    await the.desks.trades.submit(trade);
    expect(await the.read(trade)).toMatchObject({
      status: 'FILLED',
      filled_amount: '1',
      average_price: '99.5',
    });
    await the.desks.accounts.settle();
    expect(the.exchange.balanceReads).toBe(1);
  });

  it.each([
    ['rejected', 'insufficient_balance', 'insufficient_balance'],
    ['rejected', 'rule_violated', 'exchange_rule_violated'],
    ['rejected', 'would_not_fit_book', 'would_not_fit_book'],
    ['rejected', 'refused', 'refused'],
    ['retryable', 'unreachable', 'exchange_unavailable'],
    ['retryable', 'rate_limited', 'exchange_unavailable'],
    ['fatal', 'not_supported', 'not_supported'],
  ] as const)('that is %s as %s has failed as %s, and is never sent again', async (outcome, code, told) => {
    const trade = await the.place();
    the.exchange.onPlace = fails(outcome, code);
    await the.desks.trades.submit(trade);
    const failure = { code: told, message: `Our words for ${code}.` };
    expect(await the.read(trade)).toMatchObject({ status: 'FAILED', failure });
    await the.desks.trades.submit(trade);
    await the.desks.trades.look(trade);
    expect(the.exchange.placed).toHaveLength(1);
    expect(await the.told('trade')).toEqual(['trade.created', 'trade.failed']);
  });

  it('with credentials that the exchange refuses has failed, and ends the use of the account', async () => {
    const [trade, next] = [await the.place(), await the.place()];
    the.exchange.onPlace = fails('fatal', 'credentials_rejected');
    await the.desks.trades.submit(trade);
    await the.desks.trades.submit(next);
    for (const each of [trade, next]) {
      expect(await the.read(each)).toMatchObject({
        status: 'FAILED',
        failure: { code: 'exchange_credentials_rejected' },
      });
    }
    expect(the.exchange.placed).toHaveLength(1);
    expect(await the.upkeep.find(the.account.uuid)).toMatchObject({ isActive: false });
    expect(await the.told('exchange')).toContain('exchange.credentials_rejected');
  });

  it('happens once, whoever is told to send it, look at it or both at once', async () => {
    const trade = await the.place();
    const others = [the.newDesks(), the.newDesks()];
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const { trades } = [the.desks, ...others][i % 3]!;
        return i % 2 === 0 ? trades.submit(trade) : trades.look(trade);
      }),
    );
    expect(the.exchange.placed).toHaveLength(1);
    await Promise.all(others.map((desks) => desks.close()));
  });

  it('waits, and is tried again, while this worker has no such exchange', async () => {
    the.account = await the.core.account(the.actor);
    const trade = await the.place();
    await the.core.rows("UPDATE exchange_accounts SET exchange = 'other' WHERE id = $1", the.account.uuid);
    await expect(the.desks.trades.submit(trade)).rejects.toMatchObject({ code: 'unreachable' });
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING' });
    await the.core.rows("UPDATE exchange_accounts SET exchange = 'paper' WHERE id = $1", the.account.uuid);
    await the.seal('a secret');
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ sub_status: 'ACCEPTED' });
  });
});

describe('an order whose answer was lost', () => {
  it.each([
    ['unknown', 'no_answer'],
    ['unknown', 'bad_answer'],
    ['rejected', 'duplicate_client_order_id'],
  ] as const)('(%s, %s) but that was accepted is found, and not sent again', async (outcome, code) => {
    const trade = await the.place();
    the.exchange.onPlace = async (order) => {
      the.exchange.fill(the.exchange.accept(order));
      return fails(outcome, code)();
    };
    await the.desks.trades.submit(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    await the.desks.trades.submit(trade);
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
    expect(the.exchange.placed).toHaveLength(1);
    expect(await the.told('trade')).toEqual(['trade.created', 'trade.filled']);
  });

  it('and that never arrived has failed after five looks, and is not sent again', async () => {
    const trade = await the.place();
    the.exchange.onPlace = fails('unknown', 'no_answer');
    await the.desks.trades.submit(trade);
    await the.age(trade, 5_001);
    for (let look = 1; look <= 4; look++) await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    expect(the.exchange.placed).toHaveLength(1);
  });

  it('by a fault of ours is found as well', async () => {
    const trade = await the.place();
    the.exchange.onPlace = async (order) => {
      the.exchange.accept(order);
      throw new TypeError('a bug');
    };
    await expect(the.desks.trades.submit(trade)).rejects.toThrow('a bug');
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING' });
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(the.exchange.placed).toHaveLength(1);
  });

  it('stays unknown, however long the exchange can not be asked', async () => {
    const trade = await the.place();
    the.exchange.onPlace = fails('unknown', 'no_answer');
    await the.desks.trades.submit(trade);
    await the.age(trade, 60_000);
    the.exchange.onCall = fails('retryable', 'unreachable');
    for (let look = 0; look < 8; look++) {
      await expect(the.desks.trades.look(trade)).rejects.toMatchObject({ code: 'unreachable' });
    }
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });
});

describe('looking at an open order', () => {
  it('finds what became of it, and its fills as soon as they can be read', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    the.exchange.fill(the.exchange.last);
    the.exchange.onCall = (name) =>
      name === 'fetchFills' ? fails('retryable', 'rate_limited')() : undefined;
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', filled_amount: '0' });
    the.exchange.onCall = () => undefined;
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
  });

  it('that fails is made again soon, and not only when its lease is over', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    await the.core.rows("UPDATE trades SET look_at = now() + interval '30 seconds' WHERE id = $1", trade);
    the.exchange.onCall = fails('retryable', 'unreachable');
    await expect(the.desks.trades.look(trade)).rejects.toMatchObject({ code: 'unreachable' });
    const { wait } = await the.core.row(
      'SELECT extract(epoch FROM look_at - clock_timestamp()) AS wait FROM trades WHERE id = $1',
      trade,
    );
    expect(Number(wait)).toBeLessThanOrEqual(2);
  });

  it('that has ended, or that nobody knows, asks the exchange nothing', async () => {
    const trade = await the.place();
    await the.execution.beginCancellation(trade);
    the.exchange.onCall = fails('fatal', 'refused');
    await the.desks.trades.look(trade);
    await the.desks.trades.look('0190f5f0-0000-7000-8000-000000000001');
    expect(the.exchange.placed).toEqual([]);
  });
});

describe('cancelling', () => {
  it('an order that was never sent ends it, and the exchange never hears of it', async () => {
    const trade = await the.place();
    await the.desks.trades.cancel(trade, forever().signal);
    await the.desks.trades.submit(trade);
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(the.exchange).toMatchObject({ placed: [], cancelled: [] });
  });

  it('a resting order tells the exchange once, and returns when that is stored', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    await the.desks.trades.cancel(trade, forever().signal);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(the.exchange.cancelled).toEqual([the.exchange.last.venueClientOrderId]);
    expect(await the.told('trade')).toEqual(['trade.created', 'trade.cancelled']);
  });

  it('an order that filled first leaves it FILLED', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    the.exchange.fill(the.exchange.last);
    the.exchange.onCall = (name) =>
      name === 'cancelOrder' ? fails('rejected', 'order_not_found')() : undefined;
    await the.desks.trades.cancel(trade, forever().signal);
    expect(await the.read(trade)).toMatchObject({ status: 'FILLED' });
  });

  it('an order that is on its way waits for it, never takes it for lost, and cancels it when it is there', async () => {
    const trade = await the.place();
    const { arrival, sending } = await sendSlowly(trade);
    let looks = 0;
    the.exchange.onCall = (name) => {
      if (name === 'findOrder') looks++;
    };
    // As late as can be: were the looks of the cancellation counted, the order would be given up for lost.
    await the.age(trade, 9_000);
    const cancelling = the.desks.trades.cancel(trade, forever().signal);
    await eventually(() => looks >= 5);
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    arrival.open();
    await Promise.all([sending, cancelling]);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(the.exchange.placed).toHaveLength(1);
  });

  it('is done by the next look where nobody waits for it any more', async () => {
    const trade = await the.place();
    const { arrival, sending } = await sendSlowly(trade);
    const waiting = forever();
    const cancelling = the.desks.trades.cancel(trade, waiting.signal);
    await eventually(async () => (await the.read(trade)).sub_status === 'PENDING_CANCEL');
    waiting.abort();
    await cancelling;
    arrival.open();
    await sending;
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
  });

  it('is asked for again where the exchange did not answer, until it did', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    let refusals = 2;
    the.exchange.onCall = (name) => {
      if (name === 'cancelOrder' && refusals-- > 0) return fails('unknown', 'no_answer')();
      return undefined;
    };
    await the.desks.trades.cancel(trade, forever().signal);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED' });
    expect(the.exchange.cancelled).toHaveLength(3);
  });

  it('goes on while the exchange can not be reached, and ends when nobody waits', async () => {
    const trade = await the.place();
    await the.desks.trades.submit(trade);
    let calls = 0;
    the.exchange.onCall = () => {
      calls++;
      return fails('retryable', 'unreachable')();
    };
    const waiting = forever();
    const cancelling = the.desks.trades.cancel(trade, waiting.signal);
    await eventually(() => calls >= 4);
    waiting.abort();
    await cancelling;
    expect(await the.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    the.exchange.onCall = () => undefined;
    await the.desks.trades.look(trade);
    expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
  });
});

describe('the log', () => {
  it('tells outcomes and ids, and nothing of credentials', async () => {
    const trade = await the.place();
    the.exchange.onPlace = fails('unknown', 'no_answer');
    await the.desks.trades.submit(trade);
    expect(the.logged.join('')).toContain(trade);
    expect(the.logged.join('')).not.toContain('a secret');
  });
});
