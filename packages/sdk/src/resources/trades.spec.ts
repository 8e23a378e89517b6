import fc from 'fast-check';
import { createTestClient } from '../testing/index.js';
import { TradeWaitError } from './trades.js';

const FINAL: readonly string[] = ['FILLED', 'CANCELLED', 'FAILED'];
const WITHOUT_DELAY = { pollInterval: 0 };

/** Returns the trades of a test client. Each read of a trade returns the next status, or again the last one. */
function tradesWithStatuses(...statuses: string[]) {
  const { client, api } = createTestClient();
  for (const status of statuses) api.answerOnce('trades.get', { status });
  api.answer('trades.get', { status: statuses.at(-1)! });
  return { trades: client.trades, api };
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('waitUntil', () => {
  it('returns at the first final status and stops polling', async () => {
    for (const final of FINAL) {
      const { trades, api } = tradesWithStatuses('PENDING', 'PARTIALLY_FILLED', final);
      expect(await trades.waitUntil('trd_1', WITHOUT_DELAY)).toMatchObject({ id: 'trd_1', status: final });
      expect(api.requests).toHaveLength(3);
    }
  });

  it('returns at a requested status, and throws if the trade first reaches another final status', async () => {
    const anyStatus = fc.constantFrom<string>(
      'PENDING',
      'PARTIALLY_FILLED',
      'FILLED',
      'CANCELLED',
      'FAILED',
      'NEW_ONE',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStatus),
        fc.constantFrom(...FINAL),
        fc.array(anyStatus, { minLength: 1 }),
        async (earlier, end, requested) => {
          const statuses = [...earlier, end];
          const last = statuses.findIndex((status) => FINAL.includes(status) || requested.includes(status));
          const { trades, api } = tradesWithStatuses(...statuses);
          const status = requested.length === 1 ? requested[0]! : requested;
          const waited = trades.waitUntil('trd_1', { status, ...WITHOUT_DELAY });
          if (requested.includes(statuses[last]!)) expect((await waited).status).toBe(statuses[last]);
          else
            expect(await failureOf(waited)).toMatchObject({
              name: 'TradeWaitError',
              reason: 'ended',
              trade: { id: 'trd_1', status: statuses[last] },
            });
          expect(api.requests).toHaveLength(last + 1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('reads the trade at least once, and after the timeout throws an error with the trade as last read', async () => {
    const { trades, api } = tradesWithStatuses('PENDING');
    const error = await failureOf(trades.waitUntil('trd_1', { timeout: 0 }));
    expect(error).toBeInstanceOf(TradeWaitError);
    expect(error).toMatchObject({ reason: 'timeout', trade: { status: 'PENDING' } });
    expect((error as Error).message).toBe('Trade trd_1 is still PENDING.');
    expect(api.requests).toHaveLength(1);
    const later = await failureOf(trades.waitUntil('trd_1', { timeout: 5, pollInterval: 1 }));
    expect(later).toMatchObject({ reason: 'timeout' });
  });

  it("throws the signal's reason if it is aborted before the first read or between two reads", async () => {
    const reason = new Error('enough');
    const { client, api } = createTestClient();
    const { trades } = client;
    const before = trades.waitUntil('trd_1', { signal: AbortSignal.abort(reason) });
    expect(await failureOf(before)).toBe(reason);
    expect(api.requests).toHaveLength(0);
    const abort = new AbortController();
    api.answer('trades.get', () => {
      setTimeout(() => abort.abort(reason));
      return { status: 'PENDING' };
    });
    const between = trades.waitUntil('trd_1', { signal: abort.signal, pollInterval: 2_000_000_000 });
    expect(await failureOf(between)).toBe(reason);
    expect(api.requests).toHaveLength(1);
  });

  it('throws the error of a read', async () => {
    const { trades, api } = tradesWithStatuses('PENDING');
    api.fail('trades.get', 'not_found');
    expect(await failureOf(trades.waitUntil('trd_1', WITHOUT_DELAY))).toMatchObject({ code: 'not_found' });
  });

  it('passes its request options to each read', async () => {
    const { trades, api } = tradesWithStatuses('FILLED');
    await trades.waitUntil('trd_1', { headers: { 'x-desk': '7' } });
    expect(api.requests[0]?.headers.get('x-desk')).toBe('7');
  });

  it.each([{ timeout: -1 }, { timeout: Number.NaN }, { pollInterval: -1 }, { pollInterval: Number.NaN }])(
    'throws a RangeError for an invalid timeout or pollInterval: %j',
    async (options) => {
      const { trades, api } = tradesWithStatuses('FILLED');
      expect(await failureOf(trades.waitUntil('trd_1', options))).toBeInstanceOf(RangeError);
      expect(api.requests).toHaveLength(0);
    },
  );
});
