import { RESPONSE_TIME_MAX_MS } from '@trading-automation/contracts';
import { callTimeoutMs, newUuid, REPLY_MARGIN_MS } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { CoreUnderTest } from '../testing/index.js';
import {
  callWorker,
  serveWorkerCalls,
  type UserShares,
  WORKER_CALL_TIMES,
  type WorkerCallHandlers,
} from './worker-calls.js';

let core: CoreUnderTest;
let worker: { stop(): Promise<void> } | undefined;
let endHandlers: (() => void)[] = [];

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterEach(async () => {
  for (const end of endHandlers) end();
  await worker?.stop();
  [worker, endHandlers] = [undefined, []];
});
afterAll(() => core.close());

const serve = async (handlers: Partial<WorkerCallHandlers>, shares?: UserShares) => {
  const fail = (error: unknown) => {
    throw error;
  };
  worker = serveWorkerCalls(await core.openSecondPlatform(), handlers, fail, shares);
};
const silentVenue = () => new Promise<null>((resolve) => endHandlers.push(() => resolve(null)));
const SHORT = { startWithinMs: 1_500, operationMs: 100 };
const CALL = { account_id: newUuid() };

describe('a call of the trading worker', () => {
  it('returns exchange_unavailable while the exchange accepts a request and never responds', async () => {
    await serve({ 'exchange_account.sync': silentVenue });
    const owner = { userId: newUuid(), accountId: CALL.account_id };
    const startedAt = performance.now();
    const call = callWorker(core.platform, 'exchange_account.sync', CALL, owner, SHORT);
    await expect(call).rejects.toMatchObject({ code: 'exchange_unavailable' });
    expect(performance.now() - startedAt).toBeLessThan(callTimeoutMs(SHORT));
  });

  it('returns rate_limited with the time to wait while it waits for the user’s own share of the limit', async () => {
    const owner = { userId: newUuid(), accountId: CALL.account_id };
    const userWaitMs = (userId: string) => (userId === owner.userId ? 41_200 : 0);
    await serve({ 'exchange_account.sync': silentVenue }, { userWaitMs });
    const call = callWorker(core.platform, 'exchange_account.sync', CALL, owner, SHORT);
    await expect(call).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 42 });
    const other = { userId: newUuid(), accountId: newUuid() };
    await expect(
      callWorker(core.platform, 'exchange_account.sync', CALL, other, SHORT),
    ).rejects.toMatchObject({ code: 'exchange_unavailable', retryAfterSeconds: undefined });
  });

  it('has a time limit in the worker that ends before the API stops waiting, 10 s after the request', () => {
    expect(callTimeoutMs(WORKER_CALL_TIMES)).toBe(10_000);
    const { startWithinMs, operationMs } = WORKER_CALL_TIMES;
    expect(callTimeoutMs(WORKER_CALL_TIMES) - REPLY_MARGIN_MS).toBe(startWithinMs + operationMs);
    expect(callTimeoutMs(WORKER_CALL_TIMES)).toBeLessThanOrEqual(RESPONSE_TIME_MAX_MS);
    expect(REPLY_MARGIN_MS).toBeGreaterThanOrEqual(1_000);
  });

  it('cancels while the same user has all slots for tests of credentials in use, and more waiting', async () => {
    const cancelled: string[] = [];
    await serve({
      'exchange_account.test': silentVenue as never,
      'trade.cancel': async ({ trade_id }) => {
        cancelled.push(trade_id);
        return null;
      },
    });
    const owner = { userId: newUuid() };
    const input = { exchange: 'paper', trading_type: 'spot', sealed: '', context: '' } as const;
    const tests = Array.from({ length: 20 }, () =>
      callWorker(core.platform, 'exchange_account.test', input, owner, SHORT).catch((error) => error.name),
    );
    const trade = { trade_id: newUuid() };
    await expect(callWorker(core.platform, 'trade.cancel', trade, owner)).resolves.toBeNull();
    expect(cancelled).toEqual([trade.trade_id]);
    const outcomes = await Promise.all(tests);
    expect(outcomes.filter((name) => name === 'CallQueueFull')).toHaveLength(16);
    expect(outcomes.filter((name) => name === 'DomainError')).toHaveLength(4);
  });

  it('cancels 16 orders of one account at once, and the next ones as these end', async () => {
    const running: (() => void)[] = [];
    const cancelled = new Set<string>();
    await serve({
      'trade.cancel': async ({ trade_id }) => {
        await new Promise<void>((resolve) => running.push(resolve));
        cancelled.add(trade_id);
        return null;
      },
    });
    const owner = { userId: newUuid(), accountId: newUuid() };
    const trades = Array.from({ length: 20 }, () => newUuid());
    const calls = trades.map((trade_id) => callWorker(core.platform, 'trade.cancel', { trade_id }, owner));
    await eventually(() => running.length === 16);
    for (const end of running.splice(0)) end();
    await eventually(() => running.length === 4);
    for (const end of running.splice(0)) end();
    await Promise.all(calls);
    expect(cancelled).toEqual(new Set(trades));
  });
});
