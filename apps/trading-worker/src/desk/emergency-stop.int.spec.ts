import { EmergencyStopService } from '@trading-automation/core/emergency-stop';
import { DesksUnderTest } from '../testing/desk-under-test.js';

/** Nobody answers the calls here: the looks alone carry the wish out. */
const WAIT_MS = 20;
const LEASE_MS = 30_000;

let the: DesksUnderTest;
let stop: EmergencyStopService;
beforeAll(async () => {
  the = await DesksUnderTest.open();
  stop = new EmergencyStopService(the.core.platform, the.core.commands, WAIT_MS);
});
afterAll(() => the.close());
beforeEach(() => the.begin());
afterEach(() => the.desks.close());

/** What the worker does by the clock, once. */
async function lookAtAllDue(): Promise<string[]> {
  const due = await the.execution.takeDue(LEASE_MS, 100);
  const alone = await the.desks.restingOrders.sift(due, (error) => {
    throw error;
  });
  for (const id of alone) await the.desks.trades.look(id);
  return [...due];
}

describe('what an emergency stop left open', () => {
  it('is cancelled by the next looks, though nobody waits for it and nobody asked the worker', async () => {
    const trades = [await the.place(), await the.place(), await the.place()];
    await the.send();
    const { still_open } = await stop.run(the.actor);
    expect(still_open).toHaveLength(trades.length);
    expect(the.exchange.cancelled).toEqual([]);

    expect((await lookAtAllDue()).sort()).toEqual([...trades].sort());
    for (const trade of trades)
      expect(await the.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'USER' });
    expect(the.exchange.cancelled).toHaveLength(trades.length);
    expect((await stop.run(the.actor)).still_open).toEqual([]);
  });

  it('is looked at again soon where the exchange takes its time, however long it has rested', async () => {
    const trade = await the.place();
    await the.send();
    await the.core.rows("UPDATE trades SET created_at = created_at - interval '1 day' WHERE id = $1", trade);
    await stop.run(the.actor);
    // Taken note of, and not done: the order is found open after it.
    the.exchange.cancelOrder = async () => undefined;
    await lookAtAllDue();
    const row = await the.core.row(
      `SELECT sub_status, look_at <= clock_timestamp() + interval '2 seconds' AS is_soon FROM trades WHERE id = $1`,
      trade,
    );
    expect(row).toEqual({ sub_status: 'PENDING_CANCEL', is_soon: true });
  });

  it('never sends what was not sent before it, whoever takes the trade up', async () => {
    const trade = await the.place();
    expect((await stop.run(the.actor)).cancelled).toHaveLength(1);
    await the.send();
    await the.desks.trades.look(trade);
    expect(the.exchange.placed).toEqual([]);
  });
});
