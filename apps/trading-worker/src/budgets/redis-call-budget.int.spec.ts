/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { randomBytes } from 'node:crypto';
import { type BudgetedCall, type CallBudget, ExchangeError } from '@trading-automation/exchanges';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { PaperExchange } from '../testing/paper-exchange.js';
import { RedisCallBudget } from './redis-call-budget.js';
import type { VenueLimits } from './shared-limits.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';
const LIMITS: VenueLimits = { weightPerMinute: 100, ordersPer10s: 10 };

let prefix: string;
let redis: Redis;
let openBudgets: RedisCallBudget[];
let fallback: { calls: BudgetedCall[]; limits: VenueLimits[] };
beforeEach(() => {
  prefix = `spec-${randomBytes(6).toString('hex')}`;
  redis = new Redis(redisUrl);
  openBudgets = [];
  fallback = { calls: [], limits: [] };
});
afterEach(async () => {
  for (const each of openBudgets) each.close();
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
});

/** Creates the connected budget of one worker. */
async function worker(url = redisUrl, limits = LIMITS): Promise<RedisCallBudget> {
  const budget = new RedisCallBudget(
    { redisUrl: url, prefix, commandTimeoutMs: 20_000 },
    () => limits,
    (workerLimits): CallBudget => {
      fallback.limits.push(workerLimits);
      return {
        take: async (call) => void fallback.calls.push(call),
        pause: () => undefined,
      };
    },
    () => undefined,
  );
  openBudgets.push(budget);
  if (url === redisUrl) await budget.ready();
  return budget;
}

const timeoutSignal = () => AbortSignal.timeout(20_000);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const read = (weight = 1): BudgetedCall => ({ venue: 'paper', weight, isOrder: false });
const repair = (weight = 1): BudgetedCall => ({ ...read(weight), purpose: 'repair' });
const rotation = (weight = 1): BudgetedCall => ({ ...read(weight), purpose: 'rotation' });
const byUser = (userId: string, weight = 1): BudgetedCall => ({ ...read(weight), purpose: 'user', userId });
const entry = (accountKey = 'a'): BudgetedCall => ({ venue: 'paper', weight: 1, isOrder: true, accountKey });
const exit = (accountKey = 'a'): BudgetedCall => ({ ...entry(accountKey), isExit: true });

/** Makes `count` concurrent calls, and waits until at least `expected` are admitted. Returns how many were admitted. */
async function countAdmitted(
  [count, expected]: readonly [number, number],
  budget: CallBudget,
  callOf: (i: number) => BudgetedCall,
): Promise<number> {
  let admittedCount = 0;
  const waits = Array.from({ length: count }, () => new AbortController());
  const taking = waits.map(async ({ signal }, i) => {
    await budget.take(callOf(i), signal);
    admittedCount++;
  });
  const outcomes = Promise.allSettled(taking);
  for (let tries = 0; admittedCount < expected && tries < 1_000; tries++) await pause(10);
  // Any call that is wrongly admitted would be admitted by now.
  await pause(100);
  for (const wait of waits) wait.abort();
  for (const outcome of await outcomes)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ outcome: 'retryable', code: 'rate_limited' });
  return admittedCount;
}

