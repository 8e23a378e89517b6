/**
 * Tests of the terms of profit shares, of the mark of a copying user, and of linked users. `rule 28` is the row of
 * docs/trading/rules.md that a test proves.
 */
import { newUuid } from '@trading-automation/persistence';
import type { Platform } from '../../platform/index.js';
import {
  type CopierFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let leader: LeaderFixture;
let copier: CopierFixture;
let secondPlatform: Platform;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
  secondPlatform = await env.core.openSecondPlatform();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.resetProgress();
  leader = await env.createLeader('0.01');
  copier = await env.createCopier(leader);
});

const setRate = (rate: string | null, { strategy }: LeaderFixture = leader) =>
  env.core.rows(
    'UPDATE strategies SET profit_share_rate = $2, profit_share_period = $3 WHERE id = $1',
    strategy,
    rate,
    rate === null ? null : 'WEEK',
  );
const setCopier = (columns: string, { id }: CopierFixture = copier) =>
  env.core.rows(`UPDATE copiers SET ${columns} WHERE id = $1`, id);
const termsOf = ({ id }: CopierFixture) =>
  env.core.rows(
    `SELECT rate::float, period, since = '-infinity' AS "isFirst" FROM copier_terms WHERE copier_id = $1
     ORDER BY since, id`,
    id,
  );
const marksOf = ({ actor }: CopierFixture) =>
  env.core.rows(
    `SELECT mark_before::float AS before, mark_after::float AS after, amount::float, withheld
     FROM profit_settlements WHERE user_id = $1 ORDER BY period_to`,
    actor.userId,
  );

describe('the terms of a copier', () => {
  it('rule 28: are those of its first start: a rate that is raised afterwards does not apply', async () => {
    await env.realizeProfit(leader, copier, 0, '986');
    await setRate('0.5');
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['9.86']);
  });

  it('rule 28: do not change if the copier is stopped and started, or follows the strategy again', async () => {
    await setRate('0.5');
    await setCopier("status = 'PAUSED', strategy_id = NULL");
    await setCopier(`strategy_id = '${leader.strategy}'`);
    await setCopier("status = 'ACTIVE', started_at = clock_timestamp()");
    expect(await termsOf(copier)).toEqual([{ rate: 0.01, period: 'WEEK', isFirst: true }]);
  });

  it('rule 28: have the rate 0 if the strategy had no profit share at the first start', async () => {
    const free = await env.createLeader(null);
    const follower = await env.createCopier(free);
    await setRate('0.5', free);
    await env.realizeProfit(free, follower, 0, '100');
    await env.settle(0);
    expect(await env.grantedRewards(free)).toEqual([]);
    await env.acceptTerms(free, follower, env.at(1), '0.5');
    await env.realizeProfit(free, follower, 1, '10');
    await env.settle(1);
    expect(await env.grantedAmounts(free)).toEqual(['5']);
  });

  it('rule 28: a raise that the copier accepted applies from the next period on', async () => {
    await env.acceptTerms(leader, copier, env.at(1), '0.1');
    await env.realizeProfit(leader, copier, 0, '100');
    await env.realizeProfit(leader, copier, 1, '100');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['1', '10']);
  });

  it('rule 28: a cut lowers them at once, for the whole open period; a later raise does not restore them', async () => {
    await setRate('0.005');
    await setRate('0.3');
    expect(await termsOf(copier)).toMatchObject([{ rate: 0.01 }, { rate: 0.005 }]);
    const { now } = await env.core.row('SELECT clock_timestamp() AS now');
    const later = (ms: number) => new Date((now as Date).getTime() + ms);
    await env.insertCopy(leader, copier, later(1_000), { side: 'BUY', price: '1000' });
    await env.insertCopy(leader, copier, later(2_000), { side: 'SELL', price: '1100' });
    await env.createService().settleDue(later(8 * 86_400_000));
    expect(await env.grantedAmounts(leader)).toEqual(['0.5']);
  });

  it('rule 28: a cut also lowers accepted terms that are not in effect yet', async () => {
    const nextYear = new Date(Date.now() + 365 * 86_400_000);
    await env.acceptTerms(leader, copier, nextYear, '0.4');
    await setRate('0.2');
    expect(await termsOf(copier)).toMatchObject([{ rate: 0.01 }, { rate: 0.4 }, { rate: 0.2 }]);
    await setRate(null);
    expect((await termsOf(copier)).at(-1)).toMatchObject({ rate: 0, isFirst: false });
    const current = await env.core.row(
      `SELECT rate::float FROM copier_terms WHERE copier_id = $1 AND since <= clock_timestamp()
       ORDER BY since DESC, id DESC LIMIT 1`,
      copier.id,
    );
    expect(current.rate).toBe(0);
  });

  it('rule 28: of several copiers of a user, the lowest rate counts', async () => {
    const expensive = await env.createLeader('0.5', 'WEEK', leader.owner, leader.account);
    const second = await env.createCopier(expensive, copier.actor);
    await env.realizeProfit(leader, copier, 0, '100');
    await env.realizeProfit(expensive, second, 0, '100');
    await env.settle(0);
    await env.realizeProfit(expensive, second, 1, '100');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['2', '50']);
  });

  it('rule 28: a raise that is accepted while the period is settled does not change the settlement', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    const services = [env.createService(), env.createService({}, secondPlatform)];
    await Promise.all([
      ...services.map((service) => service.settleDue(env.at(1, 1))),
      setRate('0.5').then(() => env.acceptTerms(leader, copier, env.at(1), '0.5')),
    ]);
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['1']);
  });
});

