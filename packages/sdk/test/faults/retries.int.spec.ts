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

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

const distinct = (header: string) => new Set(api.requests.map(({ headers }) => headers[header]));

describe('a transient failure is retried', () => {
  it.each<[string, Fault]>([
    ['a reset connection', reset],
    ['a response that is lost after the request was executed', loseResponse],
    ['a response that disconnects in the middle', cutResponse],
    ['truncated JSON in a complete response', truncateResponse],
    ['408', rejectsWith(408, 'timeout')],
    ['429', rejectsWith(429, 'rate_limited')],
    ['500', rejectsWith(500, 'internal_error')],
    ['503', rejectsWith(503, 'service_unavailable')],
    ['a first request that is still in progress', rejectsWith(409, 'idempotency_in_progress')],
    ['a nonce that the network sent twice', rejectsWith(401, 'nonce_replayed')],
    ['an error with x-should-retry', rejectsWith(423, 'locked', { 'x-should-retry': 'true' })],
  ])('%s: the second attempt succeeds, and one record is created', async (_, fault) => {
    api.faults.push(fault);
    const trade = await clientOf(api, { signer }).trades.create(order('one'));
    expect(api.trades).toEqual([trade]);
    expect(api.requests).toHaveLength(2);
  });

  it('after the time limit of an attempt; the next attempt has its own time limit', async () => {
    api.faults.push(hang);
    const { trades } = clientOf(api, { timeout: 1_000 });
    await trades.create(order('one'));
    expect([api.requests.length, api.trades.length]).toEqual([2, 1]);
  });

  it('with a new signature and the same Idempotency-Key', async () => {
    api.faults.push(loseResponse, loseResponse);
    await clientOf(api, { signer }).trades.create(order('one'));
    expect(api.requests).toHaveLength(3);
    expect(distinct('x-svc-nonce').size).toBe(3);
    expect(distinct('x-svc-sig').size).toBe(3);
    expect(distinct('idempotency-key').size).toBe(1);
    expect(api.trades).toHaveLength(1);
  });

  it("by another client with the caller's Idempotency-Key, for example after a crash", async () => {
    const options = { idempotencyKey: 'order-1' };
    const first = await clientOf(api).trades.create(order('one'), options);
    expect(await clientOf(api).trades.create(order('one'), options)).toEqual(first);
    expect(api.trades).toHaveLength(1);
  });

  it('with the Idempotency-Key of its call: two equal calls have two keys and create two records', async () => {
    const { trades } = clientOf(api);
    await Promise.all([trades.create(order('one')), trades.create(order('one'))]);
    expect(api.trades).toHaveLength(2);
  });
});

describe('the delay before a retry', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it.each([
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1_234],
    ['seconds', { 'retry-after': '7' }, 7_000],
  ])('is the delay that the server requests in %s', async (_, headers, requestedMs) => {
    api.faults.push(respondsWith({ ...errorOutcome(429, 'rate_limited'), headers }));
    const client = clientOf(api);
    await client.me.get();
    expect(client.waits).toEqual([requestedMs]);
  });

  it('ends at the date that the server requests', async () => {
    api.faults.push(
      respondsWith({
        ...errorOutcome(503, 'service_unavailable'),
        headers: { 'retry-after': inSeconds(40) },
      }),
    );
    const client = clientOf(api);
    await client.me.get();
    expect(client.waits[0]).toBeGreaterThan(0);
    expect(client.waits[0]).toBeLessThanOrEqual(40_000);
  });

  it('must not exceed a minute: if the server requests more, the error is thrown', async () => {
    api.faults.push(respondsWith({ ...errorOutcome(429, 'rate_limited'), headers: { 'retry-after': '61' } }));
    const client = clientOf(api);
    const error = await client.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 61_000, code: 'rate_limited' });
    expect([client.waits, api.requests.length]).toEqual([[], 1]);
  });

  it('doubles with each attempt if the server requests no delay', async () => {
    api.faults.push(reset, reset, reset);
    const client = clientOf(api, { maxRetries: 3 });
    await client.me.get();
    expect(client.waits).toEqual([500, 1_000, 2_000]);
  });
});

describe('a call', () => {
  it.each([
    [400, 'invalid_query', 'BadRequestError'],
    [401, 'invalid_api_key', 'AuthenticationError'],
    [403, 'permission_denied', 'PermissionDeniedError'],
    [404, 'not_found', 'NotFoundError'],
    [405, 'method_not_allowed', 'ApiError'],
    [409, 'invalid_state', 'ConflictError'],
    [422, 'validation_failed', 'UnprocessableError'],
  ])('that fails with %d %s throws a %s immediately', async (status, code, name) => {
    const details = [{ field: 'amount', code: 'too_small', message: 'It is too small.' }];
    api.faults.push(respondsWith(errorOutcome(status, code, details)));
    const error = await clientOf(api)
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name,
      status,
      code,
      details,
      requestId: 'req_of_header',
      docUrl: `${api.origin}/docs#description/errors`,
      message: `Rejected: ${code}. amount: It is too small.`,
    });
    expect(api.requests).toHaveLength(1);
  });

  it('that fails with 503 throws immediately if x-should-retry is false', async () => {
    api.faults.push(rejectsWith(503, 'service_unavailable', { 'x-should-retry': 'false' }));
    await expect(clientOf(api).me.get()).rejects.toMatchObject({ status: 503 });
    expect(api.requests).toHaveLength(1);
  });

  it('throws after the configured number of retries', async () => {
    const client = clientOf(api, { maxRetries: 1 });
    api.faults.push(reset, reset, reset);
    await expect(client.me.get()).rejects.toBeInstanceOf(ConnectionError);
    expect(api.requests).toHaveLength(2);
    await expect(client.me.get({ maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError);
    expect(api.requests).toHaveLength(3);
  });

  it('throws an error that names the unreachable server and the cause', async () => {
    const stopped = await FaultyApi.start();
    const { origin } = stopped;
    const client = clientOf(stopped);
    await stopped.stop();
    const error = await client.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`No response from ${origin}: ECONNREFUSED`);
  });

  it('throws a TimeoutError after the time limit of the last attempt', async () => {
    api.faults.push(hang, hang);
    const error = await clientOf(api)
      .me.get({ timeout: 500, maxRetries: 1 })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe('No response within 500 ms.');
    expect(api.requests).toHaveLength(2);
  });

  it('throws a TimeoutError if the body is not complete within the time limit', async () => {
    api.faults.push(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"success":');
    });
    await expect(clientOf(api).me.get({ timeout: 100, maxRetries: 0 })).rejects.toBeInstanceOf(TimeoutError);
  });
});
