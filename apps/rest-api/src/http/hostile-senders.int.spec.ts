/** Tests that the server rejects malformed, oversized and slow requests, and that they do not affect other callers. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type NotesApi, sendJson, startNotesApi } from '../../test/notes-api.js';
import { send, sendBytes } from '../../test/send.js';

let api: NotesApi;
beforeAll(async () => {
  api = await startNotesApi();
});
afterAll(() => api.close());

const statuses = (received: string) => received.match(/^HTTP\/1\.1 \d+/gm)?.map((line) => line.slice(9));
const codeOf = (received: string) => /"code":"(\w+)"/.exec(received)?.[1];

describe('the request line and the headers', () => {
  it('are accepted with a target of up to 8 KiB, and rejected with a longer one', async () => {
    const target = (length: number) => '/v1/ping?'.padEnd(length, 'x');
    // The length is checked before the parameters, so this error about a parameter shows that the length is accepted.
    const fits = await send(api, 'GET', target(8_192));
    expect([fits.status, fits.json.error?.code]).toEqual([400, 'invalid_query']);
    expect(fits.json.error?.message).not.toContain('8192');
    const tooLong = await send(api, 'GET', target(8_193));
    expect([tooLong.status, tooLong.json.error?.message]).toEqual([
      400,
      'The request target exceeds 8192 bytes. Shorten the path or the query string.',
    ]);
  });

  it('are accepted up to 16 KiB in total, and rejected above that', async () => {
    const request = (length: number) =>
      `GET /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: ${'x'.repeat(length)}\r\n\r\n`;
    expect(statuses(await sendBytes(api, request(15_000)))).toEqual(['200']);
    expect(statuses(await sendBytes(api, request(16_400)))).toEqual(['431']);
  });
});

describe('a JSON body', () => {
  const nested = (depth: number) => `{"name":"x","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const keys = (count: number) =>
    `{"name":"x","more":{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}}`;
  const items = (count: number) => `{"name":"x","more":[${Array.from({ length: count }, () => '0').join()}]}`;

  it.each([
    ['32 levels', nested(32), 201],
    ['33 levels', nested(33), 400],
    ['200,000 levels', `{"name":"x","more":${'['.repeat(200_000)}`, 400],
    ['1,000 keys', keys(1_000), 201],
    ['1,001 keys', keys(1_001), 400],
    ['1,000 items', items(1_000), 201],
    ['1,001 items', items(1_001), 400],
    ['a key twice', '{"name":"x","name":"y"}', 400],
    ['__proto__', '{"name":"x","more":{"__proto__":{"polluted":1}}}', 400],
    ['an escaped __proto__', '{"name":"x","more":{"\\u005f_proto__":{"polluted":1}}}', 400],
    ['constructor', '{"name":"x","more":{"constructor":{"prototype":{"polluted":1}}}}', 400],
    ['prototype', '{"name":"x","more":{"prototype":{"polluted":1}}}', 400],
    ['NaN', '{"name":"x","more":NaN}', 400],
    ['U+0000', '{"name":"a\\u0000"}', 422],
    ['a lone surrogate', '{"name":"a\\ud800"}', 422],
  ])('with %s results in the expected status', async (_content, body, status) => {
    const response = await sendJson(api, 'POST', '/v1/notes', body);
    expect(response.status).toBe(status);
    if (status === 400) expect(response.json.error?.code).toBe('malformed_json');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('request smuggling', () => {
  const head =
    'POST /v1/notes HTTP/1.1\r\nhost: x\r\nx-api-key: trader\r\ncontent-type: application/json\r\n';
  const smuggled = 'GET /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n';

  it.each([
    [
      'a length and chunks',
      `${head}content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'chunks and a length',
      `${head}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n5c\r\n${smuggled}0\r\n\r\n`,
    ],
    ['two lengths', `${head}content-length: 0\r\ncontent-length: 40\r\n\r\n${smuggled}`],
    ['an invalid length', `${head}content-length: +0\r\n\r\n${smuggled}`],
    ['an encoding that only looks chunked', `${head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['chunked twice', `${head}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a space before the colon', `${head}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['a folded header', `${head}x-a: 1\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
    ['bare line feeds', `POST /v1/notes HTTP/1.1\nhost: x\ncontent-length: 0\n\n${smuggled}`],
    ['no host', `GET /v1/ping HTTP/1.1\r\n\r\n${smuggled}`],
  ])('by %s gets one 400 and no response to the smuggled request', async (_trick, bytes) => {
    const received = await sendBytes(api, bytes);
    expect(statuses(received)).toEqual(['400']);
  });
});

describe('the Host header', () => {
  const request = (headers: string, line = 'GET /v1/ping HTTP/1.1') => `${line}\r\n${headers}\r\n`;

  it.each([
    ['that is missing', request('')],
    ['that is missing beside an absolute target', request('', 'GET http://x/v1/ping HTTP/1.1')],
    ['that is missing before an unknown path', request('', 'GET /nowhere HTTP/1.1')],
    ['that is missing before a body', `${request('content-length: 9\r\n', 'POST /v1/notes HTTP/1.1')}{"a":`],
    ['that is sent twice', request('host: x\r\nHost: x\r\n')],
    ['with a path', request('host: x/y\r\n')],
    ['with a user', request('host: user@x\r\n')],
    ['with a port that is not a number', request('host: x:80a\r\n')],
    ['with a port above 65535', request('host: x:65536\r\n')],
    ['with a port above 65535 of an address', request('host: [::1]:99999999\r\n')],
    ['with a port above 65535 in the target', request('host: x\r\n', 'GET http://x:65536/v1/ping HTTP/1.1')],
  ])('%s gets one 400 in the published format, and the connection ends', async (_fault, bytes) => {
    const received = await sendBytes(api, bytes);
    expect(statuses(received)).toEqual(['400']);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const requestId = /^x-request-id: (.+)$/m.exec(head)?.[1]?.trim();
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error: { code: 'malformed_json', message: expect.stringMatching(/host/i), request_id: requestId },
    });
  });

  it.each(['x', 'x:', 'x:443', 'x:65535', '127.0.0.1:80', '[::1]:80', ''])('can be %j', async (host) => {
    const received = await sendBytes(api, request(`host: ${host}\r\nconnection: close\r\n`));
    expect(statuses(received)).toEqual(['200']);
  });

  it('may be missing in HTTP/1.0', async () => {
    expect(statuses(await sendBytes(api, request('', 'GET /v1/ping HTTP/1.0')))).toEqual(['200']);
  });
});

describe('the Expect header', () => {
  const request = (expectation: string, line = 'POST /v1/notes HTTP/1.1') =>
    `${line}\r\nhost: x\r\nx-api-key: trader\r\ncontent-type: application/json\r\ncontent-length: 12\r\nconnection: close\r\nexpect: ${expectation}\r\n\r\n{"name":"x"}`;

  it.each([
    ['of a known route', 'POST /v1/notes HTTP/1.1'],
    ['of an unknown route', 'POST /nowhere HTTP/1.1'],
  ])('%s with an unknown expectation gets 417 in the published format', async (_case, line) => {
    const received = await sendBytes(api, request('foo', line));
    expect(statuses(received)).toEqual(['417']);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const requestId = /^x-request-id: (.+)$/m.exec(head)?.[1]?.trim();
    expect(requestId).toMatch(/./);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: {
        code: 'malformed_json',
        message: expect.stringContaining('Expect'),
        request_id: requestId,
      },
    });
  });

  it('with 100-continue gets the permission to send the body, then the response', async () => {
    expect(statuses(await sendBytes(api, request('100-continue')))).toEqual(['100', '201']);
  });

  it('is ignored in HTTP/1.0', async () => {
    expect(statuses(await sendBytes(api, request('foo', 'POST /v1/notes HTTP/1.0')))).toEqual(['201']);
  });
});

describe('header injection', () => {
  it.each(['a\r\nset-cookie: x=1', 'a\nset-cookie: x=1', 'a\0b'])(
    'by the request id %j has no effect',
    async (value) => {
      const received = await sendBytes(
        api,
        `GET /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-request-id: ${value}\r\n\r\n`,
      );
      expect(['200', '400']).toEqual(expect.arrayContaining(statuses(received) ?? ['none']));
      expect(received).not.toMatch(/^set-cookie/im);
    },
  );

  it('by a path has no effect, because the path is escaped in the Link header', async () => {
    const target = '/notes/%0d%0aset-cookie:x=1';
    const response = await send(api, 'GET', target, { headers: { 'x-api-key': 'reader' } });
    expect(response.headers['set-cookie']).toBeUndefined();
    expect(response.headers.link).toBe('</v1/notes/%0d%0aset-cookie:x=1>; rel="successor-version"');
  });
});

describe('a connection', () => {
  it('serves at most the maximum number of requests, and the last response announces its close', async () => {
    const limited = await startNotesApi({ serverLimits: { requestsPerSocketMax: 3 } });
    const socket = connect(limited.port, '127.0.0.1');
    try {
      const responses: string[] = [];
      for (let i = 0; i < 4; i++) {
        socket.write('GET /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n');
        responses.push(String((await once(socket, 'data'))[0]));
      }
      expect(responses.map((response) => statuses(response)?.[0])).toEqual(['200', '200', '200', '503']);
      expect(responses.slice(0, 3).map((response) => /^connection: (\S+)/im.exec(response)?.[1])).toEqual([
        'keep-alive',
        'keep-alive',
        'close',
      ]);
    } finally {
      socket.destroy();
      await limited.close();
    }
  });

  it('is closed with 408 if it does not complete its request in time, and blocks no other client', async () => {
    const limited = await startNotesApi({
      serverLimits: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000, checkEveryMs: 50 },
    });
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < 200; i++) {
        const socket = connect(limited.port, '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(
          i % 2 === 0
            ? 'GET /v1/ping HTTP/1.1\r\nhost:'
            : 'POST /v1/notes HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{',
        );
        sockets.push(socket);
      }
      const ended = Promise.all(
        sockets.map(async (socket) => {
          let received = '';
          socket.on('data', (bytes) => {
            received += bytes;
          });
          await once(socket, 'close');
          return received;
        }),
      );
      expect((await send(limited, 'GET', '/v1/ping')).status).toBe(200);
      for (const received of await ended) {
        expect(statuses(received)).toEqual(['408']);
        expect(codeOf(received)).toBe('malformed_json');
      }
    } finally {
      for (const socket of sockets) socket.destroy();
      await limited.close();
    }
  });
});
