import { ApiError, ConnectionError, RateLimitError, TimeoutError } from '../../src/core/errors.js';
import { clientOf, order, signer } from './clients.js';
import {
  cutResponse,
  errorOutcome,
  type Fault,
  FaultyApi,
  hang,
  loseResponse,
  rejectsWith,
  reset,
  respondsWith,
  truncateResponse,
} from './faulty-api.js';

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

const distinct = (header: string) => new Set(farSide.seen.map(({ headers }) => headers[header]));

describe('what passes is outlived', () => {
  it.each<[string, Fault]>([
    ['a connection that is reset', reset],
    ['an answer that is lost after the work was done', loseResponse],
    ['an answer that is cut in its middle', cutResponse],
    ['half of a JSON, taken for all of it', truncateResponse],
    ['408', rejectsWith(408, 'timeout')],
    ['429', rejectsWith(429, 'rate_limited')],
    ['500', rejectsWith(500, 'internal_error')],
    ['503', rejectsWith(503, 'service_unavailable')],
    ['a first request that is still at work', rejectsWith(409, 'idempotency_in_progress')],
    ['a nonce that the network sent twice', rejectsWith(401, 'nonce_replayed')],
    ['what the server says may be tried again', rejectsWith(423, 'locked', { 'x-should-retry': 'true' })],
  ])('%s: the second attempt succeeds, and one record is made', async (_, fault) => {
    farSide.faults.push(fault);
    const made = await clientOf(farSide, { signer }).trades.create(order('one'));
    expect(farSide.trades).toEqual([made]);
    expect(farSide.seen).toHaveLength(2);
  });

  it('a time limit is of each attempt, and ends no other', async () => {
    farSide.faults.push(hang);
    const { trades } = clientOf(farSide, { timeout: 1_000 });
    await trades.create(order('one'));
    expect([farSide.seen.length, farSide.trades.length]).toEqual([2, 1]);
  });

  it('each attempt is signed anew, and is the same request by its key', async () => {
    farSide.faults.push(loseResponse, loseResponse);
    await clientOf(farSide, { signer }).trades.create(order('one'));
    expect(farSide.seen).toHaveLength(3);
    expect(distinct('x-svc-nonce').size).toBe(3);
    expect(distinct('x-svc-sig').size).toBe(3);
    expect(distinct('idempotency-key').size).toBe(1);
    expect(farSide.trades).toHaveLength(1);
  });

  it("a caller's own key repeats a call of another client, after a crash", async () => {
    const again = { idempotencyKey: 'order-1' };
    const first = await clientOf(farSide).trades.create(order('one'), again);
    expect(await clientOf(farSide).trades.create(order('one'), again)).toEqual(first);
    expect(farSide.trades).toHaveLength(1);
  });

  it('two calls are two records', async () => {
    const { trades } = clientOf(farSide);
    await Promise.all([trades.create(order('one')), trades.create(order('one'))]);
    expect(farSide.trades).toHaveLength(2);
  });
});

describe('what the server asks for is waited', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it.each([
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    ['seconds', { 'retry-after': '7' }, 7_000],
  ])('in %s', async (_, headers, asked) => {
    farSide.faults.push(respondsWith({ ...errorOutcome(429, 'rate_limited'), headers }));
    const client = clientOf(farSide);
    await client.me.get();
    expect(client.waits).toEqual([asked]);
  });

  it('until a date', async () => {
    farSide.faults.push(
      respondsWith({
        ...errorOutcome(503, 'service_unavailable'),
        headers: { 'retry-after': inSeconds(40) },
      }),
    );
    const client = clientOf(farSide);
    await client.me.get();
    expect(client.waits[0]).toBeGreaterThan(0);
    expect(client.waits[0]).toBeLessThanOrEqual(40_000);
  });

  it('over a minute it is thrown at once, and says how long', async () => {
    farSide.faults.push(
      respondsWith({ ...errorOutcome(429, 'rate_limited'), headers: { 'retry-after': '61' } }),
    );
    const client = clientOf(farSide);
    const error = await client.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 61_000, code: 'rate_limited' });
    expect([client.waits, farSide.seen.length]).toEqual([[], 1]);
  });

  it('without a word it is longer from one attempt to the next', async () => {
    farSide.faults.push(reset, reset, reset);
    const client = clientOf(farSide, { maxRetries: 3 });
    await client.me.get();
    expect(client.waits).toEqual([500, 1_000, 2_000]);
  });
});

describe('what does not pass is thrown', () => {
  it.each([
    [400, 'invalid_query', 'BadRequestError'],
    [401, 'invalid_api_key', 'AuthenticationError'],
    [403, 'permission_denied', 'PermissionDeniedError'],
    [404, 'not_found', 'NotFoundError'],
    [405, 'method_not_allowed', 'ApiError'],
    [409, 'invalid_state', 'ConflictError'],
    [422, 'validation_failed', 'UnprocessableError'],
  ])('%d %s at once, as %s', async (status, code, name) => {
    const details = [{ field: 'amount', code: 'too_small', message: 'It is too small.' }];
    farSide.faults.push(respondsWith(errorOutcome(status, code, details)));
    const error = await clientOf(farSide)
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name,
      status,
      code,
      details,
      requestId: 'req_of_header',
      docUrl: `${farSide.origin}/docs#description/errors`,
      message: `Refused: ${code}. amount: It is too small.`,
    });
    expect(farSide.seen).toHaveLength(1);
  });

  it('503 at once, where the server says not to try again', async () => {
    farSide.faults.push(rejectsWith(503, 'service_unavailable', { 'x-should-retry': 'false' }));
    await expect(clientOf(farSide).me.get()).rejects.toMatchObject({ status: 503 });
    expect(farSide.seen).toHaveLength(1);
  });

  it('what goes on failing, after as many attempts as were asked for', async () => {
    const client = clientOf(farSide, { maxRetries: 1 });
    farSide.faults.push(reset, reset, reset);
    await expect(client.me.get()).rejects.toBeInstanceOf(ConnectionError);
    expect(farSide.seen).toHaveLength(2);
    await expect(client.me.get({ maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError);
    expect(farSide.seen).toHaveLength(3);
  });

  it('a server that is not there, by name and reason', async () => {
    const gone = await FaultyApi.start();
    const { origin } = gone;
    const client = clientOf(gone);
    await gone.stop();
    const error = await client.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`No response from ${origin}: ECONNREFUSED`);
  });

  it('silence, after the time of the last attempt', async () => {
    farSide.faults.push(hang, hang);
    const error = await clientOf(farSide)
      .me.get({ timeout: 500, maxRetries: 1 })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe('No response within 500 ms.');
    expect(farSide.seen).toHaveLength(2);
  });

  it('a body that stops, after the time of the attempt', async () => {
    farSide.faults.push(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"success":');
    });
    await expect(clientOf(farSide).me.get({ timeout: 100, maxRetries: 0 })).rejects.toBeInstanceOf(
      TimeoutError,
    );
  });
});
