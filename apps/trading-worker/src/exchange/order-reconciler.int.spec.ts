/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { ExchangeError, type ExchangeErrorCode, type ExchangeOutcome } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
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
/** The abort controller of a caller that waits for a cancellation. It is aborted only by the test. */
const waitingCaller = () => new AbortController();

/** A promise that the test settles. */
function deferred() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}
/** Starts to send an order that reaches the exchange only after `arrival.open()`. */
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

/** Lets the delay before a repeated submission pass, and submits the trade again with a new gateway. */
async function sendAgain(trade: string): Promise<void> {
  expect(await env.read(trade)).toMatchObject({ status: 'PENDING', submitted_at: undefined });
  await env.core.rows('UPDATE trades SET send_after = NULL WHERE id = $1', trade);
  await env.gateway.close();
  env.gateway = env.newGateway();
  await env.core.rows('DELETE FROM worker_leases');
  await env.send();
}

describe('an external order', () => {
  it('rule 23: is found by its exchange order id, because its client order id may have been reused', async () => {
    await env.gateway.renewOwnership();
    const reused = {
      symbol: 'BTC/USDT',
      venueClientOrderId: 'bot',
      type: 'LIMIT',
      timeInForce: 'GTC',
    } as const;
    const request = { ...reused, side: 'BUY', amount: '1', price: '100', reduceOnly: false } as const;
    const first = { ...env.exchange.accept(request), exchangeOrderId: 'order-before' };
    const [trade] = await env.execution.adopt(env.account.uuid, [first], []);
    env.exchange.fill(env.exchange.last);
    await env.gateway.orderReconciler.checkTrade(trade!);
    expect(await env.read(trade!)).toMatchObject({ status: 'PENDING', exchange_order_id: 'order-before' });
    await env.backdateSubmission(trade!, 6_000);
    for (let check = 0; check < 6; check++) await env.gateway.orderReconciler.checkTrade(trade!);
    expect(await env.read(trade!)).toMatchObject({ status: 'CANCELLED', filled_amount: '0' });
  });
});

