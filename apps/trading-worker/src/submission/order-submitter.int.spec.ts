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