describe('row 19: the call budget of an exchange', () => {
  it('is shared by all workers: together they stay within the limit, and background reads use at most half of it', async () => {
    const workers = await Promise.all([worker(), worker(), worker()]);
    // Tokens that one worker prefetched and did not need are unavailable to the others.
    const minimum = Math.floor((50 - 3 * 2) / 3);
    const spent = await Promise.all(workers.map((each) => countAdmitted([16, minimum], each, () => read())));
    const additional = await Promise.all(workers.map((each) => countAdmitted([60, 0], each, () => read())));
    const total = [...spent, ...additional].reduce((sum, each) => sum + each, 0);
    expect(total).toBeLessThanOrEqual(50);
    expect(Math.min(...spent)).toBeGreaterThanOrEqual(minimum);
  });

  it('rule 25: admits exits after entries have used up their share', async () => {
    const budget = await worker();
    const account = (i: number) => `account-${i % 50}`;
    const entries = await countAdmitted([120, 75], budget, (i) => entry(account(i)));
    expect(entries).toBe(75);
    const exits = await countAdmitted([40, 25], budget, (i) => exit(account(i)));
    expect(exits).toBe(25);
    expect(await countAdmitted([1, 0], budget, () => read())).toBe(0);
  });

  it('rule 25: counts the orders of each account separately, so a waiting account blocks no other', async () => {
    const budget = await worker();
    expect(await countAdmitted([20, 9], budget, () => entry('busy'))).toBe(9);
    expect(await countAdmitted([3, 3], budget, () => entry('other'))).toBe(3);
    expect(await countAdmitted([3, 1], budget, () => exit('busy'))).toBe(1);
  });

  it('rule 25: counts the weight of each account where the exchange does, from every worker and address', async () => {
    const limits = { ...LIMITS, accountLimit: { weight: 20, windowMs: 60_000 } };
    const [a, b] = [await worker(redisUrl, limits), await worker(redisUrl, limits)];
    const exitOf = (accountKey: string, more: Partial<BudgetedCall> = {}): BudgetedCall => ({
      ...read(),
      isExit: true,
      accountKey,
      ...more,
    });
    const moved = { egress: '127.0.0.2' };
    const busy = await Promise.all([
      countAdmitted([15, 5], a, () => exitOf('busy')),
      countAdmitted([15, 5], b, () => exitOf('busy', moved)),
    ]);
    expect(busy[0] + busy[1]).toBe(20);
    // Neither other accounts nor public data nor calls that the exchange does not count wait for this account.
    expect(await countAdmitted([3, 3], a, () => exitOf('other'))).toBe(3);
    expect(await countAdmitted([3, 3], a, () => read())).toBe(3);
    expect(await countAdmitted([3, 3], b, () => exitOf('busy', { accountWeight: 0 }))).toBe(3);
  });

  it('leaves exits a share of the account that its reads cannot use, and counts its own weight of a call', async () => {
    const budget = await worker(redisUrl, { ...LIMITS, accountLimit: { weight: 40, windowMs: 60_000 } });
    const ofAccount = { accountKey: 'a', accountWeight: 2 };
    expect(await countAdmitted([15, 11], budget, () => ({ ...read(), ...ofAccount }))).toBe(11);
    expect(await countAdmitted([15, 9], budget, () => ({ ...exit(), ...ofAccount }))).toBe(9);
  });

  it('is that of the address, too: an account with room of its own waits for it', async () => {
    const budget = await worker(redisUrl, { ...LIMITS, accountLimit: { weight: 20, windowMs: 60_000 } });
    const exits = (i: number): BudgetedCall => ({ ...read(10), isExit: true, accountKey: `account-${i}` });
    expect(await countAdmitted([12, 10], budget, exits)).toBe(10);
  });

  it('reports to a user how long the limit of the account holds up a call', async () => {
    const budget = await worker(redisUrl, { ...LIMITS, accountLimit: { weight: 10, windowMs: 60_000 } });
    const call = { ...byUser('presser'), accountKey: 'a' };
    expect(await countAdmitted([12, 9], budget, () => call)).toBe(9);
    const own = new AbortController();
    const refused = budget.take(call, own.signal).catch((error: ExchangeError) => error.retryInMs);
    await eventually(() => budget.userWaitMs('presser') > 0);
    own.abort();
    expect(await refused).toBeGreaterThan(50_000);
  });

  it('reserves a share for users that background work and copies cannot use', async () => {
    const budget = await worker();
    expect(await countAdmitted([120, 25], budget, () => rotation())).toBe(25);
    expect(await countAdmitted([120, 25], budget, () => read())).toBe(25);
    expect(await countAdmitted([120, 25], budget, (i) => entry(`account-${i % 50}`))).toBe(25);
    expect(await countAdmitted([40, 10], budget, () => repair())).toBe(10);
    expect(await countAdmitted([20, 5], budget, (i) => byUser(`user-${i % 4}`))).toBe(5);
    expect(await countAdmitted([20, 10], budget, (i) => exit(`account-${i}`))).toBe(10);
  });

  it('leaves copies a share, however much users, repairs and background work ask for', async () => {
    const budget = await worker();
    expect(await countAdmitted([120, 40], budget, (i) => byUser(`user-${i % 20}`))).toBe(40);
    expect(await countAdmitted([120, 20], budget, () => repair())).toBe(20);
    expect(await countAdmitted([120, 0], budget, () => read())).toBe(0);
    expect(await countAdmitted([120, 15], budget, (i) => entry(`account-${i % 50}`))).toBe(15);
  });

  it('leaves repairs a share, however many orders and reads copies ask for: without streams, they would only grow', async () => {
    const budget = await worker();
    const readOfCopy = { ...read(), purpose: 'copy_read' } as const;
    expect(await countAdmitted([120, 65], budget, () => readOfCopy)).toBe(65);
    expect(await countAdmitted([120, 10], budget, (i) => entry(`account-${i % 50}`))).toBe(10);
    expect(await countAdmitted([60, 10], budget, () => repair())).toBe(10);
  });

  it('leaves connections and look-ups a share, however many comparisons and orders wait', async () => {
    const budget = await worker();
    const cheap = { ...read(), purpose: 'resume' } as const;
    expect(await countAdmitted([60, 20], budget, () => repair())).toBe(20);
    expect(await countAdmitted([60, 10], budget, () => cheap)).toBe(10);
    const elsewhere = { venue: 'other' };
    expect(await countAdmitted([120, 75], budget, (i) => ({ ...entry(`${i % 50}`), ...elsewhere }))).toBe(75);
    expect(await countAdmitted([60, 10], budget, () => ({ ...repair(), ...elsewhere }))).toBe(10);
    expect(await countAdmitted([60, 2], budget, () => ({ ...cheap, ...elsewhere }))).toBe(2);
  });

  it('leaves orders of copies a share that the balances and look-ups of copies cannot use', async () => {
    const budget = await worker();
    const readOfCopy = { ...read(20), purpose: 'copy_read' } as const;
    expect(await countAdmitted([100, 3], budget, () => readOfCopy)).toBe(3);
    expect(await countAdmitted([120, 15], budget, (i) => entry(`account-${i % 50}`))).toBe(15);
  });

  it('gives one user at most 15 % of it, at all workers together, so that others are served', async () => {
    const [a, b] = [await worker(), await worker()];
    const pressed = await Promise.all([
      countAdmitted([60, 4], a, () => byUser('presser')),
      countAdmitted([60, 4], b, () => byUser('presser')),
    ]);
    expect(pressed[0] + pressed[1]).toBeLessThanOrEqual(15);
    expect(await countAdmitted([8, 8], b, () => byUser('quiet'))).toBe(8);
  });

  it('says how long to wait if the user’s own calls used up the user’s share, and not if others used up the rest', async () => {
    const budget = await worker();
    expect(await countAdmitted([15, 15], budget, () => byUser('presser'))).toBe(15);
    const own = new AbortController();
    const refused = budget
      .take(byUser('presser'), own.signal)
      .catch((error: ExchangeError) => error.retryInMs);
    await eventually(() => budget.userWaitMs('presser') > 0);
    expect(budget.userWaitMs('presser')).toBeLessThanOrEqual(63_200);
    own.abort();
    expect(await refused).toBeGreaterThan(50_000);
    expect(budget.userWaitMs('presser')).toBe(0);
    expect(await countAdmitted([25, 10], budget, (i) => byUser(`other-${i % 5}`))).toBe(25);
    const other = new AbortController();
    const waiting = budget.take(byUser('quiet'), other.signal).catch((error: ExchangeError) => error);
    await pause(100);
    expect(budget.userWaitMs('quiet')).toBe(0);
    other.abort();
    expect(await waiting).toMatchObject({ code: 'rate_limited', retryInMs: undefined });
  });

  it('gives the exits of one user at most a quarter of it, so that a storm of cancellations stops no other exit', async () => {
    const budget = await worker();
    const exitOf = (userId: string, i: number) => ({ ...exit(`${userId}-${i}`), userId });
    expect(await countAdmitted([60, 25], budget, (i) => exitOf('presser', i))).toBe(25);
    expect(await countAdmitted([20, 20], budget, (i) => exitOf('quiet', i))).toBe(20);
  });

  it('spreads background work over the minute at the published limit, so that no call waits long behind a burst', async () => {
    const budget = await worker(redisUrl, { weightPerMinute: 6_000, ordersPer10s: 100 });
    const admitted = await countAdmitted([40, 7], budget, () => rotation(20));
    expect(admitted * 20).toBeLessThanOrEqual(150);
    expect(await countAdmitted([20, 20], budget, (i) => byUser(`user-${i % 2}`, 20))).toBe(20);
  });

  it('admits exits before calls that have waited longer', async () => {
    const budget = await worker(redisUrl, { weightPerMinute: 10_000, ordersPer10s: 1_000 });
    const order: string[] = [];
    await Promise.all([
      budget.take(read(), timeoutSignal()).then(() => order.push('read')),
      budget.take(entry(), timeoutSignal()).then(() => order.push('entry')),
      budget.take(exit(), timeoutSignal()).then(() => order.push('exit')),
    ]);
    expect(order).toEqual(['exit', 'entry', 'read']);
  });

  it('admits the calls of users in turns: a call of another user does not wait for the rest of a queue', async () => {
    const budget = await worker(redisUrl, { weightPerMinute: 10_000, ordersPer10s: 1_000 });
    const order: string[] = [];
    const take = (userId: string) =>
      budget.take(byUser(userId), timeoutSignal()).then(() => order.push(userId));
    await Promise.all([...Array.from({ length: 20 }, () => take('presser')), take('quiet'), take('quiet')]);
    expect(order.slice(0, 4)).toEqual(['presser', 'quiet', 'presser', 'quiet']);
  });

  it('rejects a call when its signal aborts, and admits a later call', async () => {
    const budget = await worker();
    await expect(budget.take(read(1_000), AbortSignal.timeout(20))).rejects.toBeInstanceOf(ExchangeError);
    await expect(budget.take(read(), AbortSignal.abort())).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(budget.take(read(), timeoutSignal())).resolves.toBeUndefined();
  });
});