describe('cancelling an external order', () => {
  const byHand = {
    symbol: 'BTC/USDT',
    type: 'LIMIT',
    timeInForce: 'GTC',
    side: 'BUY',
    amount: '1',
    price: '100',
    reduceOnly: false,
  } as const;

  it.each([
    ['without a client order id', ''],
    ['whose client order id may be reused', 'bot'],
  ])('%s uses its exchange order id', async (_case, venueClientOrderId) => {
    await env.gateway.renewOwnership();
    const order = env.exchange.accept({ ...byHand, venueClientOrderId });
    const [trade] = await env.execution.adopt(env.account.uuid, [order], []);
    await env.gateway.orderReconciler.cancel(trade!, waitingCaller().signal);
    expect(env.exchange.cancelled).toEqual([order.exchangeOrderId]);
    expect(await env.read(trade!)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
  });
});

describe('submitting an order', () => {
  it('stores an accepted order as accepted, under the client order id that was stored before', async () => {
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

  it('stores an order that fills immediately as FILLED, and reads the balances', async () => {
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
  ] as const)(
    'that the exchange reports as %s/%s fails with the code %s and is never repeated',
    async (outcome, code, failureCode) => {
      const trade = await env.place();
      env.exchange.onPlace = fails(outcome, code);
      await env.send();
      const failure = { code: failureCode, message: `Our words for ${code}.` };
      expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure });
      await env.send();
      await env.gateway.orderReconciler.checkTrade(trade);
      expect(env.exchange.placed).toHaveLength(1);
      expect(await env.eventTypes('trade')).toEqual(['trade.created', 'trade.failed']);
    },
  );

  it('fails when the exchange rejects the credentials, and deactivates the account', async () => {
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

  it('happens once, even if several workers submit or check the order concurrently', async () => {
    const trade = await env.place();
    const all = [env.gateway, env.newGateway(), env.newGateway()];
    await Promise.all(all.map((gateway) => gateway.renewOwnership()));
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const gateway = all[i % 3]!;
        return i % 2 === 0 ? env.send(gateway) : gateway.orderReconciler.checkTrade(trade);
      }),
    );
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('row 1: does not happen after a stall of the process, because another worker may have sent the order', async () => {
    const trade = await env.place();
    const { execution } = env;
    const { now } = performance;
    const claim = execution.claimSubmissions.bind(execution);
    execution.claimSubmissions = async (...args) => {
      const claimed = await claim(...args);
      performance.now = () => now.call(performance) + 60_000;
      return claimed;
    };
    try {
      await env.send();
    } finally {
      performance.now = now;
      execution.claimSubmissions = claim;
    }
    expect(env.exchange.placed).toEqual([]);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });

  it('for one account does not wait for a slow response to an order of another account', async () => {
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

  it('is left to the owner: a worker that lost the account claims nothing, even before it notices the loss', async () => {
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

  it('rule 25: is serial within an account, exits first, and concurrent across accounts', async () => {
    const others = [await env.anotherAccount(), await env.anotherAccount()];
    for (const side of ['BUY', 'BUY', 'SELL'] as const) await env.place({ side });
    for (const { id } of others) await env.place({ exchange_account_id: id });
    await env.core.rows("UPDATE trades SET is_exit = true WHERE side = 'SELL'");
    const running = new Map<string, number>();
    let mostAccounts = 0;
    env.exchange.onPlace = async (order) => {
      const account = order.venueClientOrderId.split('/')[0]!;
      running.set(account, (running.get(account) ?? 0) + 1);
      expect(running.get(account)).toBe(1);
      mostAccounts = Math.max(mostAccounts, [...running.values()].filter((count) => count > 0).length);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running.set(account, running.get(account)! - 1);
      return env.exchange.accept(order);
    };
    await env.gateway.renewOwnership();
    await env.gateway.orderSubmitter.sweep();
    await env.gateway.orderSubmitter.drain();
    expect(mostAccounts).toBe(3);
    const ofMine = env.exchange.placed.filter(({ venueClientOrderId }) =>
      venueClientOrderId.includes(env.account.uuid),
    );
    expect(ofMine.map(({ side }) => side)).toEqual(['SELL', 'BUY', 'BUY']);
    expect(env.exchange.placed).toHaveLength(5);
  });

  it('waits and is retried while no worker has the exchange in its configuration', async () => {
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

describe('an order without a conclusive response', () => {
  it.each([
    ['unknown', 'no_answer'],
    ['unknown', 'bad_answer'],
    ['rejected', 'duplicate_client_order_id'],
  ] as const)(
    '(%s, %s) that was accepted nevertheless is found, and not sent again',
    async (outcome, code) => {
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
    },
  );

  it('is looked up with the share of connections, because copiers wait for it; later checks are background work', async () => {
    const trade = await env.place();
    env.exchange.onPlace = async (order) => {
      env.exchange.accept(order);
      return fails('unknown', 'no_answer')();
    };
    await env.send();
    env.exchange.purposes.splice(0);
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(env.exchange.purposes.splice(0)[0]).toBe('resume');
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(new Set(env.exchange.purposes)).toEqual(new Set(['check']));
  });

  it('row 1: that never arrived fails after five checks and a final one, and is not sent again', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 5_001);
    for (let check = 1; check <= 5; check++) await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('rule 20: that belongs to a copy and certainly did not arrive is sent again before its deadline, under the same id', async () => {
    const trade = await env.place();
    await env.core.rows("UPDATE trades SET resend_until = now() + interval '1 minute' WHERE id = $1", trade);
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 5_001);
    for (let check = 1; check <= 6; check++) await env.gateway.orderReconciler.checkTrade(trade);
    env.exchange.onPlace = fails('retryable', 'rate_limited');
    await sendAgain(trade);
    env.exchange.onPlace = async (order) => env.exchange.accept(order);
    await sendAgain(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    expect(env.exchange.placed).toHaveLength(3);
    expect(new Set(env.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId)).size).toBe(1);
  });

  it('is found after an internal error, too', async () => {
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

  it('stays unknown as long as the exchange is unreachable', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    await env.backdateSubmission(trade, 60_000);
    env.exchange.onCall = fails('retryable', 'unreachable');
    for (let check = 0; check < 8; check++) {
      await expect(env.gateway.orderReconciler.checkTrade(trade)).rejects.toMatchObject({
        code: 'unreachable',
      });
    }
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });
});

describe('checking an order', () => {
  it('stores its state, and its fills as soon as they can be read', async () => {
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

  it('is repeated soon after a failure, not only when the lease expires', async () => {
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

  it('of a trade that has ended or does not exist sends no request to the exchange', async () => {
    const trade = await env.place();
    await env.execution.requestCancellation(trade);
    env.exchange.onCall = fails('fatal', 'refused');
    await env.gateway.orderReconciler.checkTrade(trade);
    await env.gateway.orderReconciler.checkTrade('0190f5f0-0000-7000-8000-000000000001');
    expect(env.exchange.placed).toEqual([]);
  });
});

describe('cancelling', () => {
  it('an unsent order ends it without a request to the exchange', async () => {
    const trade = await env.place();
    await env.gateway.orderReconciler.cancel(trade, waitingCaller().signal);
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange).toMatchObject({ placed: [], cancelled: [] });
  });

  it('a resting order requests the cancellation once, and returns when the cancellation is stored', async () => {
    const trade = await env.place();
    await env.send();
    await env.gateway.orderReconciler.cancel(trade, waitingCaller().signal);
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
    await env.gateway.orderReconciler.cancel(trade, waitingCaller().signal);
    expect(await env.read(trade)).toMatchObject({ status: 'FILLED' });
  });

  it('an order in flight waits until the order arrives, and never counts the order as lost', async () => {
    const trade = await env.place();
    const { arrival, sending } = await sendSlowly();
    let probes = 0;
    env.exchange.onCall = (name) => {
      if (name === 'findOrder') probes++;
    };
    // As late as possible: if the probes of the cancellation counted, the order would be considered lost.
    await env.backdateSubmission(trade, 9_000);
    const cancelling = env.gateway.orderReconciler.cancel(trade, waitingCaller().signal);
    await eventually(() => probes >= 5);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'PENDING_CANCEL' });
    arrival.open();
    await Promise.all([sending, cancelling]);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('is completed by the next check if no caller waits any more', async () => {
    const trade = await env.place();
    const { arrival, sending } = await sendSlowly();
    const waiting = waitingCaller();
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

  it('is requested again until the exchange responds', async () => {
    const trade = await env.place();
    await env.send();
    let failuresLeft = 2;
    env.exchange.onCall = (name) => {
      if (name === 'cancelOrder' && failuresLeft-- > 0) return fails('unknown', 'no_answer')();
      return undefined;
    };
    await env.gateway.orderReconciler.cancel(trade, waitingCaller().signal);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED' });
    expect(env.exchange.cancelled).toHaveLength(3);
  });

  it('continues while the exchange is unreachable, and ends when no caller waits', async () => {
    const trade = await env.place();
    await env.send();
    let calls = 0;
    env.exchange.onCall = () => {
      calls++;
      return fails('retryable', 'unreachable')();
    };
    const waiting = waitingCaller();
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
  it('contains outcomes and ids, and no credentials', async () => {
    const trade = await env.place();
    env.exchange.onPlace = fails('unknown', 'no_answer');
    await env.send();
    expect(env.logged.join('')).toContain(trade);
    expect(env.logged.join('')).not.toContain('a secret');
  });
});
