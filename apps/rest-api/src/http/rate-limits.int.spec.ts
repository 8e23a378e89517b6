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

/** No token is refilled within a test. */
const day = (requests: number) => ({ requests, seconds: 86_400 });

const open: NotesApi[] = [];
const start = async (options: NotesOptions) => {
  const api = await startNotesApi(options);
  open.push(api);
  return api;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.close()));
});

/** Parses the header with an independent parser: `name -> parameters`. */
function listOf({ headers }: TestResponse, name: string) {
  const items = parseList(String(headers[name])).map(([policy, parameters]) => [
    policy,
    Object.fromEntries(parameters as Map<string, unknown>),
  ]);
  return Object.fromEntries(items);
}
const left = (answer: TestResponse) => listOf(answer, 'ratelimit').general?.r;

describe('the rate-limit headers', () => {
  it('contain the policies and their remaining quota, on successes and errors', async () => {
    const api = await start({ rateLimits: limitsOf(day(600)) });
    const answers = [
      await send(api, 'GET', '/v1/notes', { headers: READER }),
      await send(api, 'GET', '/v1/notes?no=1', { headers: READER }),
      await send(api, 'POST', '/v1/notes', { headers: READER }),
      await send(api, 'GET', `/v1/notes/${'x'.repeat(300)}`, { headers: READER }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 403, 404]);
    expect(answers.map(left)).toEqual([599, 598, 597, 596]);
    for (const answer of answers)
      expect(listOf(answer, 'ratelimit-policy')).toEqual({ general: { q: 600, w: 86_400 } });
    expect(listOf(answers[0]!, 'ratelimit')).toEqual({ general: { r: 599, t: 144 } });
  });

  it('also contain the separate bucket of the operation', async () => {
    const api = await start({
      rateLimits: limitsOf(day(600), { trade_writes: { requests: 20, seconds: 1 } }),
    });
    const answer = await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}');
    expect(answer.headers['ratelimit-policy']).toBe('"general";q=600;w=86400, "trade_writes";q=20;w=1');
    expect(answer.headers.ratelimit).toBe('"general";r=599;t=144, "trade_writes";r=19;t=1');
  });

  it('are absent if no limit was checked', async () => {
    const api = await start({});
    const { headers } = await send(api, 'GET', '/v1/nowhere');
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });
});

describe('a request over the limit', () => {
  it('gets the exceeded limit and the time to wait', async () => {
    const rateLimits = limitsOf(day(600), { trade_writes: day(1) });
    const api = await start({ rateLimits });
    expect((await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}')).status).toBe(200);
    const refused = await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}');
    expect([refused.status, refused.json.error?.code]).toEqual([429, 'rate_limited']);
    expect(refused.json.error?.details).toEqual([
      {
        code: 'rate_limited',
        message: 'The limit trade_writes is 1 requests in 86400 s.',
        policy: 'trade_writes',
      },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
    expect(listOf(refused, 'ratelimit')).toMatchObject({ general: { r: 599 }, trade_writes: { r: 0 } });
    // The rejected request was not counted elsewhere.
    expect(left(await send(api, 'GET', '/v1/notes', { headers: TRADER }))).toBe(598);
  });

  it('has to wait at least one second', async () => {
    const api = await start({ rateLimits: limitsOf({ requests: 1, seconds: 1 }) });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(api, 'GET', '/v1/notes', { headers: READER })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
  });
});

describe('the address', () => {
  it('is charged for public operations and failed credentials', async () => {
    const api = await start({ rateLimits: limitsOf(day(10)) });
    expect(left(await send(api, 'GET', '/v1/ping'))).toBe(9);
    expect(left(await send(api, 'GET', '/v1/notes'))).toBe(8);
    expect(left(await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } }))).toBe(7);
    expect(left(await send(api, 'GET', '/v1/notes?token=1', { headers: READER }))).toBe(6);
    expect(left(await send(api, 'GET', '/v1/notes', { headers: READER }))).toBe(9);
    expect(left(await send(api, 'GET', '/v1/ping'))).toBe(5);
  });

  it('is charged for a failed credential only in the general limit', async () => {
    const api = await start({ rateLimits: limitsOf(day(10)) });
    const failed = await send(api, 'POST', '/v1/notes/n1/touch', { headers: { 'x-api-key': 'no' } });
    expect(listOf(failed, 'ratelimit-policy')).toEqual({ general: { q: 10, w: 86_400 } });
  });

  it('is shared by callers with separate credential limits', async () => {
    const api = await start({ rateLimits: limitsOf(day(3)) });
    for (let i = 0; i < 3; i++)
      expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(429);
    expect((await send(api, 'GET', '/v1/notes', { headers: TRADER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/ping')).status).toBe(200);
  });

  it('without remaining quota is rejected before credentials are checked', async () => {
    const api = await start({ rateLimits: limitsOf(day(5)) });
    for (let i = 0; i < 5; i++) await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } });
    const seen = api.behaviour.seen.length;
    const refused = await send(api, 'GET', '/v1/notes', { headers: READER });
    expect([refused.status, left(refused)]).toEqual([429, 0]);
    expect(api.behaviour.seen).toHaveLength(seen);
  });

  it('is the /64 network of an IPv6 address', async () => {
    const api = await start({ rateLimits: limitsOf(day(2)), trustedProxies: ['127.0.0.1'] });
    const from = (address: string) =>
      send(api, 'GET', '/v1/ping', { headers: { 'x-forwarded-for': address } });
    expect(left(await from('2001:db8:1:2::1'))).toBe(1);
    expect(left(await from('2001:db8:1:2:3:4:5:6'))).toBe(0);
    expect((await from('2001:db8:1:2:ffff::'))?.status).toBe(429);
    expect(left(await from('2001:db8:1:3::1'))).toBe(1);
    expect(left(await from('203.0.113.1'))).toBe(1);
    expect(left(await from('::ffff:203.0.113.1'))).toBe(0);
  });
});

describe('1,000 concurrent requests to two processes', () => {
  const random = () => randomBytes(8).toString('hex');
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
  ])('of one %s succeed exactly as often as the limit allows', async (_whose, credentials) => {
    const credentialIds = random();
    const address = `2001:db8:${random().match(/.{4}/g)!.slice(0, 2).join(':')}::1`;
    const apis = await Promise.all(
      clients.map((redis) =>
        start({
          rateLimits: { ...AMPLE_RATE_LIMITS, general: day(20) },
          rateLimitsIn: { redis, credentialIds },
          trustedProxies: ['127.0.0.1'],
        }),
      ),
    );
    const path = 'x-api-key' in credentials ? '/v1/notes' : '/v1/ping';
    const headers = { ...credentials, 'x-forwarded-for': address };
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => send(apis[i % 2]!, 'GET', path, { headers })),
    );
    const counts = { 200: 0, 429: 0 };
    for (const { status } of answers) counts[status as 200 | 429]++;
    expect(counts).toEqual({ 200: 20, 429: 980 });
  });
});
