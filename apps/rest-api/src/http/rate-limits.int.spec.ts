import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { parseList } from 'structured-headers';
import {
  type NotesApi,
  type NotesOptions,
  READER,
  sendJson,
  startNotesApi,
  TRADER,
} from '../../test/notes-api.js';
import { AMPLE_RATE_LIMITS, limitsOf } from '../../test/rate-limits.js';
import { send, type TestResponse } from '../../test/send.js';

/** Returns a limit per day, whose tokens are not refilled within a test. */
const perDay = (requests: number) => ({ requests, seconds: 86_400 });

const openApis: NotesApi[] = [];
const start = async (options: NotesOptions) => {
  const api = await startNotesApi(options);
  openApis.push(api);
  return api;
};
afterEach(async () => {
  await Promise.all(openApis.splice(0).map((api) => api.close()));
});

/** Parses a header with an independent parser. Returns the parameters of each policy by its name. */
function listOf({ headers }: TestResponse, name: string) {
  const items = parseList(String(headers[name])).map(([policy, parameters]) => [
    policy,
    Object.fromEntries(parameters as Map<string, unknown>),
  ]);
  return Object.fromEntries(items);
}
/** Returns the remaining tokens of the general limit. */
const remaining = (response: TestResponse) => listOf(response, 'ratelimit').general?.r;

describe('the rate-limit headers', () => {
  it('contain the policies and their remaining tokens, on successes and errors', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(600)) });
    const responses = [
      await send(api, 'GET', '/v1/notes', { headers: READER }),
      await send(api, 'GET', '/v1/notes?no=1', { headers: READER }),
      await send(api, 'POST', '/v1/notes', { headers: READER }),
      await send(api, 'GET', `/v1/notes/${'x'.repeat(300)}`, { headers: READER }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 403, 404]);
    expect(responses.map(remaining)).toEqual([599, 598, 597, 596]);
    for (const response of responses)
      expect(listOf(response, 'ratelimit-policy')).toEqual({ general: { q: 600, w: 86_400 } });
    expect(listOf(responses[0]!, 'ratelimit')).toEqual({ general: { r: 599, t: 144 } });
  });

  it('also contain the bucket of the operation if it has one', async () => {
    const api = await start({
      rateLimits: limitsOf(perDay(600), { trade_writes: { requests: 20, seconds: 1 } }),
    });
    const response = await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}');
    expect(response.headers['ratelimit-policy']).toBe('"general";q=600;w=86400, "trade_writes";q=20;w=1');
    expect(response.headers.ratelimit).toBe('"general";r=599;t=144, "trade_writes";r=19;t=1');
  });

  it('are absent if no limit was checked', async () => {
    const api = await start({});
    const { headers } = await send(api, 'GET', '/v1/nowhere');
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });
});

describe('a request over the limit', () => {
  it('gets 429 with the exceeded limit and the time to wait', async () => {
    const rateLimits = limitsOf(perDay(600), { trade_writes: perDay(1) });
    const api = await start({ rateLimits });
    expect((await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}')).status).toBe(200);
    const rejected = await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}');
    expect([rejected.status, rejected.json.error?.code]).toEqual([429, 'rate_limited']);
    expect(rejected.json.error?.details).toEqual([
      {
        code: 'rate_limited',
        message: 'The limit trade_writes is 1 requests in 86400 s.',
        policy: 'trade_writes',
      },
    ]);
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(86_000);
    expect(listOf(rejected, 'ratelimit')).toMatchObject({ general: { r: 599 }, trade_writes: { r: 0 } });
    // The rejected request took no token of the general limit.
    expect(remaining(await send(api, 'GET', '/v1/notes', { headers: TRADER }))).toBe(598);
  });

  it('gets a Retry-After of at least one second', async () => {
    const api = await start({ rateLimits: limitsOf({ requests: 1, seconds: 1 }) });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => send(api, 'GET', '/v1/notes', { headers: READER })),
    );
    const rejected = responses.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThan(0);
    for (const { headers } of rejected) expect(headers['retry-after']).toBe('1');
  });
});

describe('the limit of an address', () => {
  it('is charged for public operations and for missing or invalid credentials', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(10)) });
    expect(remaining(await send(api, 'GET', '/v1/ping'))).toBe(9);
    expect(remaining(await send(api, 'GET', '/v1/notes'))).toBe(8);
    expect(remaining(await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } }))).toBe(7);
    expect(remaining(await send(api, 'GET', '/v1/notes?token=1', { headers: READER }))).toBe(6);
    expect(remaining(await send(api, 'GET', '/v1/notes', { headers: READER }))).toBe(9);
    expect(remaining(await send(api, 'GET', '/v1/ping'))).toBe(5);
  });

  it('is not charged in the bucket of the operation if the credential is invalid', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(10)) });
    const failed = await send(api, 'POST', '/v1/notes/n1/touch', { headers: { 'x-api-key': 'no' } });
    expect(listOf(failed, 'ratelimit-policy')).toEqual({ general: { q: 10, w: 86_400 } });
  });

  it('is not charged for requests with valid credentials, each of which has its own limit', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(3)) });
    for (let i = 0; i < 3; i++)
      expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(429);
    expect((await send(api, 'GET', '/v1/notes', { headers: TRADER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/ping')).status).toBe(200);
  });

  it('rejects requests without checking their credentials after it is used up', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(5)) });
    for (let i = 0; i < 5; i++) await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } });
    const authenticatedCount = api.behaviour.seen.length;
    const rejected = await send(api, 'GET', '/v1/notes', { headers: READER });
    expect([rejected.status, remaining(rejected)]).toEqual([429, 0]);
    expect(api.behaviour.seen).toHaveLength(authenticatedCount);
  });

  it('is shared by the /64 network of an IPv6 address', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(2)), trustedProxies: ['127.0.0.1'] });
    const from = (address: string) =>
      send(api, 'GET', '/v1/ping', { headers: { 'x-forwarded-for': address } });
    expect(remaining(await from('2001:db8:1:2::1'))).toBe(1);
    expect(remaining(await from('2001:db8:1:2:3:4:5:6'))).toBe(0);
    expect((await from('2001:db8:1:2:ffff::'))?.status).toBe(429);
    expect(remaining(await from('2001:db8:1:3::1'))).toBe(1);
    expect(remaining(await from('203.0.113.1'))).toBe(1);
    expect(remaining(await from('::ffff:203.0.113.1'))).toBe(0);
  });
});

