import {
  type CopierUpdate,
  copierOperations,
  type Decision,
  encodeId,
  type Simulation,
  type Strategy,
  type Trade,
  type TradeSignal,
  tradeOperations,
} from '@trading-automation/contracts';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { SignalStreams } from '../strategies/index.js';
import { TradesService } from '../trades/index.js';
import { CopierSimulation } from './simulation/copier-simulation.service.js';
import { CopyingUnderTest, type Follower } from './testing/copying-under-test.js';

const EQUITY = '61803.39';
/** How close an estimate must not come. */
const TOLERANCE = 0.03;

let env: CopyingUnderTest;
let streams: SignalStreams;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
  streams = new SignalStreams(env.core.platform);
});
afterAll(async () => {
  await streams.onModuleDestroy();
  await env.close();
});
beforeEach(() => env.reset());

/** Everything that a user can read about a strategy and their copies of it. */
interface Seen {
  readonly strategy: Strategy;
  readonly signals: readonly TradeSignal[];
  readonly decisions: readonly Decision[];
  readonly trades: readonly Trade[];
  readonly simulation: Simulation;
  /** The payloads of all events, as webhooks, event streams and notifications get them. */
  readonly events: readonly string[];
}

async function whatIsSeenBy(actor: Actor, copierId: string, signalCount: number): Promise<Seen> {
  const { platform, lists, commands } = env.core;
  const stream = await streams.open(actor, env.strategy.id, 0);
  const signals: TradeSignal[] = [];
  while (signals.length < signalCount) signals.push((await stream.next()).value!);
  await stream.return();
  const decisionQuery = querySchemaOf(copierOperations.decisions).parse({ limit: '100' });
  const tradeQuery = querySchemaOf(tradeOperations.list).parse({ limit: '100' });
  const trades = new TradesService({ platform, lists, commands });
  const listed = await trades.list(actor, tradeQuery as Parameters<TradesService['list']>[1]);
  const details = await Promise.all(listed.items.map(({ id }) => trades.get(actor, id)));
  expect(details.map(({ copy }) => copy)).toEqual(listed.items.map(({ copy }) => copy));
  const decisions = await env.copiers.decisions(
    actor,
    copierId,
    decisionQuery as Parameters<typeof env.copiers.decisions>[2],
  );
  return {
    strategy: await env.strategies.get(actor, env.strategy.id),
    signals,
    decisions: decisions.items,
    trades: listed.items.filter(({ copier_id }) => copier_id === copierId),
    simulation: await new CopierSimulation(platform).simulate(actor, copierId),
    events: (await env.core.events(actor.userId)).map((event) => JSON.stringify(event)),
  };
}

/**
 * Estimates the equity of the strategy's account in every way that its formulas allow: amount × price ÷ leader ratio, with
 * amounts that are shown, and result ÷ return. The ratio of a copy is held by its digits instead: by decision, a copier may
 * know it to two digits.
 */
function estimates({ strategy, signals, decisions, simulation }: Seen): number[] {
  const found: number[] = [];
  const { net_pnl, roi, equity } = strategy.performance;
  if (equity != null) found.push(Number(equity));
  if (net_pnl !== undefined && roi !== null) found.push(Number(net_pnl) / Number(roi));
  const copies = [...decisions, ...simulation.decisions];
  for (const { id, filled_amount, leader_ratio, reference_price } of signals) {
    const priceByRatio = Number(reference_price) / Number(leader_ratio);
    if (filled_amount !== null) found.push(Number(filled_amount) * priceByRatio);
    for (const { signal_id, inputs } of copies) {
      if (signal_id !== id) continue;
      for (const amount of [inputs.leader_amount, inputs.exit_amount, inputs.lot_amount_before])
        found.push(Number(amount) * priceByRatio);
    }
  }
  return found.filter(Number.isFinite);
}

const isClose = (estimate: number) => Math.abs(estimate / Number(EQUITY) - 1) < TOLERANCE;

/** Amounts with many digits, so that they cannot occur by accident. */
const BUYS = ['7.391', '4.283', '11.647'] as const;

