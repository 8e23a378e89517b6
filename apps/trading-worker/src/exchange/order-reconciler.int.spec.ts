import { ExchangeError, type ExchangeErrorCode, type ExchangeOutcome } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

const fails = (outcome: ExchangeOutcome, code: ExchangeErrorCode) => async () => {
  throw new ExchangeError(outcome, code, `Our words for ${code}.`);
};
/** Aborts when the test does, so that nothing polls on behind it. */
const forever = () => new AbortController();

/** A promise that the test settles. */
function deferred() {
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
async function sendSlowly(others: readonly string[] = []) {
  const arrival = deferred();
  env.exchange.onPlace = async (order) => {
    await arrival.opened;
    return env.exchange.accept(order);
  };
  await env.gateway.renewOwnership();
  env.gateway.orderSubmitter.wake([env.account.uuid, ...others]);
  const sending = env.gateway.orderSubmitter.drain();
  await eventually(() => env.exchange.placed.length === 1);
  return { arrival, sending };
}

/** Time passes that an order waits before it may be sent again. */
async function sendAgain(trade: string): Promise<void> {
  expect(await env.read(trade)).toMatchObject({ status: 'PENDING', submitted_at: undefined });
  await env.core.rows('UPDATE trades SET send_after = NULL WHERE id = $1', trade);
  await env.gateway.close();
  env.gateway = env.newGateway();
  await env.core.rows('DELETE FROM worker_leases');
  await env.send();
}

describe('an order that somebody else placed', () => {
  it('rule 23: is looked for by the exchange’s id: another may go under its client order id by now', async () => {
    await env.gateway.renewOwnership();
    const reused = {
      symbol: 'BTC/USDT',
      venueClientOrderId: 'bot',
      type: 'LIMIT',
      timeInForce: 'GTC',
    } as const;
    const asked = { ...reused, side: 'BUY', amount: '1', price: '100', reduceOnly: false } as const;
    const first = { ...env.exchange.accept(asked), exchangeOrderId: 'order-before' };
    const [trade] = await env.execution.adopt(env.account.uuid, [first], []);
    env.exchange.fill(env.exchange.last);
    await env.gateway.orderReconciler.checkTrade(trade!);
    expect(await env.read(trade!)).toMatchObject({ status: 'PENDING', exchange_order_id: 'order-before' });
    await env.backdateSubmission(trade!, 6_000);
    for (let look = 0; look < 6; look++) await env.gateway.orderReconciler.checkTrade(trade!);
    expect(await env.read(trade!)).toMatchObject({ status: 'CANCELLED', filled_amount: '0' });
  });
});

describe('sending an order', () => {
  it('that the exchange takes leaves it accepted, under the id that was written down before', async () => {
    const trade = await env.place({ client_order_id: 'mine' });
    let writtenBefore: unknown;
    env.exchange.onPlace = async (order) => {
      writtenBefore = await env.core.row(
        'SELECT venue_client_order_id, submitted_at IS NOT NULL AS is_submitted FROM trades WHERE id = $1',
        trade,
      );
      return env.exchange.accept(order);
    };
    await env.send();
    const venueClientOrderId = `venue-${env.account.uuid}/mine`;
    expect(writtenBefore).toEqual({ venue_client_order_id: venueClientOrderId, is_submitted: true });
    expect(env.exchange.placed).toEqual([
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
        isExit: false,
      },
    ]);
    expect(await env.read(trade)).toMatchObject({
      status: 'PENDING',
      sub_status: 'ACCEPTED',
      exchange_order_id: `order-${venueClientOrderId}`,
    });
  });

  it('that fills at once leaves it FILLED, and has the balances read', async () => {
    const trade = await env.place();
    env.exchange.onPlace = async (order) => env.exchange.fill(env.exchange.accept(order), '99.5');
    await env.send();
    expect(await env.read(trade)).toMatchObject({
      status: 'FILLED',
      filled_amount: '1',
      average_price: '99.5',
    });
    await env.gateway.balanceSync.drain();
    expect(env.exchange.balanceReads).toBe(1);
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
    const trade = await env.place();
    env.exchange.onPlace = fails(outcome, code);
    await env.send();
    const failure = { code: told, message: `Our words for ${code}.` };
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure });
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(env.exchange.placed).toHaveLength(1);
    expect(await env.eventTypes('trade')).toEqual(['trade.created', 'trade.failed']);
  });

  it('with credentials that the exchange refuses has failed, and ends the use of the account', async () => {
    const [trade, next] = [await env.place(), await env.place()];
    env.exchange.onPlace = fails('fatal', 'credentials_rejected');
    await env.send();
    await env.send();
    for (const each of [trade, next]) {
      expect(await env.read(each)).toMatchObject({
        status: 'FAILED',
        failure: { code: 'exchange_credentials_rejected' },
      });
    }
    expect(env.exchange.placed).toHaveLength(1);
    expect(await env.accountSync.find(env.account.uuid)).toMatchObject({ isActive: false });
    expect(await env.eventTypes('exchange')).toContain('exchange.credentials_rejected');
  });

  it('happens once, whoever is told to send it, look at it or both at once', async () => {
    const trade = await env.place();
    const all = [env.gateway, env.newGateway(), env.newGateway()];
    await Promise.all(all.map((desks) => desks.renewOwnership()));
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const desks = all[i % 3]!;
        return i % 2 === 0 ? env.send(desks) : desks.orderReconciler.checkTrade(trade);
      }),
    );
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('row 1: does not happen once the process stood still after it began: another may have sent it again', async () => {
    const trade = await env.place();
    const { execution } = env;
    const { now } = performance;
    const begin = execution.claimSubmissions.bind(execution);
    execution.claimSubmissions = async (...given) => {
      const begun = await begin(...given);
      performance.now = () => now.call(performance) + 60_000;
      return begun;
    };
    try {
      await env.send();
    } finally {
      performance.now = now;
      execution.claimSubmissions = begin;
    }
    expect(env.exchange.placed).toEqual([]);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });

  it('of one account does not wait for an exchange that is slow to answer another', async () => {
    const idle = await env.anotherAccount();
    await env.place();
    const { arrival, sending } = await sendSlowly([idle.uuid]);
    await env.place({ exchange_account_id: idle.id });
    env.exchange.onPlace = async (order) => env.exchange.accept(order);
    env.gateway.orderSubmitter.wake([idle.uuid]);
    await eventually(() => env.exchange.placed.length === 2);
    arrival.open();
    await sending;
  });

  it('is the owner’s alone: a worker that lost the account begins nothing, though it does not know yet', async () => {
    const [old, next] = [env.gateway, env.newGateway()];
    await old.renewOwnership();
    await env.core.rows('UPDATE worker_leases SET expires_at = clock_timestamp()');
    await next.renewOwnership();
    const trade = await env.place();
    expect(old.ownership.ownedAccounts().has(env.account.uuid)).toBe(true);
    old.orderSubmitter.wake([env.account.uuid]);
    await old.orderSubmitter.drain();
    expect(env.exchange.placed).toEqual([]);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    await env.send(next);
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('rule 25: is serial within an account, exits first, and side by side on different accounts', async () => {
    const others = [await env.anotherAccount(), await env.anotherAccount()];
    for (const side of ['BUY', 'BUY', 'SELL'] as const) await env.place({ side });
    for (const { id } of others) await env.place({ exchange_account_id: id });
    await env.core.rows("UPDATE trades SET is_exit = true WHERE side = 'SELL'");
    const running = new Map<string, number>();
    let most = 0;
    env.exchange.onPlace = async (order) => {
      const account = order.venueClientOrderId.split('/')[0]!;
      running.set(account, (running.get(account) ?? 0) + 1);
      expect(running.get(account)).toBe(1);
      most = Math.max(most, [...running.values()].filter((count) => count > 0).length);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running.set(account, running.get(account)! - 1);
      return env.exchange.accept(order);
    };
    await env.gateway.renewOwnership();
    await env.gateway.orderSubmitter.sweep();
    await env.gateway.orderSubmitter.drain();
    expect(most).toBe(3);
    const ofMine = env.exchange.placed.filter(({ venueClientOrderId }) =>
      venueClientOrderId.includes(env.account.uuid),
    );
    expect(ofMine.map(({ side }) => side)).toEqual(['SELL', 'BUY', 'BUY']);
    expect(env.exchange.placed).toHaveLength(5);
  });

  it('waits, and is tried again, while no worker has such an exchange', async () => {
    const trade = await env.place();
    await env.core.rows("UPDATE exchange_accounts SET exchange = 'other' WHERE id = $1", env.account.uuid);
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    await env.core.rows("UPDATE exchange_accounts SET exchange = 'paper' WHERE id = $1", env.account.uuid);
    await env.send();
    expect(await env.read(trade)).toMatchObject({ sub_status: 'ACCEPTED' });
  });
});

