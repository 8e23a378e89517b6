import { type NotesApi, READER, sendJson, startNotesApi, TRADER } from '../../test/notes-api.js';
import { codeOf, JSON_TYPE, send, sendBytes } from '../../test/send.js';

let api: NotesApi;
beforeAll(async () => {
  api = await startNotesApi();
});
afterAll(() => api.close());

describe('the body', () => {
  it.each([
    ['with a Content-Length', false],
    ['in chunks', true],
  ])('over 256 KiB that is sent %s is rejected', async (_encoding, chunked) => {
    const { status, json } = await send(api, 'POST', '/v1/notes', { body: 'x'.repeat(300 * 1024), chunked });
    expect([status, json.error?.code]).toEqual([413, 'payload_too_large']);
  });

  it('over 256 KiB that is sent completely keeps the connection open for the next request', async () => {
    const length = 300 * 1024;
    const received = await sendBytes(
      api,
      `POST /v1/notes HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(length)}` +
        'GET /v1/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    );
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('in chunks without an end is rejected once it exceeds the limit', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const received = await sendBytes(
      api,
      `POST /v1/notes HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('of exactly 256 KiB is accepted', async () => {
    const body = `{"name":"x"}`.padEnd(262_144, ' ');
    expect((await sendJson(api, 'POST', '/v1/notes', body)).status).toBe(201);
  });

  it('with a Content-Length over the limit is rejected before its first byte is sent', async () => {
    const received = await sendBytes(
      api,
      'POST /v1/notes HTTP/1.1\r\nhost: x\r\ncontent-length: 400000\r\n\r\n',
    );
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toContain('"code":"payload_too_large"');
  });

  it('reaches the verifier byte for byte, with the target and the headers as they were sent', async () => {
    const body = Buffer.from('{ "name" : "\\u0061\u00e9", "price": 1.0 }');
    await send(api, 'POST', '/v1/notes?dry_run=%74rue', {
      body,
      headers: { 'X-API-Key': 'trader', 'Content-Type': 'application/json', 'X-Twice': ['1', '2'] },
    });
    const seen = api.behaviour.seen.at(-1)!;
    expect(Buffer.from(seen.body).equals(body)).toBe(true);
    expect([seen.method, seen.target, seen.address]).toEqual([
      'POST',
      '/v1/notes?dry_run=%74rue',
      '127.0.0.1',
    ]);
    expect(seen.rawHeaders.join('\n')).toContain(
      'X-API-Key\ntrader\nContent-Type\napplication/json\nX-Twice\n1\nX-Twice\n2',
    );
  });

  it('of a GET is read, verified and validated like that of other methods', async () => {
    const sent = { body: '{"a":1}', headers: { ...READER, ...JSON_TYPE } };
    expect(await codeOf(send(api, 'GET', '/v1/notes', sent))).toEqual([422, 'validation_failed']);
    expect(Buffer.from(api.behaviour.seen.at(-1)!.body).toString()).toBe('{"a":1}');
  });

  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset="UTF-8"', 201],
    ['application/json; profile=x', 201],
    ['application/json; charset=latin1', 415],
    ['application/merge-patch+json', 415],
    ['text/plain', 415],
    ['', 415],
  ])('with the content type %j results in status %i', async (type, status) => {
    const response = await sendJson(api, 'POST', '/v1/notes', '{"name":"x"}', {
      'content-type': type,
    });
    expect(response.status).toBe(status);
  });

  it('with a Content-Encoding is rejected', async () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const { status, json } = await sendJson(api, 'POST', '/v1/notes', '{"name":"x"}', {
        'content-encoding': encoding,
      });
      expect([status, json.error?.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('that is empty counts as missing, regardless of its content type', async () => {
    const touch = await send(api, 'POST', '/v1/notes/n1/touch', { headers: { ...TRADER, ...JSON_TYPE } });
    expect(touch.status).toBe(200);
    const create = await send(api, 'POST', '/v1/notes', { headers: { ...TRADER, ...JSON_TYPE } });
    expect([create.status, create.json.error?.details?.[0]?.code]).toEqual([422, 'required']);
  });

  it('of an operation without a body may be an empty object', async () => {
    expect((await sendJson(api, 'POST', '/v1/notes/n1/touch', '{}')).status).toBe(200);
    expect((await sendJson(api, 'POST', '/v1/notes/n1/touch', '[]')).status).toBe(422);
  });

  it('that is malformed JSON is rejected and does not affect the process', async () => {
    const { status, json } = await sendJson(api, 'POST', '/v1/notes', '{"__proto__":{"polluted":true}}');
    expect([status, json.error?.code]).toEqual([400, 'malformed_json']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const deep = await sendJson(api, 'POST', '/v1/notes', '['.repeat(100_000));
    expect([deep.status, deep.json.error?.code]).toEqual([400, 'malformed_json']);
  });

  it('with invalid fields is rejected; the error names every invalid field and repeats no value', async () => {
    const body = '{"name":"","price":"s3cret","kind":"s3cret","a":1,"b":{"s3cret":1}}';
    const { json, text } = await sendJson(api, 'POST', '/v1/notes', body);
    expect(json.error?.details?.map(({ field, code }) => `${field}:${code}`).sort()).toEqual([
      'a:unknown_field',
      'b:unknown_field',
      'kind:invalid_value',
      'name:too_small',
      'price:not_a_decimal',
    ]);
    expect(text).not.toContain('s3cret');
  });
});

describe('the query', () => {
  it.each([
    ['?no=1', 'no', 'unknown_parameter'],
    ['?limit=1&limit=2', 'limit', 'duplicate'],
    ['?limit=101', 'limit', 'too_big'],
    ['?limit=x', 'limit', 'invalid_type'],
    ['?name=%zz', 'name', 'invalid_encoding'],
    ['?name=%ff', 'name', 'invalid_encoding'],
    ['?name=%00', 'name', 'invalid_encoding'],
    ['?__proto__=1', '__proto__', 'unknown_parameter'],
    ['?sort=price', 'sort', 'invalid_value'],
    ['?cursor=a&offset=1', 'cursor', 'invalid'],
  ])('%s is rejected; the error names the parameter', async (query, field, code) => {
    const { status, json } = await send(api, 'GET', `/v1/notes${query}`, { headers: READER });
    expect([status, json.error?.code]).toEqual([400, 'invalid_query']);
    expect(json.error?.details).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('is parsed and completed with defaults for the controller', async () => {
    await send(api, 'GET', '/v1/notes?name=a+b%2B&limit=7&include=total', { headers: READER });
    expect(api.behaviour.calls.at(-1)!.query).toEqual({
      name: 'a b+',
      limit: 7,
      sort: 'created_at',
      order: 'desc',
      include: ['total'],
    });
  });
});

describe('invalid HTTP', () => {
  it.each([
    [
      'a request with two lengths of the body',
      'POST /v1/ping HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a request with bare line feeds', 'GET /v1/ping HTTP/1.1\nhost: x\n\n', 400],
    [
      'a request with headers over 16 KiB',
      `GET /v1/ping HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    ['a line that is not HTTP', 'hello\r\n\r\n', 400],
  ])('in the form of %s gets an error in the envelope, and is disconnected', async (_name, bytes, status) => {
    const received = await sendBytes(api, bytes);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ success: false, error: { request_id: expect.any(String) } });
  });
});

describe('a sender that is too slow', () => {
  it('gets an error and is disconnected if its headers or body are incomplete', async () => {
    const api = await startNotesApi({
      serverLimits: { headersTimeoutMs: 100, requestTimeoutMs: 200, checkEveryMs: 20 },
    });
    try {
      const responses = await Promise.all([
        sendBytes(api, 'GET /v1/ping HTTP/1.1\r\nhost: x\r\nx-slow: '),
        sendBytes(api, 'POST /v1/notes HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{'),
      ]);
      for (const received of responses) {
        expect(received).toMatch(/^HTTP\/1\.1 408 /);
        expect(received).toContain('"success":false');
      }
    } finally {
      await api.close();
    }
  });
});

describe('the caller’s address', () => {
  it('is the address of the socket, regardless of headers, if no proxy is trusted', async () => {
    await send(api, 'GET', '/v1/notes', { headers: { ...READER, 'x-forwarded-for': '203.0.113.9' } });
    expect(api.behaviour.seen.at(-1)!.address).toBe('127.0.0.1');
  });

  it('is the address that a trusted proxy reports', async () => {
    const api = await startNotesApi({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
    try {
      const addressFor = async (forwarded: string) => {
        await send(api, 'GET', '/v1/notes', { headers: { ...READER, 'x-forwarded-for': forwarded } });
        return api.behaviour.seen.at(-1)!.address;
      };
      expect(await addressFor('203.0.113.9')).toBe('203.0.113.9');
      expect(await addressFor('198.51.100.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
      expect(await addressFor('nonsense')).toBe('127.0.0.1');
    } finally {
      await api.close();
    }
  });
});
