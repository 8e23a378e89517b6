/** A number after `rule` in a title refers to the table of docs/trading/rules.md. */
import { ExchangeError } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());
afterEach(() => env.gateway.close());

/** After this time, the submission of a copy can no longer arrive. */
const CERTAIN_MS = 10_000;

/** Makes the trade a copy whose signal is young enough for `forMs`. */
const makeCopy = (trade: string, forMs = 60_000) =>
  env.core.rows(
    "UPDATE trades SET resend_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1",
    trade,
    forMs,
  );

/** Claims the trade's submission for a worker that dies before or after it sends the order, `agoMs` ago. */
async function dieWhileSending(trade: string, agoMs: number): Promise<void> {
  const dead = env.newGateway();
  // The gateway itself would also submit the order, which would race with the claim below.
  await dead.ownership.renewLease();
  await dead.ownership.claim();
  const owned = dead.ownership.ownedAccounts().get(env.account.uuid)!;
  const stored = (await env.execution.find(trade))!;
  const venueClientOrderId = `venue-${env.account.uuid}/${stored.clientOrderId}`;
  const claimed = await env.execution.claimSubmissions(owned, [{ id: trade, venueClientOrderId }]);
  expect(claimed).toHaveLength(1);
  await env.backdateSubmission(trade, agoMs);
  await env.core.rows('DELETE FROM worker_leases WHERE worker = $1', owned.worker);
  await dead.close();
}

/** Lets the test's worker take the account over, and waits until it has judged and sent everything. */
async function takeOver(): Promise<void> {
  await env.gateway.renewOwnership();
  await env.gateway.orders.takeover.drain();
  env.gateway.orderSubmitter.wake([env.account.uuid]);
  await env.gateway.orderSubmitter.drain();
}

/** Lets the exchange have the order of the trade whose client order id is `copy`. */
const acceptCopy = () =>
  env.exchange.accept({
    symbol: 'BTC/USDT',
    venueClientOrderId: `venue-${env.account.uuid}/copy`,
    type: 'LIMIT',
    side: 'BUY',
    timeInForce: 'GTC',
    amount: '1',
    price: '100',
    reduceOnly: false,
  });

async function isCheckedSoon(trade: string): Promise<unknown> {
  const row = await env.core.row(
    "SELECT look_at <= clock_timestamp() + interval '2 s' AS soon FROM trades WHERE id = $1",
    trade,
  );
  return row.soon;
}

const placedIds = () => env.exchange.placed.map(({ venueClientOrderId }) => venueClientOrderId);