describe('the mark of a copying user', () => {
  it('rule 28: survives the copier: a new copier does not forget the loss of a deleted one', async () => {
    await env.realizeProfit(leader, copier, 0, '-100');
    await env.settle(0);
    await setCopier("status = 'PAUSED', deleted_at = now(), strategy_id = NULL");
    const next = await env.createCopier(leader, copier.actor);
    await env.realizeProfit(leader, next, 1, '150');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['0.5']);
  });

  it('rule 28: survives a recreated strategy and a reconnected account of the leader', async () => {
    await env.core.rows(
      "UPDATE exchange_accounts SET venue_account_id = 'venue 7' WHERE id = $1",
      leader.account.uuid,
    );
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    await env.core.rows(
      "UPDATE strategies SET status = 'ARCHIVED', deleted_at = now() WHERE id = $1",
      leader.strategy,
    );
    const reconnected = await env.core.account(leader.owner);
    await env.core.rows(
      "UPDATE exchange_accounts SET venue_account_id = 'venue 7' WHERE id = $1",
      reconnected.uuid,
    );
    const recreated = await env.createLeader('0.1', 'WEEK', leader.owner, reconnected);
    const next = await env.createCopier(recreated, copier.actor);
    await env.realizeProfit(recreated, next, 1, '-60');
    await env.settle(1);
    await env.realizeProfit(recreated, next, 2, '70');
    await env.settle(2);
    expect(await marksOf(copier)).toMatchObject([
      { before: 0, after: 100, amount: 1 },
      { before: 100, after: 100, amount: 0 },
      { before: 100, after: 110, amount: 1 },
    ]);
  });

  it('rule 28: begins at the sum of the marks of earlier releases', async () => {
    await env.quotePrice('EUR', 'USDT', env.at(-1), '2');
    const formerShare = (quote: string, before: number, after: number, to: Date) =>
      env.core.rows(
        `INSERT INTO profit_shares (id, copier_id, strategy_id, quote, period_from, period_to, rate, tokens_per_quote,
           high_water_before, high_water_after) VALUES ($1, $2, $3, $4, $5, $6, 0.1, 1, $7, $8)`,
        newUuid(),
        copier.id,
        leader.strategy,
        quote,
        env.at(-9),
        to,
        before,
        after,
      );
    await formerShare('USDT', 0, 30, env.at(-2));
    await formerShare('USDT', 30, 50, env.at(-1));
    await formerShare('EUR', 0, 5, env.at(-1));
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(await marksOf(copier)).toMatchObject([{ before: 60, after: 100, amount: 0.4 }]);
  });

  it('is separate for each copying user', async () => {
    const other = await env.createCopier(leader);
    await env.realizeProfit(leader, copier, 0, '-100');
    await env.realizeProfit(leader, other, 0, '100');
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['1']);
  });
});

