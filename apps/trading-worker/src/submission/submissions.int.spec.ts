import { DesksUnderTest } from '../testing/desk-under-test.js';

let the: DesksUnderTest;
beforeAll(async () => {
  the = await DesksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());
afterEach(() => the.desks.close());

/** Accounts each of which has orders that nobody has begun to send. */
async function accountsWithOrders(accountCount: number, orderCount: number): Promise<string[]> {
  const accounts = [the.account];
  while (accounts.length < accountCount) accounts.push(await the.anotherAccount());
  for (const { id } of accounts)
    for (let nth = 0; nth < orderCount; nth++) await the.place({ exchange_account_id: id });
  await the.desks.own();
  return accounts.map(({ uuid }) => uuid);
}

async function countingTransactions(work: () => Promise<void>): Promise<number> {
  const { execution } = the;
  const begin = execution.beginSubmissions.bind(execution);
  let count = 0;
  execution.beginSubmissions = (...given) => {
    count++;
    return begin(...given);
  };
  try {
    await work();
  } finally {
    execution.beginSubmissions = begin;
  }
  return count;
}

describe('orders of many accounts', () => {
  it('that are told of one account after the other are begun together', async () => {
    const accounts = await accountsWithOrders(12, 1);
    const count = await countingTransactions(async () => {
      for (const id of accounts) the.desks.submissions.wake([id]);
      await the.desks.submissions.settle();
    });
    expect(count).toBe(1);
    expect(the.exchange.placed).toHaveLength(12);
  });

  it('are all sent, each once, where an account has several of them', async () => {
    const accounts = await accountsWithOrders(3, 4);
    await countingTransactions(async () => {
      the.desks.submissions.wake(accounts);
      await the.desks.submissions.settle();
    });
    const ids = the.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toHaveLength(12);
  });
});
