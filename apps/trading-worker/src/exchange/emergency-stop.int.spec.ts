import { EmergencyStopService } from '@trading-automation/core/emergency-stop';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

/** How long the emergency stop waits for workers. None responds here, so only scheduled checks cancel the orders. */
const WAIT_MS = 20;
const LEASE_MS = 30_000;

let env: GatewayUnderTest;
let stop: EmergencyStopService;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
  stop = new EmergencyStopService(env.core.platform, env.core.commands, WAIT_MS);
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

/** Runs the scheduled checks of the worker once. */
async function checkAllDue(): Promise<void> {
  const remaining = await env.gateway.orders.claimChecks(LEASE_MS, 100, (error) => {
    throw error;
  });
  for (const id of remaining) await env.gateway.orderReconciler.checkTrade(id);
}

describe('an order that an emergency stop left open', () => {
  it('is cancelled by the next checks, without a call to the worker', async () => {
    const trades = [await env.place(), await env.place(), await env.place()];
    await env.send();
    const { still_open } = await stop.run(env.actor);
    expect(still_open).toHaveLength(trades.length);
    expect(env.exchange.cancelled).toEqual([]);

    await checkAllDue();
    for (const trade of trades)
      expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange.cancelled).toHaveLength(trades.length);
    expect((await stop.run(env.actor)).still_open).toEqual([]);
  });

  it('is rechecked soon if the exchange is slow, however long the order has rested', async () => {
    const trade = await env.place();
    await env.send();
    await env.core.rows("UPDATE trades SET created_at = created_at - interval '1 day' WHERE id = $1", trade);
    await stop.run(env.actor);
    // The exchange accepts the cancellation but has not executed it: the order is still open afterwards.
    env.exchange.cancelOrder = async () => undefined;
    await checkAllDue();
    const row = await env.core.row(
      `SELECT sub_status, look_at <= clock_timestamp() + interval '2 seconds' AS is_soon FROM trades WHERE id = $1`,
      trade,
    );
    expect(row).toEqual({ sub_status: 'PENDING_CANCEL', is_soon: true });
  });

  it('is never sent if it was unsent before the stop', async () => {
    const trade = await env.place();
    expect((await stop.run(env.actor)).cancelled).toHaveLength(1);
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(env.exchange.placed).toEqual([]);
  });
});
