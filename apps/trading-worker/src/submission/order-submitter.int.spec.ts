import { setTimeout } from 'node:timers/promises';
import { ExchangeError } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

/** Creates accounts with unsent orders, and returns the uuids of the accounts. */
async function createAccountsWithOrders(accountCount: number, orderCount: number): Promise<string[]> {
  const accounts = [env.account];
  while (accounts.length < accountCount) accounts.push(await env.anotherAccount());
  for (const { id } of accounts)
    for (let nth = 0; nth < orderCount; nth++) await env.place({ exchange_account_id: id });
  await env.gateway.renewOwnership();
  return accounts.map(({ uuid }) => uuid);
}

/** Resolves once the exchange received at least `count` orders. */
async function untilPlaced(count: number): Promise<void> {
  await eventually(
    () => {
      expect(env.exchange.placed.length).toBeGreaterThanOrEqual(count);
      return true;
    },
    { timeoutMs: 15_000 },
  );
}

async function countClaims(work: () => Promise<void>): Promise<number> {
  const { execution } = env;
  const claim = execution.claimSubmissions.bind(execution);
  let count = 0;
  execution.claimSubmissions = (...args) => {
    count++;
    return claim(...args);
  };
  try {
    await work();
  } finally {
    execution.claimSubmissions = claim;
  }
  return count;
}

describe('orders of many accounts', () => {
  it('are claimed together after separate wake-ups', async () => {
    const accounts = await createAccountsWithOrders(12, 1);
    const count = await countClaims(async () => {
      for (const id of accounts) env.gateway.orderSubmitter.wake([id]);
      await env.gateway.orderSubmitter.drain();
    });
    expect(count).toBe(1);
    expect(env.exchange.placed).toHaveLength(12);
  });

  it('are each sent once, also if an account has several', async () => {
    const accounts = await createAccountsWithOrders(3, 4);
    await countClaims(async () => {
      env.gateway.orderSubmitter.wake(accounts);
      await env.gateway.orderSubmitter.drain();
    });
    const ids = env.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toHaveLength(12);
  });
});

it('the next orders of an account do not wait for calls that read the fills of the last ones', async () => {
  let respond: () => void = () => undefined;
  const mayRespond = new Promise<void>((resolve) => {
    respond = resolve;
  });
  env.exchange.onCall = (name) => (name === 'fetchFills' ? mayRespond : undefined);
  env.exchange.onPlace = async (order) => env.exchange.fill(env.exchange.accept(order));
  const trades: string[] = [];
  // More than may wait to be stored, so each response has to be stored before its fills are read.
  for (let nth = 0; nth < 5; nth++) trades.push(await env.place());
  await env.gateway.renewOwnership();
  env.gateway.orderSubmitter.wake([env.account.uuid]);
  await untilPlaced(5);
  respond();
  await env.gateway.orderSubmitter.drain();
  for (const trade of trades) expect(await env.read(trade)).toMatchObject({ status: 'FILLED' });
});

it('the next orders of an account do not wait until a response is stored, but at most three are not stored', async () => {
  await createAccountsWithOrders(1, 4);
  let store: () => void = () => undefined;
  const mayStore = new Promise<void>((resolve) => {
    store = resolve;
  });
  const { exchange, gateway, core } = env;
  let locking = Promise.resolve();
  exchange.onPlace = async (order) => {
    // Responses are stored in turn, so none is stored while the trade of the first one is locked.
    if (exchange.placed.length === 1)
      await new Promise<void>((isLocked) => {
        locking = core.platform.database.transaction(async (tx) => {
          await tx.query('SELECT FROM trades WHERE venue_client_order_id = $1 FOR UPDATE', [
            order.venueClientOrderId,
          ]);
          isLocked();
          await mayStore;
        });
      });
    return exchange.accept(order);
  };
  gateway.orderSubmitter.wake([env.account.uuid]);
  await untilPlaced(3);
  // Without the limit, the third response frees the account at once.
  await setTimeout(300);
  expect(exchange.placed).toHaveLength(3);
  store();
  await locking;
  await gateway.orderSubmitter.drain();
  expect(exchange.placed).toHaveLength(4);
  const rows = await core.rows(
    'SELECT DISTINCT sub_status FROM trades WHERE exchange_account_id = $1',
    env.account.uuid,
  );
  expect(rows).toEqual([{ sub_status: 'ACCEPTED' }]);
});

describe('an order whose response is lost', () => {
  it('frees its account as soon as the stream confirms it, and its late response changes nothing', async () => {
    await createAccountsWithOrders(1, 2);
    let respond: () => void = () => undefined;
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    env.exchange.onPlace = async (order) => {
      const accepted = env.exchange.accept(order);
      if (env.exchange.placed.length === 1) await response;
      return accepted;
    };
    const submitter = env.gateway.orderSubmitter;
    submitter.wake([env.account.uuid]);
    await eventually(() => env.exchange.placed.length === 1);
    const order = env.exchange.last;
    await env.gateway.orders.updates.add({ accountId: env.account.uuid, order, fills: [] });
    await eventually(() => env.exchange.placed.length === 2);
    respond();
    await submitter.drain();
    const rows = await env.core.rows(
      'SELECT sub_status FROM trades WHERE exchange_account_id = $1',
      env.account.uuid,
    );
    expect(rows).toEqual([{ sub_status: 'ACCEPTED' }, { sub_status: 'ACCEPTED' }]);
  });

  it('frees its account once a look-up of any worker has stored it', async () => {
    await createAccountsWithOrders(1, 2);
    let respond: () => void = () => undefined;
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    env.exchange.onPlace = async (order) => {
      const accepted = env.exchange.accept(order);
      if (env.exchange.placed.length === 1) await response;
      return accepted;
    };
    env.gateway.orderSubmitter.wake([env.account.uuid]);
    await eventually(() => env.exchange.placed.length === 1);
    const other = env.newGateway();
    const [first] = await env.core.rows(
      'SELECT id FROM trades WHERE exchange_account_id = $1 AND submitted_at IS NOT NULL',
      env.account.uuid,
    );
    await other.orderReconciler.checkTrade(String(first!.id));
    await eventually(() => env.exchange.placed.length === 2);
    respond();
    await env.gateway.orderSubmitter.drain();
    await other.close();
  });
});

describe('an order that was claimed', () => {
  const realNow = performance.now;
  afterEach(() => {
    performance.now = realNow;
  });

  async function submit(): Promise<{ readonly trade: string; readonly sent: () => number }> {
    let sent = 0;
    env.exchange.onPlace = async () => {
      sent++;
      throw new ExchangeError('unknown', 'no_answer', 'no response');
    };
    const trade = await env.place();
    await env.gateway.renewOwnership();
    for (let nth = 0; nth < 2; nth++) {
      env.gateway.orderSubmitter.wake([env.account.uuid]);
      await env.gateway.orderSubmitter.drain();
    }
    return { trade, sent: () => sent };
  }

  it('is neither failed nor sent again if the exchange does not respond to it', async () => {
    const { trade, sent } = await submit();
    expect(sent()).toBe(1);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
  });

  it('is not sent by a worker that stalled after its claim, because others may have judged it', async () => {
    const { execution } = env;
    const claim = execution.claimSubmissions.bind(execution);
    execution.claimSubmissions = async (...args) => {
      const claimed = await claim(...args);
      performance.now = () => realNow.call(performance) + 3_001;
      return claimed;
    };
    try {
      const { trade, sent } = await submit();
      expect(sent()).toBe(0);
      expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    } finally {
      execution.claimSubmissions = claim;
    }
  });
});
