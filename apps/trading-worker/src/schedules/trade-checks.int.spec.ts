import { eventually } from '@trading-automation/runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';
import { startTradeChecks } from './trade-checks.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

it('orders without a response are checked while the checks of all other trades wait for the exchange', async () => {
  const resting = [await env.place(), await env.place()];
  await env.send();
  const unanswered = await env.place({ client_order_id: 'unanswered' });
  await env.core.beginSubmission(unanswered, `venue-${env.account.uuid}/unanswered`);
  env.exchange.accept({
    symbol: 'BTC/USDT',
    venueClientOrderId: `venue-${env.account.uuid}/unanswered`,
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '1',
    price: '100',
    reduceOnly: false,
  });
  let respond: () => void = () => undefined;
  let waiting = 0;
  const mayRespond = new Promise<void>((resolve) => {
    respond = resolve;
  });
  env.exchange.onCall = (name) => {
    if (name !== 'fetchOpenOrders') return;
    waiting++;
    return mayRespond;
  };
  const due = (ids: readonly string[]) =>
    env.core.rows('UPDATE trades SET look_at = clock_timestamp() WHERE id = ANY ($1)', ids);
  await due(resting);
  const loops = startTradeChecks(env.gateway);
  await eventually(() => waiting > 0);
  await due([unanswered]);
  await eventually(
    async () => {
      expect((await env.read(unanswered)).sub_status).toBe('ACCEPTED');
      return true;
    },
    { timeoutMs: 15_000 },
  );
  respond();
  for (const loop of loops) await loop.stop();
});
