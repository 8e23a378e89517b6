/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { copierOperations, decision as decisionSchema } from '@trading-automation/contracts';
import { querySchemaOf } from '../../operations/index.js';
import type { CopiersService } from '../copiers.service.js';
import { CopierSimulation } from '../simulation/copier-simulation.service.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const parseQuery = (queryString = '') =>
  querySchemaOf(copierOperations.decisions).parse(
    Object.fromEntries(new URLSearchParams(queryString)),
  ) as Parameters<CopiersService['decisions']>[2];
const listDecisions = ({ actor, copier }: Follower, queryString = '') =>
  env.copiers.decisions(actor, copier.id, parseQuery(queryString));

describe('many copiers', () => {
  it('rule 17, row 9: of one account see what earlier copiers reserved, for this signal and for the next', async () => {
    const actor = await env.core.actor();
    const on = { actor, account: await env.core.account(actor, { USDT: '1100' }) };
    const all = [
      await env.follower({}, { on }),
      await env.follower({}, { on }),
      await env.follower({}, { on }),
    ];
    await env.leaderBuys('10');
    await env.runUntilIdle();
    const codes = await Promise.all(all.map(async (each) => (await env.lastDecision(each)).code));
    expect(codes.filter((code) => code === null)).toHaveLength(2);
    expect(codes.filter((code) => code === 'INSUFFICIENT_BALANCE')).toHaveLength(1);
    await env.leaderBuys('10');
    await env.runUntilIdle();
    for (const each of all)
      expect(await env.lastDecision(each)).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  it('rule 17: never reserve more than the free balance together, despite concurrent planners', async () => {
    const actor = await env.core.actor();
    const on = { actor, account: await env.core.account(actor, { USDT: '1100' }) };
    const first = await env.follower({}, { on });
    await env.leaderBuys('10');
    await env.reset();
    const second = await env.follower({}, { on });
    const third = await env.follower({}, { on });
    await env.leaderBuys('10');
    await Promise.all([env.planner.planNext(), env.planner.planNext(), env.planner.planNext()]);
    await env.runUntilIdle();
    const { reserved } = await env.core.row(
      'SELECT sum(reserved_amount)::float8 AS reserved FROM trades WHERE exchange_account_id = $1',
      on.account.uuid,
    );
    expect(reserved).toBe(1005);
    for (const each of [first, second, third]) expect(await env.decisions(each)).toHaveLength(1);
  });

  it('rule 18: of one account and pair hold separate lots; an exit sells only the lot of its copier', async () => {
    const actor = await env.core.actor();
    const on = { actor, account: await env.core.account(actor) };
    const half = await env.follower({}, { on });
    const tenth = await env.follower({ sizing: { mode: 'MULTIPLIER', value: '0.1' } }, { on });
    const firstLeader = env.leader;
    await env.leaderBuys('10');
    await env.executeAll();
    await env.reset();
    const other = await env.follower({}, { on });
    await env.leaderBuys('4');
    await env.executeAll();
    expect(env.leader).not.toBe(firstLeader);
    await env.leaderSells('4');
    await env.executeAll();
    expect(await Promise.all([half, tenth, other].map((each) => env.held(each)))).toEqual(['5', '1', '0']);
  });

  it('row 18: of many users follow one signal, each with its own settings', async () => {
    const sizings = ['0.1', '0.2', '0.3', '0.4'];
    const all = await Promise.all(
      sizings.map((value) => env.follower({ sizing: { mode: 'MULTIPLIER', value } })),
    );
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await Promise.all(all.map((each) => env.held(each)))).toEqual(['1', '2', '3', '4']);
  });

  it('rule 25: are planned in a different order for each signal', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => env.follower()));
    for (let round = 0; round < 6; round++) await env.leaderBuys('2');
    await env.runUntilIdle();
    const rows = await env.core.rows(
      `SELECT copy->>'sequence' AS sequence, array_agg(copier_id::text ORDER BY position) AS queue FROM (
         SELECT t.*, row_number() OVER (ORDER BY e.created_at, e.id) AS position
         FROM trades t JOIN outbox_events e ON e.user_id = t.user_id AND e.type = 'trade.created'
           AND convert_from(e.payload, 'UTF8')::json->'data'->>'client_order_id' = t.client_order_id
         WHERE t.copied_strategy_id = $1) each_trade GROUP BY 1`,
      env.strategy.uuid,
    );
    const queues = rows.map(({ queue }) => (queue as string[]).join());
    expect(rows).toHaveLength(6);
    for (const { queue } of rows)
      expect((queue as string[]).toSorted()).toEqual(all.map(({ uuid }) => uuid).toSorted());
    expect(new Set(queues).size).toBeGreaterThan(3);
  });

  it('rule 25: of a strategy with exits are planned before those of a strategy that has waited longer but has only entries', async () => {
    const exiting = await env.followerWithLot();
    const exitingStrategy = env.strategy.uuid;
    const { leader, source, strategy } = env;
    await env.reset();
    await env.follower();
    await env.leaderBuys('10');
    Object.assign(env, { leader, source, strategy });
    await env.leaderSells('10');
    const { strategiesWithUnplannedSignals } = await import('./planning-progress.queries.js');
    expect((await strategiesWithUnplannedSignals(env.core.platform.database.manager))[0]).toBe(
      exitingStrategy,
    );
    await env.executeAll();
    expect(await env.held(exiting)).toBe('0');
  });

  it('are planned in batches, each copier exactly once', async () => {
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const all = await Promise.all(Array.from({ length: 9 }, () => env.follower()));
    await env.leaderBuys('10');
    await new CopyPlanner(env.core.platform, env.readBookMid, { batchMax: 4 }).planNext();
    for (const each of all) expect(await env.decisions(each)).toHaveLength(1);
  });
});

