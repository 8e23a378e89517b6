import {
  ApiError,
  ConnectionError,
  InternalServerError,
  UnexpectedAnswerError,
} from '../../src/core/errors.js';
import { Client, type ClientOptions, type Page } from '../../src/index.js';
import { clientOf, order, signer } from './clients.js';
import {
  API_KEY,
  errorOutcome,
  FaultyApi,
  loseResponse,
  respondsWith,
  truncateResponse,
} from './faulty-api.js';

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

const html = { 'content-type': 'text/html' };
const newClient = (options = {}) =>
  new Client({ baseURL: api.origin, apiKey: API_KEY, logLevel: 'off', ...options });

describe('a response that is not from the API', () => {
  it('is reported and not retried', async () => {
    api.faults.push(respondsWith({ status: 200, headers: html, body: '<h1>Sign in to the Wi-Fi</h1>' }));
    const error = await clientOf(api)
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      'The response is not from the API: status 200, text/html. Call asResponse() to read it.',
    );
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ['JSON of another service', '{"status":"ok"}'],
    ['null', 'null'],
    ['a string', '"hello"'],
  ])('is rejected as a record and as a list: %s', async (_, body) => {
    const { me, trades } = clientOf(api);
    api.faults.push(respondsWith({ status: 200, body }), respondsWith({ status: 200, body }));
    await expect(me.get()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(trades.list()).rejects.toBeInstanceOf(UnexpectedAnswerError);
  });

  it.each([
    ['a page of a proxy', '<h1>Bad gateway</h1>'],
    ['an empty body', ''],
    ['JSON of another service', '{"error":"text"}'],
    ['null', 'null'],
  ])('is an error with the code unknown if it has the status 502: %s', async (_, body) => {
    api.faults.push(respondsWith({ status: 502, headers: html, body }));
    const error = await clientOf(api, { maxRetries: 0 })
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ code: 'unknown', details: [], docUrl: undefined });
    expect(error.message).toBe('The server responded with 502 and no message.');
  });

  it('but resembles an API error has only those error details that are objects', async () => {
    api.faults.push(
      respondsWith(errorOutcome(422, 'validation_failed', [null, 'x', { field: 7 }] as object[])),
    );
    await expect(clientOf(api).me.get()).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 7 }],
    });
  });
});

it('a truncated response that a proxy passes on as complete is a connection error', async () => {
  api.faults.push(truncateResponse);
  await expect(clientOf(api, { maxRetries: 0 }).me.get()).rejects.toThrow(
    new ConnectionError('The response is truncated or not valid JSON.'),
  );
});

describe('credentials are sent only to one origin', () => {
  it.each([301, 302, 303, 307, 308])('a redirect with status %d is not followed', async (status) => {
    const otherOrigin = await FaultyApi.start();
    api.faults.push(
      respondsWith({ status, headers: { location: `${otherOrigin.origin}/v1/me` }, body: '<a>Moved</a>' }),
    );
    await expect(clientOf(api, { signer }).me.get()).rejects.toThrow(
      `${api.origin} redirects, and credentials are not sent to other origins`,
    );
    expect([api.requests.length, otherOrigin.requests.length]).toEqual([1, 0]);
    await otherOrigin.stop();
  });

  it.each(['v1/me', '.example.com/v1/me', '@example.com/', ':81/v1/me', ''])(
    'the path %j is rejected, because it does not start with a slash',
    async (path) => {
      await expect(newClient().get(path)).rejects.toBeInstanceOf(TypeError);
      expect(api.requests).toEqual([]);
    },
  );

  it.each(['//example.com/v1/me', '/\\example.com', '/v1/../v1/me', '/v1/me?a=b c&d=é#part', "/v1/it's"])(
    'the path %j is sent exactly as it was signed',
    async (path) => {
      await newClient({ apiKey: undefined, signer }).get(path);
      expect(api.requests).toHaveLength(1);
    },
  );

  it('headers of the caller cannot replace credentials, regardless of upper and lower case', async () => {
    const mine = { 'X-API-KEY': 'mine', 'x-svc-sig': 'mine', 'X-Trace': 'sent' };
    await newClient({ defaultHeaders: mine }).get('/v1/me', {}, { headers: { 'X-Api-Key': 'mine' } });
    expect(api.requests[0]!.headers).toMatchObject({ 'x-api-key': API_KEY, 'x-trace': 'sent' });
    await newClient({ apiKey: undefined, signer, defaultHeaders: mine }).get('/v1/me');
    expect(api.requests).toHaveLength(2);
  });
});

describe('a response', () => {
  it('is returned together with its data by withResponse', async () => {
    const { data, response, requestId } = await clientOf(api).me.get().withResponse();
    expect(await response.json()).toEqual({ success: true, data });
    expect([response.status, requestId]).toEqual([200, 'req_of_header']);
  });

  it('is returned complete by asResponse, even if it is not JSON', async () => {
    api.faults.push(respondsWith({ status: 200, headers: html, body: '<h1>Docs</h1>' }));
    const response = await newClient().get('/docs').asResponse();
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/html',
      '<h1>Docs</h1>',
    ]);
  });

  it('without a body has undefined data', async () => {
    const noContent = respondsWith({ status: 204, body: '' });
    api.faults.push(noContent, noContent);
    expect(await newClient().delete('/v1/x')).toBeUndefined();
    expect((await newClient().delete('/v1/x').asResponse()).status).toBe(204);
  });

  it('is requested only once, even if its promise is awaited repeatedly', async () => {
    const call = clientOf(api).me.get();
    await Promise.all([call, call, call.withResponse(), call.asResponse(), call.finally(() => undefined)]);
    expect(api.requests).toHaveLength(1);
    const list = clientOf(api).trades.list();
    expect(await list).toBe(await list);
  });

  it('of a list has the first page as its data', async () => {
    api.createTrade('one');
    const { data, response } = await clientOf(api).trades.list().withResponse();
    const page: Page<{ id: string }> = data;
    expect(page.data.map(({ id }) => id)).toEqual(['trd_1']);
    expect(await response.json()).toMatchObject({ data: [{ id: 'trd_1' }] });
  });

  it('with an error status makes every method of its promise throw', async () => {
    const call = () => {
      api.faults.push(respondsWith(errorOutcome(404, 'not_found')));
      return clientOf(api).me.get();
    };
    await expect(call().asResponse()).rejects.toBeInstanceOf(ApiError);
    await expect(call().withResponse()).rejects.toBeInstanceOf(ApiError);
    await expect(call().catch((error) => error.code)).resolves.toBe('not_found');
  });
});