describe('row 19: a pause that the exchange requests', () => {
  it('applies to all workers for its whole duration', async () => {
    const [a, b] = [await worker(), await worker()];
    a.pause('paper', 3_000);
    await expect(a.take(exit(), AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'rate_limited' });
    while ((await redis.exists(`${prefix}:budget:paper:pause`)) === 0) await pause(5);
    await expect(b.take(exit(), AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(b.take({ ...read(), venue: 'another' }, timeoutSignal())).resolves.toBeUndefined();
    await expect(b.take(read(), timeoutSignal())).resolves.toBeUndefined();
  });

  it('applies to the local address that the exchange limited, not to the others', async () => {
    const [a, b] = [await worker(), await worker()];
    const from = (egress: string) => ({ ...byUser('user'), egress });
    a.pause('paper', 60_000, '10.0.0.1');
    while ((await redis.exists(`${prefix}:budget:paper@10.0.0.1:pause`)) === 0) await pause(5);
    for (const each of [a, b]) {
      await expect(each.take(from('10.0.0.1'), AbortSignal.timeout(50))).rejects.toMatchObject({
        code: 'rate_limited',
      });
      await expect(each.take(from('10.0.0.2'), timeoutSignal())).resolves.toBeUndefined();
    }
  });

  it('is not shortened by a later, shorter pause', async () => {
    const [a, b] = [await worker(), await worker()];
    a.pause('paper', 60_000);
    while ((await redis.exists(`${prefix}:budget:paper:pause`)) === 0) await pause(5);
    b.pause('paper', 10);
    await pause(30);
    const third = await worker();
    await expect(third.take(read(), AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('several local addresses', () => {
  it('have a budget each; the orders of an account are counted together, wherever they are sent from', async () => {
    const budget = await worker();
    const from = (egress: string, call: BudgetedCall) => ({ ...call, egress });
    expect(await countAdmitted([80, 50], budget, () => from('10.0.0.1', read()))).toBe(50);
    expect(await countAdmitted([80, 50], budget, () => from('10.0.0.2', read()))).toBe(50);
    expect(await countAdmitted([20, 9], budget, () => from('10.0.0.1', entry('moved')))).toBe(9);
    expect(await countAdmitted([20, 0], budget, () => from('10.0.0.2', entry('moved')))).toBe(0);
  });
});

describe('row 19: two hundred accounts of two workers on a paper exchange', () => {
  it('never cause a rate-limit error, and leave capacity for an exit', async () => {
    const weightPerMinute = 600;
    const paper = await PaperExchange.start({ WEIGHT_PER_MINUTE: `${weightPerMinute}` });
    const limits = { weightPerMinute, ordersPer10s: 100 };
    const budgets = [await worker(redisUrl, limits), await worker(redisUrl, limits)];
    const venues = budgets.map((budget) => paper.venue(1_500, budget));
    const accounts = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const keys = await paper.openAccount({ USDT: 1, BTC: 1 });
        return venues[i % 2]!.connect(keys, 'spot', { accountKey: `account-${i}` });
      }),
    );
    const reads = await Promise.allSettled(accounts.map((account) => account.as('user').fetchBalances()));
    const rejected = reads.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(100);
    // After any rate-limit error the exchange would request a pause, and the exit could not be sent.
    const sell = { side: 'SELL', type: 'LIMIT', timeInForce: 'GTC', amount: '0.1', price: '60000' } as const;
    await accounts[0]!.placeOrder({
      ...sell,
      symbol: 'BTC/USDT',
      venueClientOrderId: 'exit',
      reduceOnly: true,
      isExit: true,
    });
    expect((await fetch(`${paper.url}/api/v3/ping`)).status).toBe(200);
    await paper.close();
  });
});

describe('while Redis is unavailable', () => {
  it('each worker spends its own part of the limits, and no call waits for Redis', async () => {
    const budget = await worker('redis://127.0.0.1:1');
    budget.workers = 4;
    await budget.take(read(), timeoutSignal());
    expect(fallback.calls).toEqual([read()]);
    expect(fallback.limits.at(-1)).toEqual({ weightPerMinute: 25, ordersPer10s: 10 });
  });
});
