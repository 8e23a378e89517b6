import fc from 'fast-check';
import { createTestClient } from '../testing/index.js';
import { TradeWaitError } from './trades.js';

const FINAL: readonly string[] = ['FILLED', 'CANCELLED', 'FAILED'];
const AT_ONCE = { pollInterval: 0 };

/** A client that sees the trade go through statuses, and stay in the last. */
function seeing(...statuses: string[]) {
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

describe('waiting for a trade', () => {
  it('ends with the first status that is final, and looks no more', async () => {
    for (const final of FINAL) {
      const { trades, api } = seeing('PENDING', 'PARTIALLY_FILLED', final);
      expect(await trades.waitUntil('trd_1', AT_ONCE)).toMatchObject({ id: 'trd_1', status: final });
      expect(api.requests).toHaveLength(3);
    }
  });

  it('ends with the status that was asked for, or any of several; where the trade ends otherwise, it says so', async () => {
    const any = fc.constantFrom<string>(
      'PENDING',
      'PARTIALLY_FILLED',
      'FILLED',
      'CANCELLED',
      'FAILED',
      'NEW_ONE',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(any),
        fc.constantFrom(...FINAL),
        fc.array(any, { minLength: 1 }),
        async (life, end, asked) => {
          const lived = [...life, end];
          const last = lived.findIndex((status) => FINAL.includes(status) || asked.includes(status));
          const { trades, api } = seeing(...lived);
          const status = asked.length === 1 ? asked[0]! : asked;
          const waited = trades.waitUntil('trd_1', { status, ...AT_ONCE });
          if (asked.includes(lived[last]!)) expect((await waited).status).toBe(lived[last]);
          else
            expect(await failureOf(waited)).toMatchObject({
              name: 'TradeWaitError',
              reason: 'ended',
              trade: { id: 'trd_1', status: lived[last] },
            });
          expect(api.requests).toHaveLength(last + 1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('gives the trade as it was seen last where the time is over, and has looked at it once at least', async () => {
    const { trades, api } = seeing('PENDING');
    const error = await failureOf(trades.waitUntil('trd_1', { timeout: 0 }));
    expect(error).toBeInstanceOf(TradeWaitError);
    expect(error).toMatchObject({ reason: 'timeout', trade: { status: 'PENDING' } });
    expect((error as Error).message).toBe('Trade trd_1 is still PENDING.');
    expect(api.requests).toHaveLength(1);
    const later = await failureOf(trades.waitUntil('trd_1', { timeout: 5, pollInterval: 1 }));
    expect(later).toMatchObject({ reason: 'timeout' });
  });

  it('ends with the reason of the signal, before a look and between two', async () => {
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

  it('throws what a look throws', async () => {
    const { trades, api } = seeing('PENDING');
    api.fail('trades.get', 'not_found');
    expect(await failureOf(trades.waitUntil('trd_1', AT_ONCE))).toMatchObject({ code: 'not_found' });
  });

  it('looks with the options that it was given', async () => {
    const { trades, api } = seeing('FILLED');
    await trades.waitUntil('trd_1', { headers: { 'x-desk': '7' } });
    expect(api.requests[0]?.headers.get('x-desk')).toBe('7');
  });

  it.each([{ timeout: -1 }, { timeout: Number.NaN }, { pollInterval: -1 }, { pollInterval: Number.NaN }])(
    'rejects an invalid time: %j',
    async (options) => {
      const { trades, api } = seeing('FILLED');
      expect(await failureOf(trades.waitUntil('trd_1', options))).toBeInstanceOf(RangeError);
      expect(api.requests).toHaveLength(0);
    },
  );
});
