/** Tests of accepting a raised profit share. `rule 28` is the row of docs/trading/rules.md that a test proves. */
import {
  type Copier,
  copier as copierSchema,
  copierUpdate,
  type Strategy,
  strategyUpdate,
} from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import { utcPeriodAt } from '../values/index.js';
import { CopierTermsService } from './copier-terms.service.js';
import { StrategyChangesService } from './strategy-changes.service.js';
import { CopiersUnderTest, invalidStateError } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
let terms: CopierTermsService;
let strategyChanges: StrategyChangesService;
let leader: Actor;
let strategy: Strategy;
let follower: Actor;
let copier: Copier;

beforeAll(async () => {
  env = await CopiersUnderTest.open();
  terms = new CopierTermsService(env.core.commands);
  strategyChanges = new StrategyChangesService(env.core.commands);
});
afterAll(() => env.close());
beforeEach(async () => {
  leader = await env.core.actor();
  strategy = await env.makeStrategy(leader, await env.core.account(leader), {
    visibility: 'PUBLIC',
    profit_share: { rate: '0.1', period: 'WEEK' },
  });
  follower = await env.core.actor();
  const account = await env.core.account(follower);
  const { id } = await env.copiers.create(follower, env.inputOf({ strategy_id: strategy.id }, account));
  copier = await env.copiers.start(follower, id);
});

const offer = (rate: string | null, period = 'WEEK') =>
  strategyChanges.update(
    leader,
    strategy.id,
    strategyUpdate.parse({ profit_share: rate === null ? null : { rate, period } }),
  );
const accept = (rate: string, period: 'WEEK' | 'MONTH' | 'QUARTER' = 'WEEK', actor = follower) =>
  terms.acceptProfitShare(actor, copier.id, { rate, period });
const read = () => env.copiers.get(follower, copier.id);
const raises = async () =>
  (await env.core.events(follower.userId)).filter(({ type }) => type === 'copier.profit_share_raised');

describe('the profit share of a copier', () => {
  it('rule 28: is frozen at its first start; stopping, starting and linking again accept nothing', async () => {
    const accepted = { rate: '0.1', period: 'WEEK', accepted_at: copier.started_at };
    expect(copier).toMatchObject({ profit_share: accepted });
    expect(copier).not.toHaveProperty('profit_share_offer.rate');
    await offer('0.3');
    await env.copiers.stop(follower, copier.id);
    const link = (strategyId: string | null) =>
      env.copiers.update(follower, copier.id, copierUpdate.parse({ strategy_id: strategyId }));
    await link(null);
    await link(strategy.id);
    const restarted = await env.copiers.start(follower, copier.id);
    expect(restarted).toMatchObject({
      profit_share: accepted,
      profit_share_offer: { rate: '0.3', period: 'WEEK' },
    });
    expect(copierSchema.parse(restarted)).toEqual(restarted);
  });

  it('is absent before the first start, and has the rate 0 if the strategy has none', async () => {
    await offer(null);
    const account = await env.core.account(follower);
    const created = await env.copiers.create(follower, env.inputOf({ strategy_id: strategy.id }, account));
    expect(created.profit_share).toBeUndefined();
    const started = await env.copiers.start(follower, created.id);
    expect(started.profit_share).toMatchObject({ rate: '0', period: 'WEEK' });
    expect(started.profit_share_offer).toBeUndefined();
  });

  it('rule 28: shows a cut at once, without an offer and without an event', async () => {
    await offer('0.05');
    const record = await read();
    expect(record.profit_share).toMatchObject({ rate: '0.05', accepted_at: copier.started_at });
    expect(record.profit_share_offer).toBeUndefined();
    expect(await raises()).toEqual([]);
  });
});

describe('a raise', () => {
  it('rule 28: is reported to the users of copiers that accepted less, once for each raise', async () => {
    await offer('0.3');
    const [event, ...more] = await raises();
    expect(more).toEqual([]);
    expect(event?.data).toMatchObject({
      id: copier.id,
      profit_share: { rate: 0.1 },
      profit_share_offer: { rate: 0.3, period: 'WEEK' },
    });
    await offer('0.3');
    await offer('0.2');
    expect(await raises()).toHaveLength(1);
    await offer('0.25');
    expect(await raises()).toHaveLength(2);
  });

  it('rule 28: applies from the next period on, once exactly its terms are accepted', async () => {
    await offer('0.3', 'MONTH');
    const before = utcPeriodAt('WEEK', new Date());
    const accepted = await accept('0.30', 'MONTH');
    const after = utcPeriodAt('WEEK', new Date());
    expect(accepted.profit_share).toMatchObject({
      rate: '0.1',
      period: 'WEEK',
      next: { rate: '0.3', period: 'MONTH' },
    });
    expect([before.to.toISOString(), after.to.toISOString()]).toContain(accepted.profit_share?.next?.from);
    expect(accepted.profit_share_offer).toBeUndefined();
    expect(await accept('0.3', 'MONTH')).toEqual(accepted);
    expect(await read()).toEqual(accepted);
  });

  it.each([
    ['0.2', 'WEEK'],
    ['0.30001', 'WEEK'],
    ['0.3', 'MONTH'],
  ] as const)('rule 28: is refused with 409 for other terms: %s %s', async (rate, period) => {
    await offer('0.3');
    await expect(accept(rate, period)).rejects.toMatchObject(invalidStateError('TERMS_CHANGED'));
    expect((await read()).profit_share).toEqual(copier.profit_share);
  });

  it('rule 28: that was accepted is lowered by a cut before it applies', async () => {
    await offer('0.3');
    await accept('0.3');
    await offer('0.2');
    expect((await read()).profit_share).toMatchObject({ rate: '0.1', next: { rate: '0.2' } });
    await offer(null);
    expect((await read()).profit_share).toMatchObject({ rate: '0', next: { rate: '0' } });
  });

  it('rule 28: a copier accepts either the old or the new offer if the owner changes it meanwhile', async () => {
    await offer('0.3');
    const [result] = await Promise.allSettled([accept('0.3'), offer('0.4')]);
    const { profit_share: share, profit_share_offer: open } = await read();
    expect(open?.rate).toBe('0.4');
    expect(share?.next?.rate).toBe(result.status === 'fulfilled' ? '0.3' : undefined);
  });

  it('cannot be accepted for a copier that was never started, without a strategy, or of another user', async () => {
    const account = await env.core.account(follower);
    const created = await env.copiers.create(follower, env.inputOf({ strategy_id: strategy.id }, account));
    const input = { rate: '0.1', period: 'WEEK' } as const;
    await expect(terms.acceptProfitShare(follower, created.id, input)).rejects.toMatchObject(
      invalidStateError('NOT_STARTED'),
    );
    await env.copiers.update(follower, created.id, copierUpdate.parse({ strategy_id: null }));
    await expect(terms.acceptProfitShare(follower, created.id, input)).rejects.toMatchObject(
      invalidStateError('NO_STRATEGY'),
    );
    await expect(accept('0.1', 'WEEK', leader)).rejects.toMatchObject({ code: 'not_found' });
  });
});
