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

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

const html = { 'content-type': 'text/html' };
const clientHere = (options = {}) =>
  new Client({ baseURL: farSide.origin, apiKey: API_KEY, logLevel: 'off', ...options });

describe('a response that is not from the API', () => {
  it('is reported and not retried', async () => {
    farSide.faults.push(respondsWith({ status: 200, headers: html, body: '<h1>Sign in to the Wi-Fi</h1>' }));
    const error = await clientOf(farSide)
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      'The response is not from the API: status 200, text/html. Call asResponse() to read it.',
    );
    expect(farSide.seen).toHaveLength(1);
  });

  it.each([
    ['JSON of another service', '{"status":"ok"}'],
    ['null', 'null'],
    ['a text', '"hello"'],
  ])('%s is neither a record nor a list', async (_, body) => {
    const { me, trades } = clientOf(farSide);
    farSide.faults.push(respondsWith({ status: 200, body }), respondsWith({ status: 200, body }));
    await expect(me.get()).rejects.toBeInstanceOf(UnexpectedAnswerError);
    await expect(trades.list()).rejects.toBeInstanceOf(UnexpectedAnswerError);
  });

  it.each([
    ['a page of a proxy', '<h1>Bad gateway</h1>'],
    ['nothing', ''],
    ['JSON of another service', '{"error":"text"}'],
    ['null', 'null'],
  ])('%s with 502 is a refusal without a code of the API', async (_, body) => {
    farSide.faults.push(respondsWith({ status: 502, headers: html, body }));
    const error = await clientOf(farSide, { maxRetries: 0 })
      .me.get()
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ code: 'unknown', details: [], docUrl: undefined });
    expect(error.message).toBe('The server responded with 502 and no message.');
  });

  it('details of no known form are passed over', async () => {
    farSide.faults.push(
      respondsWith(errorOutcome(422, 'validation_failed', [null, 'x', { field: 7 }] as object[])),
    );
    await expect(clientOf(farSide).me.get()).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 7 }],
    });
  });
});

it('a truncated response that a proxy passes on as complete is a connection error', async () => {
  farSide.faults.push(truncateResponse);
  await expect(clientOf(farSide, { maxRetries: 0 }).me.get()).rejects.toThrow(
    new ConnectionError('The response is truncated or not valid JSON.'),
  );
});

describe('credentials go to one origin alone', () => {
  it.each([301, 302, 303, 307, 308])('a redirect by %d is not followed', async (status) => {
    const elsewhere = await FaultyApi.start();
    farSide.faults.push(
      respondsWith({ status, headers: { location: `${elsewhere.origin}/v1/me` }, body: '<a>Moved</a>' }),
    );
    await expect(clientOf(farSide, { signer }).me.get()).rejects.toThrow(
      `${farSide.origin} redirects, and credentials are not sent to other origins`,
    );
    expect([farSide.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
    await elsewhere.stop();
  });

  it.each(['v1/me', '.example.com/v1/me', '@example.com/', ':81/v1/me', ''])(
    'a path of the caller, %j, leads nowhere else',
    async (path) => {
      await expect(clientHere().get(path)).rejects.toBeInstanceOf(TypeError);
      expect(farSide.seen).toEqual([]);
    },
  );

  it.each(['//example.com/v1/me', '/\\example.com', '/v1/../v1/me', '/v1/me?a=b c&d=é#part', "/v1/it's"])(
    'what is sent of %j is what was signed',
    async (path) => {
      await clientHere({ apiKey: undefined, signer }).get(path);
      expect(farSide.seen).toHaveLength(1);
    },
  );

  it('headers of the caller replace none, in whatever case they are', async () => {
    const mine = { 'X-API-KEY': 'mine', 'x-svc-sig': 'mine', 'X-Trace': 'kept' };
    await clientHere({ defaultHeaders: mine }).get('/v1/me', {}, { headers: { 'X-Api-Key': 'mine' } });
    expect(farSide.seen[0]!.headers).toMatchObject({ 'x-api-key': API_KEY, 'x-trace': 'kept' });
    await clientHere({ apiKey: undefined, signer, defaultHeaders: mine }).get('/v1/me');
    expect(farSide.seen).toHaveLength(2);
  });
});

describe('an answer as it came', () => {
  it('is returned together with its data', async () => {
    const { data, response, requestId } = await clientOf(farSide).me.get().withResponse();
    expect(await response.json()).toEqual({ success: true, data });
    expect([response.status, requestId]).toEqual([200, 'req_of_header']);
  });

  it('is given whole, whatever it is', async () => {
    farSide.faults.push(respondsWith({ status: 200, headers: html, body: '<h1>Docs</h1>' }));
    const response = await clientHere().get('/docs').asResponse();
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'text/html',
      '<h1>Docs</h1>',
    ]);
  });

  it('without a body is no data', async () => {
    const none = respondsWith({ status: 204, body: '' });
    farSide.faults.push(none, none);
    expect(await clientHere().delete('/v1/x')).toBeUndefined();
    expect((await clientHere().delete('/v1/x').asResponse()).status).toBe(204);
  });

  it('is asked for once, however often it is awaited', async () => {
    const asked = clientOf(farSide).me.get();
    await Promise.all([
      asked,
      asked,
      asked.withResponse(),
      asked.asResponse(),
      asked.finally(() => undefined),
    ]);
    expect(farSide.seen).toHaveLength(1);
    const list = clientOf(farSide).trades.list();
    expect(await list).toBe(await list);
  });

  it('of a list is its first page', async () => {
    farSide.make('one');
    const { data, response } = await clientOf(farSide).trades.list().withResponse();
    const page: Page<{ id: string }> = data;
    expect(page.data.map(({ id }) => id)).toEqual(['trd_1']);
    expect(await response.json()).toMatchObject({ data: [{ id: 'trd_1' }] });
  });

  it('that refuses is thrown from each of its forms', async () => {
    const asked = () => {
      farSide.faults.push(respondsWith(errorOutcome(404, 'not_found')));
      return clientOf(farSide).me.get();
    };
    await expect(asked().asResponse()).rejects.toBeInstanceOf(ApiError);
    await expect(asked().withResponse()).rejects.toBeInstanceOf(ApiError);
    await expect(asked().catch((error) => error.code)).resolves.toBe('not_found');
  });
});

