/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { CopyingUnderTest } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

describe('rule 31: an entry far from the market', () => {
  it('is skipped as OFF_MARKET, also if the last price is the leader’s own fill', async () => {
    const follower = await env.follower({ limits: { max_slippage_bps: 100 } });
    await env.setPair('last_price = 150, last_price_at = clock_timestamp()');
    env.bookMid = '100';
    await env.leaderBuys('10', '150');
    await env.runUntilIdle();
    expect(await env.orders(follower)).toEqual([]);
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'OFF_MARKET',
      settled: true,
      inputs: { rule: 'max_slippage_bps', limit: 100, value: '5000', book_mid: '100' },
    });
    expect(await env.eventTypes(follower)).toEqual(['copier.started', 'copier.trade_skipped']);
  });

  it('is skipped if no order book can be read; exits need none', async () => {
    const follower = await env.followerWithLot();
    env.bookMid = null;
    await env.leaderBuys('10');
    await env.leaderSells('10');
    await env.executeAll();
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED' },
      { kind: 'OPEN', outcome: 'SKIPPED', code: 'OFF_MARKET' },
      { kind: 'CLOSE', outcome: 'COPIED', filled: '5' },
    ]);
  });

  it('is judged by one order book for each exchange, however many copiers follow', async () => {
    await env.core.pair({ exchange: 'second', last_price: '100' });
    const actor = await env.core.actor();
    const account = await env.core.account(actor, undefined, { exchange: 'second' });
    await env.follower({}, { on: { actor, account } });
    for (let copier = 0; copier < 5; copier++) await env.follower();
    env.booksRead.length = 0;
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(env.booksRead.toSorted()).toEqual(['paper BTC/USDT', 'second BTC/USDT']);
  });
});

describe('copy_existing', () => {
  it('rule 31: copies no lot whose price is far from the market', async () => {
    await env.leaderBuys('10');
    env.bookMid = '90';
    const follower = await env.follower({ copy_existing: true });
    expect(await env.orders(follower)).toEqual([]);
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'OFF_MARKET' });
  });

  it('rule 10: is refused while no worker reads order books, changes nothing, and succeeds when the same request is repeated', async () => {
    await env.leaderBuys('10');
    const follower = await env.follower({ copy_existing: true }, { start: false });
    const idempotency = env.core.idempotencyContext(follower.actor.userId, 'start');
    const start = () => env.copiers.start({ ...follower.actor, idempotency }, follower.copier.id);
    const error = await env.withoutWorker(() => start().catch((reason: unknown) => reason));
    expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 5 });
    expect(String(error)).toContain('the copier was not started');
    expect(await env.copierOf(follower)).toMatchObject({ status: 'PAUSED' });
    expect(await start()).toMatchObject({ status: 'ACTIVE' });
    expect(await env.orders(follower)).toHaveLength(1);
  });

  it('rule 10: gives the copy of a lot a decision that settles, even if the copier skipped the lot before', async () => {
    const follower = await env.follower({ limits: { blocked_pairs: ['BTC/USDT'] } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_BLOCKED' });
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.core.rows('UPDATE copiers SET blocked_pairs = NULL WHERE id = $1', follower.uuid);
    await env.copiers.start(follower.actor, follower.copier.id, { copy_existing: true });
    const order = await env.lastOrder(follower);
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', outcome: 'COPIED', code: null, trade_id: order.id, settled: false },
    ]);
    await env.executeAll();
    expect(await env.decisions(follower)).toMatchObject([{ outcome: 'COPIED', filled: '5', settled: true }]);
  });

  it('rule 10: is settled as an entry, even if the lot’s last signal was an exit', async () => {
    const follower = await env.follower();
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.leaderBuys('10');
    await env.leaderSells('4');
    await env.runUntilIdle();
    await env.copiers.start(follower.actor, follower.copier.id, { copy_existing: true });
    await env.executeAll();
    await env.runDecisionsNow();
    await env.executeAll();
    expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([['BUY', '3']]);
    expect(await env.decisions(follower)).toMatchObject([
      { kind: 'OPEN', code: 'NOT_ACTIVE' },
      { kind: 'OPEN', outcome: 'COPIED', filled: '3', settled: true },
    ]);
  });
});