describe('a copy that a dead worker claimed', () => {
  it('rule 20: is sent again at once under the same id, before new entries, if the exchange does not know it', async () => {
    const copy = await env.place({ client_order_id: 'copy' });
    await makeCopy(copy);
    await dieWhileSending(copy, CERTAIN_MS);
    await env.place({ client_order_id: 'new' });
    await takeOver();
    expect(placedIds()).toEqual([`venue-${env.account.uuid}/copy`, `venue-${env.account.uuid}/new`]);
    expect(await env.read(copy)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });

  it('rule 20: is stored and not sent again if the exchange has it', async () => {
    const copy = await env.place({ client_order_id: 'copy' });
    await makeCopy(copy);
    await dieWhileSending(copy, CERTAIN_MS);
    acceptCopy();
    await takeOver();
    expect(placedIds()).toEqual([]);
    expect(await env.read(copy)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });

  it('rule 14: ends as EXPIRED, which is STALE_SIGNAL for its decision, if its signal is too old', async () => {
    const copy = await env.place();
    await makeCopy(copy);
    await dieWhileSending(copy, CERTAIN_MS);
    await makeCopy(copy, 0);
    await takeOver();
    expect(placedIds()).toEqual([]);
    expect(await env.read(copy)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXPIRED' });
  });

  it('holds new entries back until it was looked up once, but no exit; it is sent again once it can no longer arrive', async () => {
    await env.place({ client_order_id: 'exit', side: 'SELL' });
    const copy = await env.place({ client_order_id: 'copy' });
    await makeCopy(copy);
    await env.place({ client_order_id: 'entry' });
    await dieWhileSending(copy, CERTAIN_MS - 1_500);
    let respond!: () => void;
    const mayRespond = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const looks: unknown[] = [];
    env.exchange.onCall = async (name) => {
      if (name !== 'findOrder') return;
      looks.push(
        await env.core.row(
          "SELECT clock_timestamp() >= submitted_at + $2 * interval '1 millisecond' AS certain FROM trades WHERE id = $1",
          copy,
          CERTAIN_MS,
        ),
      );
      await mayRespond;
    };
    await env.gateway.renewOwnership();
    env.gateway.orderSubmitter.wake([env.account.uuid]);
    await env.gateway.orderSubmitter.drain();
    const owned = env.gateway.ownership.ownedAccounts().get(env.account.uuid)!;
    await eventually(() => looks.length > 0 || env.gateway.orders.maySend(owned, false));
    expect(placedIds()).toEqual([`venue-${env.account.uuid}/exit`]);
    respond();
    await env.gateway.orders.takeover.drain();
    expect(looks).toEqual([{ certain: false }, { certain: true }]);
    await eventually(() => placedIds().length === 3);
    await env.gateway.orderSubmitter.drain();
    expect(placedIds().slice(1)).toEqual([
      `venue-${env.account.uuid}/entry`,
      `venue-${env.account.uuid}/copy`,
    ]);
  });

  it('holds nothing back once it is found, long before it would be certain that it is absent', async () => {
    const copy = await env.place({ client_order_id: 'copy' });
    await makeCopy(copy);
    await dieWhileSending(copy, 0);
    acceptCopy();
    await env.place({ client_order_id: 'new' });
    const { time: before } = await env.core.row(
      'SELECT submitted_at AS time FROM trades WHERE id = $1',
      copy,
    );
    await takeOver();
    expect(placedIds()).toEqual([`venue-${env.account.uuid}/new`]);
    const { ms } = await env.core.row(
      'SELECT (extract(epoch FROM clock_timestamp() - $1::timestamptz) * 1000)::float8 AS ms',
      before,
    );
    expect(ms).toBeLessThan(CERTAIN_MS);
  });

  it('is looked up again if the exchange does not respond to the first look', async () => {
    const copy = await env.place({ client_order_id: 'copy' });
    await makeCopy(copy);
    await dieWhileSending(copy, CERTAIN_MS);
    let looks = 0;
    env.exchange.onCall = (name) => {
      if (name === 'findOrder' && ++looks === 1) throw new ExchangeError('retryable', 'unreachable', 'no');
    };
    await takeOver();
    expect([looks, placedIds()]).toEqual([2, [`venue-${env.account.uuid}/copy`]]);
  });

  it('is checked again soon if the exchange responds to no look, although the dead worker claimed its check', async () => {
    const copy = await env.place();
    await makeCopy(copy);
    await dieWhileSending(copy, CERTAIN_MS);
    await env.core.rows(
      "UPDATE trades SET look_at = clock_timestamp() + interval '1 hour' WHERE id = $1",
      copy,
    );
    env.exchange.onCall = (name) => {
      if (name === 'findOrder') throw new ExchangeError('retryable', 'unreachable', 'no');
    };
    await takeOver();
    expect(await isCheckedSoon(copy)).toBe(true);
  });
});

describe('a user’s own order that a dead worker claimed', () => {
  it('is looked up and stored at once', async () => {
    const own = await env.place({ client_order_id: 'copy' });
    await dieWhileSending(own, 0);
    acceptCopy();
    await takeOver();
    expect(await env.read(own)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
  });

  it('is checked again soon if it was not found, although the dead worker claimed its check', async () => {
    const own = await env.place();
    await dieWhileSending(own, 0);
    await env.core.rows("UPDATE trades SET look_at = clock_timestamp() + interval '30 s' WHERE id = $1", own);
    await takeOver();
    expect(await isCheckedSoon(own)).toBe(true);
  });

  it('is never sent again', async () => {
    const own = await env.place();
    await dieWhileSending(own, CERTAIN_MS);
    await takeOver();
    expect(placedIds()).toEqual([]);
    expect(await env.read(own)).toMatchObject({ status: 'PENDING' });
  });
});

describe('an order that a dead worker sent, whose response it stored without the fills', () => {
  it('is stored with its fills at once, because copiers wait for them', async () => {
    const own = await env.place({ client_order_id: 'copy', type: 'MARKET', price: undefined });
    await dieWhileSending(own, 0);
    await env.core.rows(
      "UPDATE trades SET acknowledged_at = submitted_at, sub_status = 'ACCEPTED' WHERE id = $1",
      own,
    );
    env.exchange.fill(acceptCopy());
    await takeOver();
    expect(await env.read(own)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
  });
});

describe('new orders after a takeover', () => {
  /** Takes the account over, with two unsent orders and an exchange that does not respond until `respond` is called. */
  async function takeOverWithoutStream(streamWaitMs: number) {
    let respond: () => void = () => undefined;
    const mayRespond = new Promise<void>((resolve) => {
      respond = resolve;
    });
    env.exchange.onCall = (name) => (name === 'fetchBalances' ? mayRespond : undefined);
    await env.place({ client_order_id: 'exit', side: 'SELL' });
    await env.place({ client_order_id: 'entry' });
    const gateway = env.newGateway({}, env.exchange, env.core.platform, env.execution, streamWaitMs);
    await gateway.renewOwnership();
    gateway.supervisors.setAccounts(gateway.ownership.ownedAccounts());
    gateway.orderSubmitter.wake([env.account.uuid]);
    await gateway.orderSubmitter.drain();
    return { gateway, respond };
  }

  it('wait for the account’s stream, because the fills of earlier ones have to be read by calls', async () => {
    const { gateway, respond } = await takeOverWithoutStream(3_600_000);
    expect(placedIds()).toEqual([]);
    respond();
    await eventually(() => placedIds().length === 2);
    await gateway.close();
  });

  it('wait for a stream that does not connect only for a short time', async () => {
    const { gateway, respond } = await takeOverWithoutStream(200);
    await eventually(() => placedIds().length === 2);
    respond();
    await gateway.close();
  });
});