describe('linked users', () => {
  const { owner: ownerOf, copier: userOf } = {
    owner: () => leader.owner.userId,
    copier: () => copier.actor.userId,
  };
  const addKey = async (userId: string, pubkey: string, revoked = false) =>
    env.core.rows(
      'INSERT INTO public_keys (id, user_id, pubkey, revoked_at) VALUES ($1, $2, $3, $4)',
      newUuid(),
      userId,
      pubkey,
      revoked ? new Date() : null,
    );
  const setEmail = (userId: string, email: string, verifiedAt: Date | null = new Date()) =>
    env.core.rows(
      'UPDATE users SET email = $2, email_verified_at = $3 WHERE id = $1',
      userId,
      email,
      verifiedAt,
    );
  const setVenueAccount = (accountId: string) =>
    env.core.rows(
      "UPDATE exchange_accounts SET venue_account_id = 'shared', deleted_at = now() WHERE id = $1",
      accountId,
    );

  const LINKS: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'a public key, also one that was revoked or removed',
      async () => {
        const pubkey = `02${newUuid()}`;
        await addKey(ownerOf(), pubkey, true);
        await env.core.rows('DELETE FROM public_keys WHERE pubkey = $1', pubkey);
        await addKey(userOf(), pubkey);
      },
    ],
    [
      'a verified e-mail address, also a former one',
      async () => {
        await setEmail(ownerOf(), 'Twin@example.com');
        await setEmail(ownerOf(), 'other@example.com');
        await setEmail(userOf(), 'twin+second@EXAMPLE.com');
      },
    ],
    [
      'an account at an exchange, also a removed one',
      async () => {
        await setVenueAccount(copier.account.uuid);
        const { uuid } = await env.core.account(leader.owner);
        await setVenueAccount(uuid);
      },
    ],
  ];

  it.each(LINKS)('rule 28: receive no share if they have or had %s in common', async (_, link) => {
    await link();
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(await env.grantedRewards(leader)).toEqual([]);
    expect(await marksOf(copier)).toMatchObject([{ after: 100, amount: 0, withheld: 'LINKED_USERS' }]);
  });

  it('are not users with e-mail addresses that were never verified', async () => {
    await setEmail(ownerOf(), 'same@example.com', null);
    await setEmail(userOf(), 'same@example.com');
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['1']);
  });

  it('rule 28: a user younger than 14 days grants no share in the live world, and none later for that profit', async () => {
    const { database, listener, instance } = env.core.platform;
    const live = { ...env.core.platform, database, listener, instance, world: 'live' } as Platform;
    const settings = { tokensPerQuote: { USDT: '1' }, monthlyBudget: '1000' };
    const settle = (week: number) => env.createService(settings, live).settleDue(env.at(week + 1, 1));
    const created = new Date(env.at(2).getTime() - 14 * 86_400_000 + 1);
    await env.core.rows('UPDATE users SET created_at = $2 WHERE id = $1', copier.actor.userId, created);
    await env.realizeProfit(leader, copier, 1, '100');
    await settle(1);
    await env.realizeProfit(leader, copier, 2, '10');
    await settle(2);
    expect(await marksOf(copier)).toMatchObject([
      { after: 100, amount: 0, withheld: 'NEW_USER' },
      { before: 100, after: 110, amount: 0.1, withheld: null },
    ]);
  });
});
