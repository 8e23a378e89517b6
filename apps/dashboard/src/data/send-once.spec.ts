import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError, ConnectionError, type ErrorCode } from '@trading-automation/sdk';
import { sendOnce } from './send-once';

const refusal = (status: number, code: ErrorCode) =>
  new ApiError({
    status,
    code,
    message: 'Refused.',
    details: [],
    requestId: undefined,
    headers: new Headers(),
  });
const order = { symbol: 'BTC/USDT', amount: '1' };

/** Sends requests with these outcomes and returns the key of each. */
async function keysOf(...attempts: readonly (readonly [request: unknown, outcome?: unknown])[]) {
  const once = sendOnce();
  const keys: string[] = [];
  for (const [request, outcome] of attempts) {
    const sent = once(request, async (key) => {
      keys.push(key);
      if (outcome !== undefined) throw outcome;
      return key;
    });
    if (outcome === undefined) await expect(sent).resolves.toBe(keys.at(-1));
    else await expect(sent).rejects.toBe(outcome);
  }
  return keys;
}
const countOf = (keys: readonly string[]) => new Set(keys).size;

describe('the idempotency key of a request', () => {
  it.each<[number, ErrorCode]>([
    [422, 'insufficient_balance'],
    [422, 'exchange_rule_violated'],
    [409, 'invalid_state'],
    [404, 'not_found'],
  ])('is replaced after a refusal with %i %s, which the API would repeat', async (status, code) => {
    expect(countOf(await keysOf([order, refusal(status, code)], [order]))).toBe(2);
  });

  it.each([
    ['a connection error', new ConnectionError('reset')],
    ['503', refusal(503, 'service_unavailable')],
    ['a request in progress', refusal(409, 'idempotency_in_progress')],
    ['429, which is not stored', refusal(429, 'rate_limited')],
    ['401, which is not stored', refusal(401, 'invalid_access_token')],
  ])('is kept after %s, because the order may exist', async (_, failure) => {
    expect(countOf(await keysOf([order, failure], [order, failure], [order]))).toBe(1);
  });

  it('is new for another request, and for the same one after a success', async () => {
    const other = { ...order, amount: '2' };
    expect(countOf(await keysOf([order, new ConnectionError('reset')], [other], [other]))).toBe(3);
  });
});

it('no form keeps an idempotency key of its own', () => {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.spec)\.tsx?$/.test(name),
  );
  const keepers = files.filter((name) => readFileSync(join(root, name), 'utf8').includes('randomUUID'));
  expect(keepers).toEqual(['data/send-once.ts']);
});
