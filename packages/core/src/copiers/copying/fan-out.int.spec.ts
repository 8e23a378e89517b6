import { copierOperations, decision as decisionSchema } from '@trading-automation/contracts';
import { querySchemaOf } from '../../operations/index.js';
import type { CopiersService } from '../copiers.service.js';
import { CopierSimulation } from '../simulation/copier-simulation.service.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

let the: CopyingUnderTest;
beforeAll(async () => {
  the = await CopyingUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

const asked = (text = '') =>
  querySchemaOf(copierOperations.decisions).parse(
    Object.fromEntries(new URLSearchParams(text)),
  ) as Parameters<CopiersService['decisions']>[2];
const listed = ({ actor, copier }: Follower, text = '') =>
  the.copiers.decisions(actor, copier.id, asked(text));

describe('many copiers', () => {
  it('rule 17, row 9: those of one account see what the others before them reserved, in one signal and in the next', async () => {
    const actor = await the.core.actor();
    const on = { actor, account: await the.core.account(actor, { USDT: '1100' }) };
    const all = [
      await the.follower({}, { on }),
      await the.follower({}, { on }),
      await the.follower({}, { on }),
    ];
    await the.leaderBuys('10');
    await the.work();
    const outcomes = await Promise.all(all.map(async (each) => (await the.lastDecision(each)).code));
    expect(outcomes.filter((code) => code === null)).toHaveLength(2);
    expect(outcomes.filter((code) => code === 'INSUFFICIENT_BALANCE')).toHaveLength(1);
    await the.leaderBuys('10');
    await the.work();
    for (const each of all)
      expect(await the.lastDecision(each)).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  it('rule 17: what copies could spend at most is never more than what is free, whoever plans at once', async () => {
    const actor = await the.core.actor();
    const on = { actor, account: await the.core.account(actor, { USDT: '1100' }) };
    const first = await the.follower({}, { on });
    await the.leaderBuys('10');
    await the.begin();
    const second = await the.follower({}, { on });
    const third = await the.follower({}, { on });
    await the.leaderBuys('10');
    await Promise.all([the.planner.planNext(), the.planner.planNext(), the.planner.planNext()]);
    await the.work();
    const { reserved } = await the.core.row(
      'SELECT sum(reserved_amount)::float8 AS reserved FROM trades WHERE exchange_account_id = $1',
      on.account.uuid,
    );
    expect(reserved).toBe(1005);
    for (const each of [first, second, third]) expect(await the.decisions(each)).toHaveLength(1);
  });

  it('rule 18: copiers of one account and pair hold lots of their own; an exit sells its copier’s alone', async () => {
    const actor = await the.core.actor();
    const on = { actor, account: await the.core.account(actor) };
    const half = await the.follower({}, { on });
    const tenth = await the.follower({ sizing: { mode: 'MULTIPLIER', value: '0.1' } }, { on });
    const firstLeader = the.leader;
    await the.leaderBuys('10');
    await the.executeAll();
    await the.begin();
    const other = await the.follower({}, { on });
    await the.leaderBuys('4');
    await the.executeAll();
    expect(the.leader).not.toBe(firstLeader);
    await the.leaderSells('4');
    await the.executeAll();
    expect(await Promise.all([half, tenth, other].map((each) => the.held(each)))).toEqual(['5', '1', '0']);
  });

  it('row 18: one signal reaches the accounts of many users, each by its own settings', async () => {
    const sizings = ['0.1', '0.2', '0.3', '0.4'];
    const all = await Promise.all(
      sizings.map((value) => the.follower({ sizing: { mode: 'MULTIPLIER', value } })),
    );
    await the.leaderBuys('10');
    await the.executeAll();
    expect(await Promise.all(all.map((each) => the.held(each)))).toEqual(['1', '2', '3', '4']);
  });

  it('rule 25: they stand in another order for each signal', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => the.follower()));
    for (let round = 0; round < 6; round++) await the.leaderBuys('2');
    await the.work();
    const rows = await the.core.rows(
      `SELECT copy->>'sequence' AS sequence, array_agg(copier_id::text ORDER BY position) AS queue FROM (
         SELECT t.*, row_number() OVER (ORDER BY e.created_at, e.id) AS position
         FROM trades t JOIN outbox_events e ON e.user_id = t.user_id AND e.type = 'trade.created'
           AND convert_from(e.payload, 'UTF8')::json->'data'->>'client_order_id' = t.client_order_id
         WHERE t.copied_strategy_id = $1) each_trade GROUP BY 1`,
      the.strategy.uuid,
    );
    const queues = rows.map(({ queue }) => (queue as string[]).join());
    expect(rows).toHaveLength(6);
    for (const { queue } of rows)
      expect((queue as string[]).toSorted()).toEqual(all.map(({ uuid }) => uuid).toSorted());
    expect(new Set(queues).size).toBeGreaterThan(3);
  });

  it('rule 25: a strategy with exits to plan comes before those that waited longer with entries alone', async () => {
    const exiting = await the.holding();
    const exitingStrategy = the.strategy.uuid;
    const { leader, source, strategy } = the;
    await the.begin();
    await the.follower();
    await the.leaderBuys('10');
    Object.assign(the, { leader, source, strategy });
    await the.leaderSells('10');
    const { strategiesWithWork } = await import('./planning-progress.queries.js');
    expect((await strategiesWithWork(the.core.platform.database.manager))[0]).toBe(exitingStrategy);
    await the.executeAll();
    expect(await the.held(exiting)).toBe('0');
  });

  it('are planned in chunks, and none is left out or taken twice', async () => {
    const { CopyPlanner } = await import('./copy-planner.service.js');
    const all = await Promise.all(Array.from({ length: 9 }, () => the.follower()));
    await the.leaderBuys('10');
    await new CopyPlanner(the.core.platform, { chunkMax: 4 }).planNext();
    for (const each of all) expect(await the.decisions(each)).toHaveLength(1);
  });
});

describe('sizes and limits', () => {
  it('rule 9: a limit cuts and says so; the part of an exit is that of the copier’s lot', async () => {
    const follower = await the.follower({ limits: { max_trade_quote: '201' } });
    await the.leaderBuys('10');
    await the.executeAll();
    expect(await the.lastDecision(follower)).toMatchObject({
      outcome: 'CLAMPED',
      code: 'MAX_TRADE',
      target: '5',
      sent: '2',
    });
    await the.leaderSells('5');
    await the.executeAll();
    expect(await the.held(follower)).toBe('1');
  });

  it('row 7: a copy below the minimum is recorded and carried until it can be ordered', async () => {
    const follower = await the.follower({ sizing: { mode: 'MULTIPLIER', value: '0.001' } });
    const trade = await the.leaderOrder('BUY', '20');
    await the.fill(trade, { amount: '8' });
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    expect(await the.kindsOf(follower)).toEqual(['copier.started', 'copier.trade_skipped']);
    await the.fill(trade, { amount: '12' });
    await the.work();
    expect(await the.lastOrder(follower)).toMatchObject({ amount: '0.02' });
  });

  it('rule 15: each skip is a record with its code, its inputs and its numbers', async () => {
    const follower = await the.follower({ limits: { allowed_sides: ['SELL'] } });
    await the.leaderBuys('10');
    await the.work();
    expect(await the.lastDecision(follower)).toMatchObject({
      outcome: 'SKIPPED',
      code: 'SIDE_BLOCKED',
      inputs: { rule: 'allowed_sides', value: 'BUY', limit: 'SELL', reference_price: expect.any(String) },
    });
    const [event] = (await the.core.events(follower.actor.userId)).slice(-1);
    const { items } = await listed(follower);
    expect(event).toMatchObject({
      type: 'copier.trade_skipped',
      data: { id: items[0]!.id, code: 'SIDE_BLOCKED' },
    });
  });

  it('rule 27: a copy is made on the pair of the same symbol where it is copied to; without one it is PAIR_UNAVAILABLE', async () => {
    const actor = await the.core.actor();
    const here = { actor, account: await the.core.account(actor, undefined, { exchange: 'elsewhere' }) };
    const nowhere = { actor, account: await the.core.account(actor, undefined, { exchange: 'nowhere' }) };
    const pair = await the.core.pair({ exchange: 'elsewhere', amount_step: '0.5', last_price: '100' });
    const copied = await the.follower({ sizing: { mode: 'MULTIPLIER', value: '0.17' } }, { on: here });
    const skipped = await the.follower({}, { on: nowhere });
    await the.leaderBuys('10');
    await the.work();
    expect(await the.lastOrder(copied)).toMatchObject({ amount: '1.5' });
    expect(await the.core.row('SELECT trade_pair_id FROM trades WHERE copier_id = $1', copied.uuid)).toEqual({
      trade_pair_id: pair.uuid,
    });
    expect(await the.lastDecision(skipped)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_UNAVAILABLE' });
  });
});

describe('the list of decisions', () => {
  it('shows each signal once, by the contract, filtered and in either order', async () => {
    const follower = await the.follower({ limits: { max_open_trades: 1 } });
    await the.leaderBuys('10');
    await the.executeAll();
    await the.leaderBuys('2');
    await the.leaderSells('6');
    await the.executeAll();
    const { items } = await listed(follower, 'sort=sequence&order=asc');
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
    expect((await listed(follower, 'outcome=SKIPPED')).items).toEqual([items[1]]);
    expect((await listed(follower, `signal_id=${items[2]!.signal_id}`)).items).toEqual([items[2]]);
    await expect(listed(follower, 'signal_id=sig_x')).rejects.toMatchObject({
      code: 'not_found',
      details: [{ field: 'signal_id' }],
    });
  });

  it('is its owner’s alone, and stays readable once the copier is removed', async () => {
    const follower = await the.holding();
    await expect(listed({ ...follower, actor: the.leader })).rejects.toMatchObject({ code: 'not_found' });
    await the.copiers.stop(follower.actor, follower.copier.id);
    await the.copiers.delete(follower.actor, follower.copier.id);
    expect((await listed(follower)).items).toHaveLength(1);
  });

  it('rule 30: tells copiers nothing of what the leader owns, nor on which account', async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1', capital: '1000' };
    const follower = await the.follower({ sizing });
    await the.leaderBuys('10', '100', { leader_equity: '98765.4321' });
    await the.executeAll();
    const told = JSON.stringify([
      (await listed(follower)).items,
      await the.core.events(follower.actor.userId),
      await the.copierOf(follower),
    ]);
    expect(told).not.toContain('98765');
    expect(told).not.toContain(the.source.id);
    expect(told).not.toContain(the.source.uuid);
  });
});

it('a simulation decides as live copying did, where orders are filled at once at the leader’s price', async () => {
  const follower = await the.follower({
    sizing: { mode: 'FIXED_QUOTE', value: '333' },
    limits: { max_trade_quote: '300', max_slippage_bps: 0 },
  });
  const trade = await the.leaderOrder('BUY', '10');
  await the.fill(trade, { amount: '3', price: '100' });
  await the.executeAll();
  await the.fill(trade, { amount: '7', price: '101' });
  await the.executeAll();
  await the.leaderSells('2.5', '102');
  await the.executeAll({ price: '102' });
  await the.leaderSells('7.5', '99');
  await the.executeAll({ price: '99' });
  const { items } = await listed(follower, 'sort=sequence&order=asc');
  await the.core.rows('UPDATE trade_pairs SET taker_fee = 0 WHERE id = $1', the.pair.uuid);
  const simulation = new CopierSimulation(the.core.platform, the.core.commands);
  const { decisions } = await simulation.simulate(follower.actor, follower.copier.id);
  const decidedBy = (
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
  expect(decidedBy(decisions)).toEqual(decidedBy(items));
  expect(items).toHaveLength(4);
});