describe('sizes and limits', () => {
  it('rule 9: a limit clamps the size and is reported; an exit takes its share of the copier’s lot', async () => {
    const follower = await env.follower({ limits: { max_trade_quote: '201' } });
    await env.leaderBuys('10');
    await env.executeAll();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'CLAMPED',
      code: 'MAX_TRADE',
      target: '5',
      sent: '2',
    });
    await env.leaderSells('5');
    await env.executeAll();
    expect(await env.held(follower)).toBe('1');
  });

  it('row 7: a copy below the minimum is recorded and carried until it can be ordered', async () => {
    const follower = await env.follower({ sizing: { mode: 'MULTIPLIER', value: '0.001' } });
    const trade = await env.leaderOrder('BUY', '20');
    await env.fill(trade, { amount: '8' });
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    expect(await env.eventTypes(follower)).toEqual(['copier.started', 'copier.trade_skipped']);
    await env.fill(trade, { amount: '12' });
    await env.runUntilIdle();
    expect(await env.lastOrder(follower)).toMatchObject({ amount: '0.02' });
  });

  it('rule 15: each skip is recorded with its code and its numbers', async () => {
    const follower = await env.follower({ limits: { allowed_sides: ['SELL'] } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'SIDE_BLOCKED',
      inputs: { rule: 'allowed_sides', value: 'BUY', limit: 'SELL', reference_price: expect.any(String) },
    });
    const [event] = (await env.core.events(follower.actor.userId)).slice(-1);
    const { items } = await listDecisions(follower);
    expect(event).toMatchObject({
      type: 'copier.trade_skipped',
      data: { id: items[0]!.id, code: 'SIDE_BLOCKED' },
    });
  });

  it('rule 27: a copy uses the pair with the same symbol on its own exchange; without one it is PAIR_UNAVAILABLE', async () => {
    const actor = await env.core.actor();
    const onOtherExchange = {
      actor,
      account: await env.core.account(actor, undefined, { exchange: 'elsewhere' }),
    };
    const onExchangeWithoutPair = {
      actor,
      account: await env.core.account(actor, undefined, { exchange: 'nowhere' }),
    };
    const pair = await env.core.pair({ exchange: 'elsewhere', amount_step: '0.5', last_price: '100' });
    const copied = await env.follower(
      { sizing: { mode: 'MULTIPLIER', value: '0.17' } },
      { on: onOtherExchange },
    );
    const skipped = await env.follower({}, { on: onExchangeWithoutPair });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    expect(await env.lastOrder(copied)).toMatchObject({ amount: '1.5' });
    expect(await env.core.row('SELECT trade_pair_id FROM trades WHERE copier_id = $1', copied.uuid)).toEqual({
      trade_pair_id: pair.uuid,
    });
    expect(await env.lastDecision(skipped)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_UNAVAILABLE' });
  });
});