describe('an order whose answer was lost', () => {
  it.each([
    ['unknown', 'no_answer'],
    ['unknown', 'bad_answer'],
    ['rejected', 'duplicate_client_order_id'],
  ] as const)('(%s, %s) but that was accepted is found, and not sent again', async (outcome, code) => {
    const trade = await env.place();
    env.exchange.onPlace = async (order) => {
      env.exchange.fill(env.exchange.accept(order));
      return fails(outcome, code)();
    };
    await env.send();
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
    expect(env.exchange.placed).toHaveLength(1);
    expect(await env.eventTypes('trade')).toEqual(['trade.created', 'trade.filled']);
  });

  it('row 1: and that never arrived has failed after five looks and a last one, and is not sent again', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 5_001);
    for (let look = 1; look <= 5; look++) await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('rule 20: of a copy that certainly is not there is sent again under the same id, while its time lasts', async () => {
    const trade = await env.place();
    await env.core.rows("UPDATE trades SET resend_until = now() + interval '1 minute' WHERE id = $1", trade);
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 5_001);
    for (let look = 1; look <= 6; look++) await env.gateway.orderReconciler.checkTrade(trade);
    env.exchange.onPlace = fails('retryable', 'rate_limited');
    await sendAgain(trade);
    env.exchange.onPlace = async (order) => env.exchange.accept(order);
    await sendAgain(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(env.exchange.placed).toHaveLength(3);
    expect(new Set(env.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId)).size).toBe(1);
  });

  it('by a fault of ours is found as well', async () => {
    const trade = await env.place();
    env.exchange.onPlace = async (order) => {
      env.exchange.accept(order);
      throw new TypeError('a bug');
    };
    await env.send();
    expect(env.logged.join('')).toContain('a bug');
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING' });
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('stays unknown, however long the exchange can not be asked', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 60_000);
    env.exchange.onCall = fails('retryable', 'unreachable');
    for (let look = 0; look < 8; look++) {
      await expect(env.gateway.orderReconciler.checkTrade(trade)).rejects.toMatchObject({
        code: 'unreachable',
      });
    }
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });
});

