import { EmergencyStopService } from '@trading-automation/core/emergency-stop';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

/** Nobody answers the calls here: the looks alone carry the wish out. */
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

/** What the worker does by the clock, once. */
async function checkAllDue(): Promise<string[]> {
  const due = await env.execution.claimDueChecks(LEASE_MS, 100);
  const alone = await env.gateway.restingOrders.filterChanged(due, (error) => {
    throw error;
  });
  for (const id of alone) await env.gateway.orderReconciler.checkTrade(id);
  return [...due];
}

describe('what an emergency stop left open', () => {
  it('is cancelled by the next looks, though nobody waits for it and nobody asked the worker', async () => {
    const trades = [await env.place(), await env.place(), await env.place()];
    await env.send();
    const { still_open } = await stop.run(env.actor);
    expect(still_open).toHaveLength(trades.length);
    expect(env.exchange.cancelled).toEqual([]);

    expect((await checkAllDue()).sort()).toEqual([...trades].sort());
    for (const trade of trades)
      expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(env.exchange.cancelled).toHaveLength(trades.length);
    expect((await stop.run(env.actor)).still_open).toEqual([]);
  });

  it('is looked at again soon where the exchange takes its time, however long it has rested', async () => {
    const trade = await env.place();
    await env.send();
    await env.core.rows("UPDATE trades SET created_at = created_at - interval '1 day' WHERE id = $1", trade);
    await stop.run(env.actor);
    // Taken note of, and not done: the order is found open after it.
    env.exchange.cancelOrder = async () => undefined;
    await checkAllDue();
    const row = await env.core.row(
      `SELECT sub_status, look_at <= clock_timestamp() + interval '2 seconds' AS is_soon FROM trades WHERE id = $1`,
      trade,
    );
    expect(row).toEqual({ sub_status: 'PENDING_CANCEL', is_soon: true });
  });

  it('never sends what was not sent before it, whoever takes the trade up', async () => {
    const trade = await env.place();
    expect((await stop.run(env.actor)).cancelled).toHaveLength(1);
    await env.send();
    await env.gateway.orderReconciler.checkTrade(trade);
    expect(env.exchange.placed).toEqual([]);
  });
});
