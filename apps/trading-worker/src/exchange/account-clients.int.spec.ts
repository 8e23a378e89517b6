import type { ConnectOptions, ExchangeCredentials, ExchangeVenue } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

it('accounts that share a wallet use the call budget of the wallet, others their own', async () => {
  const keys: (string | undefined)[] = [];
  const connect = (credentials: ExchangeCredentials, _type: unknown, options?: ConnectOptions) => {
    keys.push(options?.accountKey);
    return env.exchange.connect(credentials);
  };
  const venue: ExchangeVenue = Object.assign(Object.create(env.exchange), { connect });
  const open = async () => {
    const gateway = env.newGateway({}, venue);
    await gateway.accounts.clients.open(env.account.uuid);
    await gateway.close();
  };
  await open();
  const first = await env.core.account(env.actor);
  await env.core.rows(
    'UPDATE exchange_accounts SET wallet_id = $1 WHERE id = $2',
    first.uuid,
    env.account.uuid,
  );
  await open();
  expect(keys).toEqual([env.account.uuid, first.uuid]);
});