describe('looking at an open order', () => {
  it('finds what became of it, and its fills as soon as they can be read', async () => {
    const trade = await env.place();
    await env.send();
    env.exchange.fill(env.exchange.last);
    env.exchange.onCall = (name) =>
      name === 'fetchFills' ? fails('retryable', 'rate_limited')() : undefined;
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', filled_amount: '0' });
    env.exchange.onCall = () => undefined;
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
  });

  it('that fails is made again soon, and not only when its lease is over', async () => {
    const trade = await env.place();
    await env.send();
    await env.core.rows("UPDATE trades SET look_at = now() + interval '30 seconds' WHERE id = $1", trade);
    env.exchange.onCall = fails('retryable', 'unreachable');
    await expect(env.gateway.orderReconciler.checkTrade(trade)).rejects.toMatchObject({
      code: 'unreachable',
    });
    const { wait } = await env.core.row(
      'SELECT extract(epoch FROM look_at - clock_timestamp()) AS wait FROM trades WHERE id = $1',
      trade,
    );
    expect(Number(wait)).toBeLessThanOrEqual(2);
  });

  it('that has ended, or that nobody knows, asks the exchange nothing', async () => {
    const trade = await env.place();
    await env.execution.requestCancellation(trade);
    env.exchange.onCall = fails('fatal', 'refused');
    await env.gateway.orderReconciler.checkTrade(trade);
    await env.gateway.orderReconciler.checkTrade('0190f5f0-0000-7000-8000-000000000001');
    expect(env.exchange.placed).toEqual([]);
  });
});