/** A leader trades thrice and sells a part; the copier copies all of it. Returns the number of signals. */
async function play(): Promise<number> {
  for (const amount of BUYS) {
    const order = await env.leaderOrder('BUY', amount, { leader_equity: EQUITY });
    await env.fill(order, { amount: '2.113' });
    await env.executeAll();
    await env.fill(order);
    await env.executeAll();
  }
  await env.leaderSells('3.977', '104');
  await env.executeAll();
  return 7;
}

const CAPITAL = '23711';
const BY_EQUITY = { sizing: { mode: 'EQUITY_RATIO', value: '1', capital: CAPITAL } };
const FIXED = { sizing: { mode: 'FIXED_QUOTE', value: '500' } };

/** The leader sells a third of a lot twice; the copies of both are sold by one order. Call after the copiers have started. */
async function sellTogether(): Promise<void> {
  await env.leaderBuys('10');
  await env.executeAll();
  await env.setPair('min_notional = 200');
  await env.leaderSells('3.3333');
  await env.runUntilIdle();
  await env.leaderSells('3.3333');
}

describe('the equity of a leader', () => {
  it.each([
    ['EQUITY_RATIO', BY_EQUITY],
    ['FIXED_QUOTE', FIXED],
  ])('cannot be computed within 3 %% by a copier with the sizing %s, but by the owner', async (_, sizing) => {
    const follower = await env.follower(sizing);
    const own = await ownCopier(sizing);
    const count = await play();
    const seen = await whatIsSeenBy(follower.actor, follower.copier.id, count);
    expect(seen.decisions.length).toBeGreaterThanOrEqual(count);
    expect(seen.trades.length).toBeGreaterThan(3);
    expect(seen.simulation.decisions.length).toBe(count);
    expect(estimates(seen).filter(isClose)).toEqual([]);
    // The same computation succeeds with the exact records, which the owner sees.
    const exact = await whatIsSeenBy(env.leader, own.copier.id, count);
    expect(estimates(exact).filter(isClose).length).toBeGreaterThan(0);
  });

  it('does not follow from the exact proportions of two of the leader’s amounts', async () => {
    const follower = await env.follower(BY_EQUITY);
    const seen = await whatIsSeenBy(follower.actor, follower.copier.id, await play());
    const digits = (value: string) =>
      value
        .replace(/^-?[0.]*/, '')
        .replace('.', '')
        .replace(/0+$/, '').length;
    for (const { leader_ratio, position_fraction_closed } of seen.signals) {
      expect(digits(leader_ratio!)).toBeLessThanOrEqual(2);
      expect(digits(position_fraction_closed ?? '0')).toBeLessThanOrEqual(2);
    }
    for (const { target_amount } of [...seen.decisions, ...seen.simulation.decisions])
      expect(digits(target_amount)).toBeLessThanOrEqual(2);
    for (const { inputs } of [...seen.decisions, ...seen.simulation.decisions])
      expect(digits(String(inputs.ratio ?? '0'))).toBeLessThanOrEqual(2);
    for (const { requested_amount, copy } of seen.trades) {
      expect(digits(requested_amount)).toBeLessThanOrEqual(2);
      expect(digits(copy!.ratio)).toBeLessThanOrEqual(2);
    }
  });

  it('and its amounts are in no record, event or notification of another user', async () => {
    const follower = await env.follower(BY_EQUITY);
    const own = await ownCopier(BY_EQUITY);
    const count = await play();
    await skipOne(follower);
    const seen = await whatIsSeenBy(follower.actor, follower.copier.id, count + 1);
    expect(seen.events.filter((event) => event.includes('copier.trade_skipped'))).not.toEqual([]);
    const hidden = [...BUYS, '2.113', '5.278', '3.977', EQUITY, env.source.id, env.source.uuid];
    // Without times, because the digits of a time can equal those of an amount.
    const text = JSON.stringify(seen).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');
    for (const secret of hidden) expect(text).not.toContain(secret);
    for (const { inputs } of [...seen.decisions, ...seen.simulation.decisions]) {
      for (const name of ['leader_amount', 'exit_amount', 'lot_amount_before'])
        expect(inputs).not.toHaveProperty(name);
    }
    expect(seen.signals.map(({ filled_amount }) => filled_amount)).toEqual(seen.signals.map(() => null));
    const exact = JSON.stringify(await whatIsSeenBy(env.leader, own.copier.id, count + 1));
    for (const amount of BUYS) expect(exact).toContain(amount);
  });

  it('does not follow from the sizing at which the shown ratio changes', async () => {
    const follower = await env.follower(BY_EQUITY);
    await play();
    const ratioOf = async (capital: number) => {
      const sizing = { mode: 'EQUITY_RATIO', value: '1', capital: capital.toFixed(2) } as const;
      await env.copiers.update(follower.actor, follower.copier.id, { sizing });
      const { decisions } = await new CopierSimulation(env.core.platform).simulate(
        follower.actor,
        follower.copier.id,
      );
      return decisions[0]!.inputs.ratio;
    };
    // The ratio changes from 0.38 to 0.39 at 0.385 × the equity, which is shown as 62000, not as 61803.39.
    expect(await ratioOf(0.385 * Number(EQUITY) + 1)).toBe('0.38');
    expect(await ratioOf(0.385 * 62_000 - 1)).toBe('0.38');
    expect(await ratioOf(0.385 * 62_000 + 1)).toBe('0.39');
    const shown = await env.core.rows(
      "SELECT copy ->> 'masked_ratio' AS ratio FROM trades WHERE copier_id = $1",
      follower.uuid,
    );
    expect(new Set(shown.map(({ ratio }) => ratio))).toEqual(new Set(['0.38']));
  });

  it('does not follow from the sizing at which the decisions of many starts change', async () => {
    await env.leaderBuys('1.349');
    const sizingOf = (capital: string) =>
      ({ mode: 'EQUITY_RATIO', value: '0.000000000000000001', capital }) as const;
    const { actor, copier } = await env.follower({ copy_existing: true, sizing: sizingOf('1') });
    /** Starts the copier again; returns the target of the decision that replaces the one before. */
    const targetOf = async (capital: string) => {
      await env.copiers.stop(actor, copier.id);
      await env.copiers.update(actor, copier.id, { sizing: sizingOf(capital) });
      await env.copiers.start(actor, copier.id, { copy_existing: true });
      const { decisions } = await whatIsSeenBy(actor, copier.id, 1);
      expect(decisions).toMatchObject([{ code: 'BELOW_MINIMUM' }]);
      return decisions[0]!.target_amount;
    };
    // The equity of 101,000 ÷ 1.349 is 74,870. Of the rounded values, 100,000 and 1.3, it is 76,923.
    expect(await targetOf('74800')).toBe('0');
    expect(await targetOf('76900')).toBe('0');
    expect(await targetOf('76950')).toBe('0.000000000000000001');
  });

  it('does not follow from the amount that a reduced copy requests', async () => {
    const follower = await env.follower({
      sizing: { mode: 'FIXED_AMOUNT', value: '2' },
      limits: { max_trade_quote: '50' },
    });
    const order = await env.leaderOrder('BUY', '2.149');
    await env.fill(order, { amount: '1.349', price: '100' });
    await env.runUntilIdle();
    const { decisions, trades } = await whatIsSeenBy(follower.actor, follower.copier.id, 1);
    // 1.3 × 2 ÷ 2.1 = 1.24, and 1.349 × 2 ÷ 2.149 = 1.26.
    expect(decisions).toMatchObject([{ code: 'MAX_TRADE', target_amount: '1.2' }]);
    expect(trades).toMatchObject([{ amount: '0.497', requested_amount: '1.2' }]);
  });

  it('does not follow from the fractions of the leader’s exits that a simulation with any amount would sell', async () => {
    const follower = await env.follower({ sizing: { mode: 'FIXED_AMOUNT', value: '1300' } });
    await play();
    const { decisions } = await new CopierSimulation(env.core.platform).simulate(
      follower.actor,
      follower.copier.id,
    );
    const { inputs, sent_amount } = decisions.at(-1)!;
    // The leader sold 3.977 of 7.391, which is 0.538 of its oldest lot.
    expect(Math.abs(Number(sent_amount) - 0.53 * Number(inputs.held))).toBeLessThanOrEqual(0.001);
  });

  it('does not follow from the average price of an order that was filled at two prices', async () => {
    const follower = await env.follower();
    const order = await env.leaderOrder('BUY', '1.00147');
    await env.fillAt(order, [
      { amount: '0.61147', price: '100.11' },
      { amount: '0.39', price: '100.42' },
    ]);
    await env.executeAll();
    const seen = await whatIsSeenBy(follower.actor, follower.copier.id, 1);
    // The average is 100.230722…, of which the denominator is the amount.
    expect(seen.signals[0]).toMatchObject({ reference_price: '100.23' });
    expect(seen.decisions[0]).toMatchObject({ inputs: { reference_price: '100.23' } });
    expect(seen.trades[0]).toMatchObject({ copy: { reference_price: '100.23' } });
    expect(JSON.stringify(seen)).not.toContain('100.2307');
  });

  it('does not follow from the parts of an order that sold several exits', async () => {
    const own = { actor: env.leader, account: await env.core.account(env.leader) };
    const [follower, ownFollower] = [await env.follower(), await env.follower({}, { on: own })];
    await sellTogether();
    await env.executeAll();
    const partsOf = async ({ actor, copier }: Follower) => {
      const { decisions } = await whatIsSeenBy(actor, copier.id, 3);
      return decisions
        .filter(({ kind }) => kind === 'REDUCE')
        .map(({ sent_amount, filled_amount }) => [sent_amount, filled_amount]);
    };
    // The order sells all 5, because the rest could not be sold; a third of them belongs to the first exit.
    expect(await partsOf(follower)).toEqual([
      ['3.333', '3.333'],
      ['1.667', '1.667'],
    ]);
    expect(await partsOf(ownFollower)).toEqual([
      ['3.33335', '3.33335'],
      ['1.66665', '1.66665'],
    ]);
  });

  it('does not follow from the average price of parts of several orders', async () => {
    const own = { actor: env.leader, account: await env.core.account(env.leader) };
    const [follower, ownFollower] = [await env.follower(), await env.follower({}, { on: own })];
    await sellTogether();
    await env.runUntilIdle();
    for (const each of [follower, ownFollower]) {
      await env.execute(await env.lastOrder(each), { amount: '1', price: '100' });
    }
    await env.runUntilIdle();
    await env.runDecisionsNow();
    await env.executeAll({ price: '110' });
    const slippagesOf = async ({ actor, copier }: Follower) => {
      const { decisions } = await whatIsSeenBy(actor, copier.id, 3);
      return decisions.filter(({ kind }) => kind === 'REDUCE').map(({ slippage_bps }) => slippage_bps);
    };
    // The first exit sold 1 at 100, and 0.66665 at 110 with the second exit.
    expect(await slippagesOf(follower)).toEqual(['-1000', undefined]);
    expect(await slippagesOf(ownFollower)).toEqual(['-1000', '-399.994']);
  });

  it('does not follow from the target of an exit after earlier ones were sold in parts', async () => {
    const follower = await env.follower();
    await sellTogether();
    await env.runUntilIdle();
    await env.execute(await env.lastOrder(follower), { amount: '2', price: '100' });
    await env.runUntilIdle();
    await env.leaderSells('2');
    await env.runUntilIdle();
    // The first exit is shown as 5 × 0.33, and the second one as 0.49 of the other 3.35, of which 0.333 is sold. Of the 3 that are
    // held, 1.3085 thus waits, and 0.59 of the others is to be sold.
    expect((await env.lastDecision(follower)).inputs).toMatchObject({ held: '3', masked_target: '0.997985' });
  });

  it('stays exact in the stored rows', async () => {
    const follower = await env.follower(BY_EQUITY);
    await play();
    const [decision] = await env.decisions(follower);
    expect(decision?.inputs).toMatchObject({ leader_amount: '2.113', ratio: expect.any(String) });
    const { copy } = await env.core.row(
      'SELECT copy FROM trades WHERE copier_id = $1 ORDER BY created_at LIMIT 1',
      follower.uuid,
    );
    expect((copy as { ratio: string }).ratio).toHaveLength(20);
  });
});