describe('what is newer than this SDK passes through', () => {
  it('a member that it does not know, a value that it does not know', async () => {
    const newer = { id: 'trd_1', status: 'HALTED', venue_note: { level: 3 } };
    farSide.faults.push(
      respondsWith({ status: 200, body: JSON.stringify({ success: true, data: newer, meta: 1 }) }),
    );
    expect(await clientOf(farSide).trades.get('trd_1')).toEqual(newer);
  });

  it('a code and a status that it does not know', async () => {
    farSide.faults.push(respondsWith(errorOutcome(418, 'teapot')));
    await expect(clientOf(farSide).me.get()).rejects.toMatchObject({
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

  it('is asked to send no header that a preflight would refuse, not on a retry either', async () => {
    Object.assign(globalThis, { document: {} });
    const names = new Set<string>();
    const noting: ClientOptions['fetch'] = (url, init) => {
      for (const [name] of new Headers(init.headers)) names.add(name);
      return fetch(url, init);
    };
    try {
      for (const options of [{}, { signer }]) {
        farSide.faults.push(loseResponse);
        const { trades, events } = clientOf(farSide, { ...options, fetch: noting });
        await trades.create(order('one'));
        farSide.events.push('{}');
        await events.stream({}, { lastEventId: 'evt_0' }).next();
      }
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
    expect(names.size).toBe(9);
    expect([...names].filter((name) => !ALLOWED.test(name))).toEqual([]);
  });
});

describe('a fetch of the caller', () => {
  it('sends every attempt, and what it throws is a connection that failed', async () => {
    const urls: string[] = [];
    const broken = new TypeError('undefined is not a function');
    const client = clientOf(farSide, {
      fetch: async (url, init) => {
        urls.push(url);
        if (urls.length === 1) throw broken;
        return fetch(url, init);
      },
    });
    await client.me.get();
    expect(urls).toEqual([`${farSide.origin}/v1/me`, `${farSide.origin}/v1/me`]);
    const failing = clientOf(farSide, { maxRetries: 0, fetch: () => Promise.reject(broken) });
    const error = await failing.me.get().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      cause: broken,
      message: `No response from ${farSide.origin}: undefined is not a function`,
    });
  });

  it.each([undefined, null, 'text', 7])('that throws %j is a connection that failed, too', async (thrown) => {
    const client = clientOf(farSide, { maxRetries: 0, fetch: () => Promise.reject(thrown) });
    await expect(client.me.get()).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe('a signer that fails', () => {
  it('is no fault of the connection: what it throws is thrown, and nothing is sent', async () => {
    const locked = new Error('the keyring is locked');
    const failing = { ...signer, sign: () => Promise.reject(locked) };
    await expect(clientOf(farSide, { signer: failing }).me.get()).rejects.toBe(locked);
    const short = { ...signer, sign: () => new Uint8Array(70) };
    await expect(clientOf(farSide, { signer: short }).me.get()).rejects.toBeInstanceOf(TypeError);
    expect(farSide.seen).toEqual([]);
  });
});

describe('an unawaited promise', () => {
  // Jest fails a test during which a rejection was unhandled at the end of a tick.
  const turnsPass = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const refused = () => new Response(errorOutcome(404, 'not_found').body, { status: 404 });
  const failing = () => clientOf(farSide, { fetch: async () => refused() });

  it('of a list is silent until it is iterated, and throws then', async () => {
    const list = failing().trades.list();
    await turnsPass();
    const iterate = async () => {
      for await (const trade of list) throw new Error(`unexpected item ${trade.id}`);
    };
    await expect(iterate()).rejects.toMatchObject({ code: 'not_found' });
    await expect(list).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a call that is looked at by one of its forms alone is handled', async () => {
    await expect(failing().me.get().asResponse()).rejects.toMatchObject({ code: 'not_found' });
    await expect(failing().me.get().withResponse()).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      failing()
        .me.get()
        .catch(({ code }) => code),
    ).resolves.toBe('not_found');
    await turnsPass();
  });
});

it('a lost response is retried, even if the promise is not awaited', async () => {
  farSide.faults.push(loseResponse);
  const { data } = await clientOf(farSide).trades.create(order('one')).withResponse();
  expect(farSide.trades).toEqual([data]);
});
