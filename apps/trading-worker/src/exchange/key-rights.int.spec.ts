import type { CredentialsReport } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

it('an account of perpetuals that was switched to hedge mode becomes inactive after its stream has connected', async () => {
  const { accounts } = env.gateway;
  const inHedgeMode = async (): Promise<CredentialsReport> => ({
    tradingTypes: ['perpetual'],
    canTrade: true,
    canWithdraw: false,
    unsupported: 'HEDGE_MODE',
  });
  env.exchange.testCredentials = inHedgeMode;
  await env.gateway.renewOwnership();
  const setType = (type: string) =>
    env.core.rows(
      `UPDATE exchange_accounts SET trading_type = $2, rights_due_at = now() + interval '20 hours' WHERE id = $1`,
      env.account.uuid,
      type,
    );
  const read = async () => {
    await accounts.readDueRights();
    return env.core.row(
      'SELECT is_active, inactive_reason FROM exchange_accounts WHERE id = $1',
      env.account.uuid,
    );
  };
  const active = { is_active: true, inactive_reason: null };
  await setType('spot');
  accounts.streams.addConnected(env.account.uuid);
  expect(await read()).toEqual(active);
  await setType('perpetual');
  expect(await read()).toEqual(active);
  accounts.streams.addConnected(env.account.uuid);
  expect(await read()).toEqual({ is_active: false, inactive_reason: 'POSITION_MODE' });
});