describe('the limit of a user', () => {
  const withUser = (requests: number, user_requests: number) => ({ ...perDay(requests), user_requests });

  it('holds for all credentials together, and is three times the limit of one by default', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(4)) });
    const statuses: number[] = [];
    for (let credential = 0; credential < 45; credential++) {
      const headers = { 'x-api-key': 'reader', 'x-credential': String(credential) };
      for (let i = 0; i < 5; i++) statuses.push((await send(api, 'GET', '/v1/notes', { headers })).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(12);
    expect(statuses.filter((status) => status === 429)).toHaveLength(45 * 5 - 12);
  });

  it('holds for the bucket of an operation, too', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(600), { trade_writes: withUser(2, 3) }) });
    const touch = (credential: string) =>
      sendJson(api, 'POST', '/v1/notes/n1/touch', '{}', { 'x-credential': credential });
    const responses = [
      await touch('a'),
      await touch('a'),
      await touch('b'),
      await touch('b'),
      await touch('c'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(responses[4]!.json.error?.details).toEqual([
      {
        code: 'rate_limited',
        message: 'The limit trade_writes_user is 3 requests in 86400 s for all your credentials together.',
        policy: 'trade_writes_user',
      },
    ]);
    expect(Number(responses[4]!.headers['retry-after'])).toBeGreaterThan(28_000);
  });

  it('is in the headers if it leaves fewer requests than the limit of the credential', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(600), { general: withUser(4, 5) }) });
    const get = (credential: string) =>
      send(api, 'GET', '/v1/notes', { headers: { ...READER, 'x-credential': credential } });
    const headersOf = ({ headers }: TestResponse) => [headers['ratelimit-policy'], headers.ratelimit];
    expect(headersOf(await get('a'))).toEqual(['"general";q=4;w=86400', '"general";r=3;t=21600']);
    await get('a');
    await get('a');
    expect(headersOf(await get('b'))).toEqual(['"general_user";q=5;w=86400', '"general_user";r=1;t=69120']);
    expect(listOf(await get('b'), 'ratelimit')).toMatchObject({ general_user: { r: 0 } });
    const rejected = await get('b');
    expect([rejected.status, listOf(rejected, 'ratelimit').general_user?.r]).toEqual([429, 0]);
  });

  it('is not used up by requests over the limit of one credential', async () => {
    const api = await start({ rateLimits: limitsOf(perDay(600), { general: withUser(2, 4) }) });
    const get = (credential: string) =>
      send(api, 'GET', '/v1/notes', { headers: { ...READER, 'x-credential': credential } });
    for (let i = 0; i < 20; i++) await get('greedy');
    expect([(await get('calm')).status, (await get('calm')).status]).toEqual([200, 200]);
  });
});

describe('1,000 concurrent requests', () => {
  const randomHex = () => randomBytes(8).toString('hex');
  let clients: Redis[];
  beforeEach(() => {
    clients = [1, 2].map(() => new Redis(process.env.TEST_REDIS_URL!));
  });
  afterEach(() => {
    for (const client of clients) client.disconnect();
  });

  it.each([
    ['credential', READER],
    ['address', {}],
  ])('of one %s to two APIs succeed exactly as often as the limit allows', async (_caller, credentials) => {
    const credentialIds = randomHex();
    const address = `2001:db8:${randomHex().match(/.{4}/g)!.slice(0, 2).join(':')}::1`;
    const apis = await Promise.all(
      clients.map((redis) =>
        start({
          rateLimits: { ...AMPLE_RATE_LIMITS, general: perDay(20) },
          rateLimitsIn: { redis, credentialIds },
          trustedProxies: ['127.0.0.1'],
        }),
      ),
    );
    const path = 'x-api-key' in credentials ? '/v1/notes' : '/v1/ping';
    const headers = { ...credentials, 'x-forwarded-for': address };
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => send(apis[i % 2]!, 'GET', path, { headers })),
    );
    const counts = { 200: 0, 429: 0 };
    for (const { status } of responses) counts[status as 200 | 429]++;
    expect(counts).toEqual({ 200: 20, 429: 980 });
  });
});
