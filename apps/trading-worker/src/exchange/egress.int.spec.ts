/** Accounts keep the local address that was chosen for them. On Linux, every address of 127.0.0.0/8 is a local one. */

import type { ExchangeVenue } from '@trading-automation/exchanges';
import { type BudgetedCall, purposeOf } from '@trading-automation/exchanges';
import { createVenue, venueConfig } from '@trading-automation/exchanges/ccxt';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { PaperExchange } from '../testing/paper-exchange.js';

let env: GatewayUnderTest;
let paper: PaperExchange;
let calls: BudgetedCall[];
let venues: ExchangeVenue[];
beforeAll(async () => {
  env = await GatewayUnderTest.open();
  paper = await PaperExchange.start();
});
afterAll(async () => {
  await env.close();
  await paper.close();
});
beforeEach(async () => {
  calls = [];
  venues = [];
  await env.reset();
  await env.setCredentials(await paper.openAccount({ USDT: 7 }));
});
afterEach(async () => {
  for (const venue of venues) await venue.close();
  await env.gateway.close();
});

/** Creates a worker that calls the exchange from these local addresses. */
function workerAt(egress: readonly string[]) {
  const config = { id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes: ['spot'], url: paper.url };
  const budget = { take: async (call: BudgetedCall) => void calls.push(call), pause: () => undefined };
  const venue = createVenue(venueConfig.parse({ ...config, egress }), { budget });
  venues.push(venue);
  return env.newGateway({}, venue);
}
const storedAddress = async () => (await env.accountSync.find(env.account.uuid))?.egressAddress;
const usedAddresses = () => [
  ...new Set(calls.splice(0).flatMap(({ accountKey, egress }) => (accountKey ? [egress] : []))),
];

describe('the local address of an account', () => {
  it('is stored, and every worker uses it as long as it is configured', async () => {
    await workerAt(['127.0.0.2', '127.0.0.3']).balanceSync.sync(env.account.uuid);
    const chosen = await storedAddress();
    expect(usedAddresses()).toEqual([chosen]);
    const more = ['127.0.0.9', '127.0.0.8', '127.0.0.7', '127.0.0.6', '127.0.0.5'];
    await workerAt([...more, '127.0.0.2', '127.0.0.3']).balanceSync.sync(env.account.uuid);
    expect(usedAddresses()).toEqual([chosen]);
    const other = chosen === '127.0.0.2' ? '127.0.0.3' : '127.0.0.2';
    await workerAt([other]).balanceSync.sync(env.account.uuid);
    expect(usedAddresses()).toEqual([other]);
    expect(await storedAddress()).toBe(other);
  });

  it('is not stored if the exchange is configured without addresses', async () => {
    await env.newGateway({}, paper.venue()).balanceSync.sync(env.account.uuid);
    expect(await storedAddress()).toBeNull();
  });
});

describe('a test of credentials', () => {
  it('uses the share of its user, and the address that the account will have', async () => {
    const keys = await paper.openAccount({ USDT: 1 });
    const gateway = workerAt(['127.0.0.2', '127.0.0.3', '127.0.0.4']);
    const context = 'credentials_test/1';
    const sealed = await env.sealed(keys, context);
    const input = { exchange: 'paper', trading_type: 'spot', sealed, context } as const;
    await gateway.credentials.test(input, 'the user');
    const tested = calls.splice(0).filter(({ accountKey }) => accountKey !== undefined);
    expect(tested.length).toBeGreaterThan(0);
    for (const call of tested) expect([purposeOf(call), call.userId]).toEqual(['user', 'the user']);
    await env.setCredentials(keys);
    await gateway.balanceSync.sync(env.account.uuid);
    expect(usedAddresses()).toEqual([tested[0]?.egress]);
  });
});