describe('content that is newer than this SDK is passed on', () => {
  it('as unknown fields and values of a record', async () => {
    const newer = { id: 'trd_1', status: 'HALTED', venue_note: { level: 3 } };
    api.faults.push(
      respondsWith({ status: 200, body: JSON.stringify({ success: true, data: newer, meta: 1 }) }),
    );
    expect(await clientOf(api).trades.get('trd_1')).toEqual(newer);
  });

  it('as an unknown error code and status', async () => {
    api.faults.push(respondsWith(errorOutcome(418, 'teapot')));
    await expect(clientOf(api).me.get()).rejects.toMatchObject({
      name: 'ApiError',
      status: 418,
      code: 'teapot',
    });
  });
});

describe('a browser', () => {
  /** Headers that the API allows pages of other origins to send; `accept` needs no permission. */
  const ALLOWED =
    /^(accept|content-type|idempotency-key|last-event-id|x-api-key|x-svc-(pubkey|timestamp|nonce|sig))$/;

  it('sends only headers that a preflight allows, also on a retry', async () => {
    Object.assign(globalThis, { document: {} });
    const names = new Set<string>();
    const recordingFetch: ClientOptions['fetch'] = (url, init) => {
      for (const [name] of new Headers(init.headers)) names.add(name);
      return fetch(url, init);
    };
    try {
      for (const options of [{}, { signer }]) {
        api.faults.push(loseResponse);
        const { trades, events } = clientOf(api, { ...options, fetch: recordingFetch });
        await trades.create(order('one'));
        api.events.push('{}');
        await events.stream({}, { lastEventId: 'evt_0' }).next();
      }
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
    expect(names.size).toBe(9);
    expect([...names].filter((name) => !ALLOWED.test(name))).toEqual([]);
  });
});

describe("a caller's fetch", () => {
  it('sends every attempt, and its errors are connection errors', async () => {
    const urls: string[] = [];
    const broken = new TypeError('undefined is not a function');
    const client = clientOf(api, {
      fetch: async (url, init) => {
        urls.push(url);
        if (urls.length === 1) throw broken;
        return fetch(url, init);
      },
    });
    await client.me.get();
    expect(urls).toEqual([`${api.origin}/v1/me`, `${api.origin}/v1/me`]);
    const failing = clientOf(api, { maxRetries: 0, fetch: () => Promise.reject(broken) });
    const error = await failing.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      cause: broken,
      message: `No response from ${api.origin}: undefined is not a function`,
    });
  });

  it.each([undefined, null, 'text', 7])('that throws %j causes a connection error', async (thrown) => {
    const client = clientOf(api, { maxRetries: 0, fetch: () => Promise.reject(thrown) });
    await expect(client.me.get()).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a signer that fails', () => {
  it('rejects the call with its error, or with a TypeError for an invalid signature, and nothing is sent', async () => {
    const locked = new Error('the keyring is locked');
    const failing = { ...signer, sign: () => Promise.reject(locked) };
    await expect(clientOf(api, { signer: failing }).me.get()).rejects.toBe(locked);
    const invalid = { ...signer, sign: () => new Uint8Array(70) };
    await expect(clientOf(api, { signer: invalid }).me.get()).rejects.toBeInstanceOf(TypeError);
    expect(api.requests).toEqual([]);
  });
});

describe('an unawaited promise', () => {
  // Jest fails a test if a rejection is unhandled at the end of a tick.
  const waitForTicks = async () => {
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
  };
  const notFound = () => new Response(errorOutcome(404, 'not_found').body, { status: 404 });
  const failing = () => clientOf(api, { fetch: async () => notFound() });

  it('of a list throws only when it is iterated or awaited', async () => {
    const list = failing().trades.list();
    await waitForTicks();
    const iterate = async () => {
      for await (const trade of list) throw new Error(`unexpected item ${trade.id}`);
    };
    await expect(iterate()).rejects.toMatchObject({ code: 'not_found' });
    await expect(list).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a call causes no unhandled rejection if one of its methods is awaited instead', async () => {
    await expect(failing().me.get().asResponse()).rejects.toMatchObject({ code: 'not_found' });
    await expect(failing().me.get().withResponse()).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      failing()
        .me.get()
        .catch(({ code }) => code),
    ).resolves.toBe('not_found');
    await waitForTicks();
  });
});

it('a request whose response was lost is retried, even if only withResponse() is awaited', async () => {
  api.faults.push(loseResponse);
  const { data } = await clientOf(api).trades.create(order('one')).withResponse();
  expect(api.trades).toEqual([data]);
});
