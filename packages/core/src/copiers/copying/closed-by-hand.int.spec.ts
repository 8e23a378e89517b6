/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { decodeId, lotOperations } from '@trading-automation/contracts';
import { querySchemaOf } from '../../operations/index.js';
import { LotsService } from '../../trades/index.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
let lots: LotsService;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
  await env.setPair("order_types = '{LIMIT,MARKET}'");
  const { platform, lists, commands } = env.core;
  lots = new LotsService({ platform, lists, commands });
});
afterAll(() => env.close());
beforeEach(() => env.reset());

async function lotOf({ actor }: Follower) {
  const query = querySchemaOf(lotOperations.list).parse({}) as Parameters<LotsService['list']>[1];
  const [lot] = (await lots.list(actor, query)).items;
  return lot!;
}

describe('rule 13: a copy that its user closes', () => {
  it('holds up exits of its lot until the order has ended; the exit then sells what is left', async () => {
    const follower = await env.followerWithLot();
    const closing = await lots.close(follower.actor, (await lotOf(follower)).id, { fraction: '0.4' });
    expect(closing.amount).toBe('2');
    await env.leaderSells('10');
    await env.runUntilIdle();
    expect(await env.orders(follower)).toHaveLength(1);
    await env.execute({ id: decodeId('trd', closing.id)! });
    expect(await lotOf(follower)).toMatchObject({ is_detached: true, remaining_amount: '3' });
    await env.runDecisionsNow();
    expect(await env.lastOrder(follower)).toMatchObject({ side: 'SELL', amount: '3', intent: 'CLOSE' });
    await env.executeAll();
    expect(await env.held(follower)).toBe('0');
  });

  it('ends the exit as NOT_HELD if nothing is left', async () => {
    const follower = await env.followerWithLot();
    const closing = await lots.close(follower.actor, (await lotOf(follower)).id, undefined);
    await env.leaderSells('10');
    await env.runUntilIdle();
    await env.execute({ id: decodeId('trd', closing.id)! });
    await env.runDecisionsNow();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'NOT_HELD',
      settled: true,
    });
    expect(await env.orders(follower)).toHaveLength(1);
  });

  it('never sells more than the lot together with exits that are planned at the same time', async () => {
    const follower = await env.followerWithLot();
    const { id } = await lotOf(follower);
    await env.leaderSells('10');
    const [closed] = await Promise.allSettled([
      lots.close(follower.actor, id, undefined),
      env.planner.planNext(),
    ]);
    await env.runUntilIdle();
    const exits = (await env.orders(follower)).filter(({ side }) => side === 'SELL');
    expect(exits.length + Number(closed!.status === 'fulfilled')).toBe(1);
  });
});