describe('cancelling', () => {
  it('an order that was never sent ends it, and the exchange never hears of it', async () => {
    const trade = await env.place();
    await env.gateway.orderReconciler.cancel(trade, forever().signal);
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange).toMatchObject({ placed: [], cancelled: [] });
  });

  it('a resting order tells the exchange once, and returns when that is stored', async () => {
    const trade = await env.place();
    await env.send();
    await env.gateway.orderReconciler.cancel(trade, forever().signal);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange.cancelled).toEqual([env.exchange.last.venueClientOrderId]);
    expect(await env.eventTypes('trade')).toEqual(['trade.created', 'trade.cancelled']);
  });

  it('an order that filled first leaves it FILLED', async () => {
    const trade = await env.place();
    await env.send();
    env.exchange.fill(env.exchange.last);
    env.exchange.onCall = (name) =>
      name === 'cancelOrder' ? fails('rejected', 'order_not_found')() : undefined;
    await env.gateway.orderReconciler.cancel(trade, forever().signal);
    expect(await env.read(trade)).toMatchObject({ status: 'FILLED' });
  });

  it('an order that is on its way waits for it, never takes it for lost, and cancels it when it is there', async () => {
    const trade = await env.place();
    const { arrival, sending } = await sendSlowly();
    let looks = 0;
    env.exchange.onCall = (name) => {
      if (name === 'findOrder') looks++;
    };
    // As late as can be: were the looks of the cancellation counted, the order would be given up for lost.
    await env.backdateSubmission(trade, 9_000);
    const cancelling = env.gateway.orderReconciler.cancel(trade, forever().signal);
    await eventually(() => looks >= 5);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    arrival.open();
    await Promise.all([sending, cancelling]);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('is done by the next look where nobody waits for it any more', async () => {
    const trade = await env.place();
    const { arrival, sending } = await sendSlowly();
    const waiting = forever();
    const cancelling = env.gateway.orderReconciler.cancel(trade, waiting.signal);
    await eventually(async () => (await env.read(trade)).sub_status === 'PENDING_CANCEL');
    waiting.abort();
    await cancelling;
    arrival.open();
    await sending;
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
  });

  it('is asked for again where the exchange did not answer, until it did', async () => {
    const trade = await env.place();
    await env.send();
    let refusals = 2;
    env.exchange.onCall = (name) => {
      if (name === 'cancelOrder' && refusals-- > 0) return fails('unknown', 'no_answer')();
      return undefined;
    };
    await env.gateway.orderReconciler.cancel(trade, forever().signal);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED' });
    expect(env.exchange.cancelled).toHaveLength(3);
  });

  it('goes on while the exchange can not be reached, and ends when nobody waits', async () => {
    const trade = await env.place();
    await env.send();
    let calls = 0;
    env.exchange.onCall = () => {
      calls++;
      return fails('retryable', 'unreachable')();
    };
    const waiting = forever();
    const cancelling = env.gateway.orderReconciler.cancel(trade, waiting.signal);
    await eventually(() => calls >= 4);
    waiting.abort();
    await cancelling;
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    env.exchange.onCall = () => undefined;
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
  });
});

describe('the log', () => {
  it('tells outcomes and ids, and nothing of credentials', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    expect(env.logged.join('')).toContain(trade);
    expect(env.logged.join('')).not.toContain('a secret');
  });
});