/** The leader's own copier, on another account. */
async function ownCopier(sizing: Readonly<Record<string, unknown>>): Promise<Follower> {
  const account = await env.core.account(env.leader);
  return env.follower(sizing, { on: { actor: env.leader, account } });
}

/** The copier skips the next buy of the leader, because its pair is blocked. */
async function skipOne({ actor, copier }: Follower): Promise<void> {
  await env.copiers.update(actor, copier.id, { limits: { blocked_pairs: ['BTC/USDT'] } });
  await env.leaderBuys('8.887', '100', { leader_equity: EQUITY });
  await env.executeAll();
}

describe('the sizing mode MULTIPLIER', () => {
  const multiplied = { sizing: { mode: 'MULTIPLIER', value: '2' } } as const;
  const notAllowed = (field: string) => ({
    code: 'validation_failed',
    details: [expect.objectContaining({ field, code: 'multiplier_not_allowed' })],
  });
  const allow = (isAllowed: boolean) =>
    env.core.rows('UPDATE strategies SET allow_multiplier = $2 WHERE id = $1', env.strategy.uuid, isAllowed);

  it('is rejected for a strategy of another user that does not allow it, on create, update and link', async () => {
    await allow(false);
    await expect(env.follower(multiplied)).rejects.toMatchObject(notAllowed('sizing.mode'));
    const { actor, copier } = await env.follower(FIXED, { start: false });
    await expect(env.copiers.update(actor, copier.id, multiplied)).rejects.toMatchObject(
      notAllowed('sizing.mode'),
    );
    await env.copiers.update(actor, copier.id, { strategy_id: null });
    await env.copiers.update(actor, copier.id, multiplied);
    await expect(
      env.copiers.update(actor, copier.id, { strategy_id: env.strategy.id }),
    ).rejects.toMatchObject(notAllowed('strategy_id'));
  });

  it('is accepted for an own strategy and for one that allows it, and kept by existing copiers', async () => {
    const { actor, copier } = await env.follower(multiplied, { start: false });
    await allow(false);
    await ownCopier(multiplied);
    const kept = { sizing: { mode: 'MULTIPLIER', value: '3' } } as const;
    expect((await env.copiers.update(actor, copier.id, kept)).sizing).toEqual(kept.sizing);
    await env.copiers.start(actor, copier.id);
  });

  it('is kept where a copier has it, and not widened, after the strategy no longer allows it', async () => {
    const onePair = { 'BTC/USDT': multiplied } as const;
    const { actor, copier } = await env.follower({ ...FIXED, overrides: onePair }, { start: false });
    await env.core.pair({ base: 'ETH', symbol: 'ETH/USDT' });
    await allow(false);
    const update = (input: CopierUpdate) => env.copiers.update(actor, copier.id, input);
    await expect(update(multiplied)).rejects.toMatchObject(notAllowed('sizing.mode'));
    const twoPairs = { ...onePair, 'ETH/USDT': multiplied };
    await expect(update({ overrides: twoPairs })).rejects.toMatchObject(
      notAllowed('overrides.ETH/USDT.sizing.mode'),
    );
    const kept = { 'BTC/USDT': { sizing: { mode: 'MULTIPLIER', value: '3' } } } as const;
    expect((await update({ overrides: kept })).overrides).toEqual(kept);
    await update({ overrides: {} });
    await expect(update({ overrides: onePair })).rejects.toMatchObject(
      notAllowed('overrides.BTC/USDT.sizing.mode'),
    );
  });
});

it('the id of the leader’s account is not part of a public strategy', async () => {
  const strategy = await env.strategies.get(await env.core.actor(), env.strategy.id);
  expect(JSON.stringify(strategy)).not.toContain(encodeId('exa', env.source.uuid));
});
