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

/** No token comes back within a test. */
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

/** The field as somebody else's parser reads it: `name -> parameters`. */
function listOf({ headers }: TestResponse, name: string) {
  const items = parseList(String(headers[name])).map(([policy, parameters]) => [
    policy,
    Object.fromEntries(parameters as Map<string, unknown>),
  ]);
  return Object.fromEntries(items);
}
const left = (answer: TestResponse) => listOf(answer, 'ratelimit').general?.r;

describe('what an answer tells of the limits', () => {
  it('is the policies and what is left of them, on answers and refusals alike', async () => {
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

  it('names the bucket of the operation too', async () => {
    const api = await start({
      rateLimits: limitsOf(day(600), { trade_writes: { requests: 20, seconds: 1 } }),
    });
    const answer = await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}');
    expect(answer.headers['ratelimit-policy']).toBe('"general";q=600;w=86400, "trade_writes";q=20;w=1');
    expect(answer.headers.ratelimit).toBe('"general";r=599;t=144, "trade_writes";r=19;t=1');
  });

  it('is nothing where no limit was asked', async () => {
    const api = await start({});
    const { headers } = await send(api, 'GET', '/v1/nowhere');
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  });
});

describe('a request too many', () => {
  it('is told which limit it met, and how long to wait', async () => {
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
    // What was refused was not counted elsewhere.
    expect(left(await send(api, 'GET', '/v1/notes', { headers: TRADER }))).toBe(598);
  });

  it('waits a second at least', async () => {
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
  it('pays for what nobody can be held to: public operations and credentials that fail', async () => {
    const api = await start({ rateLimits: limitsOf(day(10)) });
    expect(left(await send(api, 'GET', '/v1/ping'))).toBe(9);
    expect(left(await send(api, 'GET', '/v1/notes'))).toBe(8);
    expect(left(await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } }))).toBe(7);
    expect(left(await send(api, 'GET', '/v1/notes?token=1', { headers: READER }))).toBe(6);
    expect(left(await send(api, 'GET', '/v1/notes', { headers: READER }))).toBe(9);
    expect(left(await send(api, 'GET', '/v1/ping'))).toBe(5);
  });

  it('pays for a failed credential by the general limit alone', async () => {
    const api = await start({ rateLimits: limitsOf(day(10)) });
    const failed = await send(api, 'POST', '/v1/notes/n1/touch', { headers: { 'x-api-key': 'no' } });
    expect(listOf(failed, 'ratelimit-policy')).toEqual({ general: { q: 10, w: 86_400 } });
  });

  it('is shared by callers who do not use up each other’s', async () => {
    const api = await start({ rateLimits: limitsOf(day(3)) });
    for (let i = 0; i < 3; i++)
      expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/notes', { headers: READER })).status).toBe(429);
    expect((await send(api, 'GET', '/v1/notes', { headers: TRADER })).status).toBe(200);
    expect((await send(api, 'GET', '/v1/ping')).status).toBe(200);
  });

  it('that is used up is refused before its credentials are looked at', async () => {
    const api = await start({ rateLimits: limitsOf(day(5)) });
    for (let i = 0; i < 5; i++) await send(api, 'GET', '/v1/notes', { headers: { 'x-api-key': 'no' } });
    const seen = api.behaviour.seen.length;
    const refused = await send(api, 'GET', '/v1/notes', { headers: READER });
    expect([refused.status, left(refused)]).toEqual([429, 0]);
    expect(api.behaviour.seen).toHaveLength(seen);
  });

  it('is the /64 of an IPv6 one', async () => {
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

describe('1,000 requests at once, to two processes', () => {
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
  ])('of one %s get exactly as many through as the limit is', async (_whose, credentials) => {
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
