import { AccountRights } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { AccountClients } from './account-clients.js';
import { RestingOrderChecker } from './resting-order-checker.js';

let env: GatewayUnderTest;
let calls: string[];
let errors: unknown[];
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  calls = [];
  errors = [];
});
afterEach(() => env.gateway.close());

async function placeRestingOrders(count: number): Promise<string[]> {
  const trades: string[] = [];
  for (let i = 0; i < count; i++) {
    const trade = await env.place();
    await env.send();
    trades.push(trade);
  }
  await env.gateway.balanceSync.drain();
  await env.core.rows(
    "UPDATE trades SET look_at = now() + interval '30 seconds' WHERE id = ANY ($1)",
    trades,
  );
  env.exchange.onCall = (name) => calls.push(name);
  return trades;
}
const filterChanged = (trades: readonly string[]) =>
  env.gateway.orders.resting.filterChanged(trades, (error) => errors.push(error));
const secondsUntilCheck = async (trade: string) => {
  const { wait } = await env.core.row(
    'SELECT extract(epoch FROM look_at - clock_timestamp()) AS wait FROM trades WHERE id = $1',
    trade,
  );
  return Number(wait);
};

describe('resting orders', () => {
  it('are checked with one request, and are due again as if each had been checked', async () => {
    const trades = await placeRestingOrders(5);
    const versions = await env.core.rows(
      'SELECT id, version FROM trades WHERE id = ANY ($1) ORDER BY id',
      trades,
    );
    expect(await filterChanged(trades)).toEqual([]);
    expect(calls).toEqual(['fetchOpenOrders']);
    for (const trade of trades) expect(await secondsUntilCheck(trade)).toBeLessThan(6);
    expect(
      await env.core.rows('SELECT id, version FROM trades WHERE id = ANY ($1) ORDER BY id', trades),
    ).toEqual(versions);
    expect(errors).toEqual([]);
  });

  it('need their own check once they changed or disappeared', async () => {
    const [first = '', ...others] = await placeRestingOrders(3);
    env.exchange.fill(env.exchange.last);
    const filled = others.at(-1) ?? '';
    expect(await filterChanged([first, ...others])).toEqual([filled]);
    await env.gateway.orderReconciler.checkTrade(filled);
    expect(await env.read(filled)).toMatchObject({ status: 'FILLED' });
    expect(await env.read(first)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });

  it('need their own check if there is only one; so do orders that are unsent, unacknowledged or being cancelled', async () => {
    const [cancelling = '', alone = ''] = await placeRestingOrders(2);
    await env.execution.requestCancellation(cancelling);
    const unsent = await env.place();
    const unacknowledged = await env.place();
    await env.core.beginSubmission(unacknowledged, 'venue-unacknowledged');
    expect(new Set(await filterChanged([cancelling, alone, unsent, unacknowledged]))).toEqual(
      new Set([cancelling, alone, unsent, unacknowledged]),
    );
    expect(calls).toEqual([]);
  });

  it('are skipped after a check, as long as they are not being cancelled and their account has a live stream', async () => {
    let isLive = true;
    const clients = new AccountClients(
      env.accountSync,
      new AccountRights(env.core.platform),
      env.gateway.venues,
    );
    const resting = new RestingOrderChecker(env.execution, clients, () => isLive);
    const onError = (error: unknown) => errors.push(error);
    const [first = '', second = ''] = await placeRestingOrders(2);
    expect(await resting.filterChanged([first, second], onError)).toEqual([]);
    for (let i = 0; i < 3; i++) expect(await resting.filterChanged([first, second], onError)).toEqual([]);
    expect(calls).toEqual(['fetchOpenOrders']);
    await env.execution.requestCancellation(second);
    expect(await resting.filterChanged([first, second], onError)).toEqual([second]);
    isLive = false;
    expect((await resting.filterChanged([first, second], onError)).toSorted()).toEqual(
      [first, second].toSorted(),
    );
    await clients.close();
  });

  it('of different accounts are checked separately', async () => {
    const mine = await placeRestingOrders(2);
    await env.reset();
    const theirs = await placeRestingOrders(2);
    expect((await filterChanged([...mine, ...theirs])).toSorted()).toEqual(mine.toSorted());
  });

  it('are rechecked soon if their list cannot be read, and the failure is reported', async () => {
    const trades = await placeRestingOrders(2);
    env.exchange.onCall = () => {
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is unavailable.');
    };
    expect(await filterChanged(trades)).toEqual([]);
    expect(errors).toMatchObject([{ code: 'unreachable' }]);
    for (const trade of trades) expect(await secondsUntilCheck(trade)).toBeLessThanOrEqual(2);
  });
});
