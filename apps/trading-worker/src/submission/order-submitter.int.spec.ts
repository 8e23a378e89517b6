import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

/** Accounts that each have unsent orders. */
async function accountsWithOrders(accountCount: number, orderCount: number): Promise<string[]> {
  const accounts = [env.account];
  while (accounts.length < accountCount) accounts.push(await env.anotherAccount());
  for (const { id } of accounts)
    for (let nth = 0; nth < orderCount; nth++) await env.place({ exchange_account_id: id });
  await env.gateway.renewOwnership();
  return accounts.map(({ uuid }) => uuid);
}

async function countingTransactions(work: () => Promise<void>): Promise<number> {
  const { execution } = env;
  const begin = execution.claimSubmissions.bind(execution);
  let count = 0;
  execution.claimSubmissions = (...given) => {
    count++;
    return begin(...given);
  };
  try {
    await work();
  } finally {
    execution.claimSubmissions = begin;
  }
  return count;
}

describe('orders of many accounts', () => {
  it('are claimed together after separate wake-ups', async () => {
    const accounts = await accountsWithOrders(12, 1);
    const count = await countingTransactions(async () => {
      for (const id of accounts) env.gateway.orderSubmitter.wake([id]);
      await env.gateway.orderSubmitter.drain();
    });
    expect(count).toBe(1);
    expect(env.exchange.placed).toHaveLength(12);
  });

  it('are all sent, each once, if an account has several', async () => {
    const accounts = await accountsWithOrders(3, 4);
    await countingTransactions(async () => {
      env.gateway.orderSubmitter.wake(accounts);
      await env.gateway.orderSubmitter.drain();
    });
    const ids = env.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toHaveLength(12);
  });
});