describe('the list of decisions', () => {
  it('contains each signal once, matches the contract, and can be filtered and sorted', async () => {
    const follower = await env.follower({ limits: { max_open_trades: 1 } });
    await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderBuys('2');
    await env.leaderSells('6');
    await env.executeAll();
    const { items } = await listDecisions(follower, 'sort=sequence&order=asc');
    for (const item of items) expect(decisionSchema.parse(item)).toEqual(item);
    expect(items.map(({ sequence, kind, outcome, code }) => [sequence, kind, outcome, code])).toEqual([
      [1, 'OPEN', 'COPIED', undefined],
      [2, 'OPEN', 'SKIPPED', 'MAX_TRADES'],
      [3, 'REDUCE', 'COPIED', undefined],
    ]);
    expect(items[0]).toMatchObject({
      filled_amount: '5',
      slippage_bps: '50',
      latency_ms: expect.any(Number),
    });
    expect((await listDecisions(follower, 'outcome=SKIPPED')).items).toEqual([items[1]]);
    expect((await listDecisions(follower, `signal_id=${items[2]!.signal_id}`)).items).toEqual([items[2]]);
    await expect(listDecisions(follower, 'signal_id=sig_x')).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'signal_id' }],
    });
  });

  it('is visible to its owner only, and remains readable after the copier is removed', async () => {
    const follower = await env.followerWithLot();
    await expect(listDecisions({ ...follower, actor: env.leader })).rejects.toMatchObject({
      code: 'not_found',
    });
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.copiers.delete(follower.actor, follower.copier.id);
    expect((await listDecisions(follower)).items).toHaveLength(1);
  });

  it('rule 30: reveals neither the equity nor the account of the leader', async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1', capital: '1000' };
    const follower = await env.follower({ sizing });
    await env.leaderBuys('10', '100', { leader_equity: '98765.4321' });
    await env.executeAll();
    const shown = JSON.stringify([
      (await listDecisions(follower)).items,
      await env.core.events(follower.actor.userId),
      await env.copierOf(follower),
    ]);
    expect(shown).not.toContain('98765');
    expect(shown).not.toContain(env.source.id);
    expect(shown).not.toContain(env.source.uuid);
  });
});

it('a simulation decides like live copying if orders are filled immediately at the price of the leader', async () => {
  const follower = await env.follower({
    sizing: { mode: 'FIXED_QUOTE', value: '333' },
    limits: { max_trade_quote: '300', max_slippage_bps: 0 },
  });
  const trade = await env.leaderOrder('BUY', '10');
  await env.fill(trade, { amount: '3', price: '100' });
  await env.executeAll();
  await env.fill(trade, { amount: '7', price: '101' });
  await env.executeAll();
  await env.leaderSells('2.5', '102');
  await env.executeAll({ price: '102' });
  await env.leaderSells('7.5', '99');
  await env.executeAll({ price: '99' });
  const { items } = await listDecisions(follower, 'sort=sequence&order=asc');
  await env.core.rows('UPDATE trade_pairs SET taker_fee = 0 WHERE id = $1', env.pair.uuid);
  const simulation = new CopierSimulation(env.core.platform);
  const { decisions } = await simulation.simulate(follower.actor, follower.copier.id);
  const comparable = (
    all: readonly {
      kind: string;
      outcome: string;
      code?: string | undefined;
      target_amount: string;
      sent_amount: string;
    }[],
  ) =>
    all.map(({ kind, outcome, code, target_amount, sent_amount }) => ({
      kind,
      outcome,
      code,
      target_amount,
      sent_amount,
    }));
  expect(comparable(decisions)).toEqual(comparable(items));
  expect(items).toHaveLength(4);
});
