import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listenPublic, openCanary, PUBLIC_ADDRESS } from '../../test/network-fixtures.js';
import { OutboundClient, type OutboundOptions } from './outbound-client.js';

const BODY = Buffer.from('{"event_id":"evt_1"}');
const servers: (Server | TcpServer)[] = [];

async function listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const startReceiver = (handle: RequestListener) => listen(createServer(handle));

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

function post(url: string, options: Partial<OutboundOptions> = {}) {
  const client = new OutboundClient({ allowLoopback: true, timeoutMs: 2_000, ...options });
  return client.post({ url, headers: { 'content-type': 'application/json' }, body: BODY });
}

/** Starts a TCP server that sends `response` to every client and leaves the connection open. Returns its URL. */
async function startRawReceiver(response: string | Buffer): Promise<string> {
  const port = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(response));
    }),
  );
  return `http://127.0.0.1:${port}/`;
}

describe('an outbound call', () => {
  it('sends the body unchanged to the path and query of the URL, with its host name in the Host header', async () => {
    const requests: unknown[] = [];
    const port = await startReceiver((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => {
        const { method, url, headers } = req;
        requests.push({ method, url, host: headers.host, body: Buffer.concat(chunks).toString() });
        res.writeHead(201).end('{"ok":true}');
      });
    });
    const result = await post(`http://localhost:${port}/hook?a=1`);
    expect(result).toEqual({
      statusCode: 201,
      responseTimeMs: expect.any(Number),
      responseBody: '{"ok":true}',
    });
    expect(requests).toEqual([
      { method: 'POST', url: '/hook?a=1', host: `localhost:${port}`, body: BODY.toString() },
    ]);
  });

  it('sends the host name as SNI, not the address', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, callback) => {
        names.push(name);
        callback(new Error('no certificate'));
      },
    });
    server.on('tlsClientError', () => undefined);
    servers.push(server);
    const port = await listenPublic(server);
    const resolve = async () => [PUBLIC_ADDRESS];
    const result = await post(`https://hooks.example.com:${port}/`, { resolve });
    expect(names).toEqual(['hooks.example.com']);
    expect(result.statusCode).toBeUndefined();
    expect(['tls_error', 'reset']).toContain(result.error);
  });

  it('tries the next checked address if the first accepts no connection', async () => {
    const server = createServer((_req, res) => void res.end());
    servers.push(server);
    const port = await listenPublic(server);
    const resolve = async () => ['127.0.0.7', PUBLIC_ADDRESS];
    expect((await post(`http://hooks.example.com:${port}/`, { resolve })).statusCode).toBe(200);
  });

  it('tries at most four addresses of a name', async () => {
    const server = createServer((_req, res) => void res.end());
    servers.push(server);
    const port = await listenPublic(server);
    const resolve = async () => ['127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.8', PUBLIC_ADDRESS];
    const result = await post(`http://hooks.example.com:${port}/`, { resolve });
    expect(result).toMatchObject({ error: 'connect_refused' });
  });

  it.each([
    ['an internal address', ['127.0.0.1']],
    ['a public and an internal address', ['93.184.216.34', '127.0.0.1']],
    ['an IPv6 form of an internal address', ['::ffff:7f00:1']],
  ])('is rejected without a connection if the name resolves to %s', async (_addresses, addresses) => {
    const canary = await openCanary();
    const result = await post(`http://example.com:${canary.port}/`, {
      allowLoopback: false,
      resolve: async () => addresses,
    });
    await canary.close();
    expect(result).toEqual({
      error: 'blocked_address',
      reason: 'blocked_address',
      responseTimeMs: expect.any(Number),
    });
    expect(canary.connections).toBe(0);
  });

  it.each([
    ['http://127.0.0.1/', 'blocked_address'],
    ['http://[::ffff:7f00:1]/', 'blocked_address'],
    ['http://2130706433/', 'blocked_address'],
    ['http://localhost/', 'blocked_address'],
    ['ftp://example.com/', 'invalid_url'],
    ['http://example.com:6379/', 'invalid_url'],
  ])('is rejected if the stored URL is %s', async (url, error) => {
    expect(await post(url, { allowLoopback: false })).toMatchObject({ error });
  });

  it('fails with dns_error if the name has no address', async () => {
    expect(await post('http://example.com/', { resolve: async () => [] })).toMatchObject({
      error: 'dns_error',
    });
    const failing = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
    expect(await post('http://example.com/', { resolve: failing })).toMatchObject({ error: 'dns_error' });
  });

  it('fails with timeout if the name is not resolved within the time limit', async () => {
    const resolve = () => new Promise<string[]>(() => undefined);
    expect(await post('http://example.com/', { resolve, timeoutMs: 100 })).toMatchObject({
      error: 'timeout',
    });
  });
});

describe('a call to a receiver', () => {
  it('that responds with a status outside 2xx fails, and the result contains status and body', async () => {
    const port = await startReceiver((_req, res) => res.writeHead(500).end('no\u0000pe \ufffd'));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
      statusCode: 500,
      error: 'http_status',
      responseBody: 'nope \ufffd',
    });
  });

  it('that never responds fails with timeout at the time limit', async () => {
    const port = await startReceiver(() => undefined);
    const startedAt = performance.now();
    const result = await post(`http://127.0.0.1:${port}/`, { timeoutMs: 300 });
    expect(result).toEqual({
      error: 'timeout',
      reason: 'timeout_in_response',
      responseTimeMs: expect.any(Number),
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295);
  });

  it('that sends 2xx and then hangs succeeds', async () => {
    const port = await startReceiver((_req, res) => {
      res.writeHead(200).write('accepted');
    });
    const result = await post(`http://127.0.0.1:${port}/`, { timeoutMs: 300 });
    expect(result).toMatchObject({ statusCode: 200, responseBody: 'accepted' });
    expect(result.error).toBeUndefined();
  });

  it('that never stops sending reads only the start of the body, and the result contains 1 KiB', async () => {
    let sent = 0;
    let onClosed: () => void;
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    const port = await startReceiver((_req, res) => {
      res.writeHead(200);
      res.on('close', () => onClosed());
      const chunk = 'x'.repeat(64 * 1024);
      const pump = () => {
        while (!res.destroyed && sent < 1e8) {
          sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', pump);
        }
      };
      pump();
    });
    const result = await post(`http://127.0.0.1:${port}/`, { timeoutMs: 10_000 });
    expect(result).toMatchObject({ statusCode: 200, responseBody: 'x'.repeat(1024) });
    await closed;
    expect(sent).toBeLessThan(1e8);
  });

  it('that sends invalid UTF-8 returns an excerpt with replacement characters and no truncated character', async () => {
    const port = await startReceiver((_req, res) =>
      res.end(
        Buffer.concat([Buffer.from([0xff, 0x41]), Buffer.from('b'.repeat(1021)), Buffer.from('é'.repeat(9))]),
      ),
    );
    const { responseBody } = await post(`http://127.0.0.1:${port}/`);
    expect(responseBody).toBe(`\ufffdA${'b'.repeat(1021)}`);
  });

  it('that is not reachable fails with connect_refused', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ error: 'connect_refused' });
  });

  it('that resets the connection fails with reset', async () => {
    const port = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ error: 'reset' });
  });

  it('that does not speak HTTP fails with reset, and one that sends endless headers with response_too_large', async () => {
    expect(await post(await startRawReceiver('hello\n'))).toMatchObject({ error: 'reset' });
    const endless = `HTTP/1.1 200 OK\r\n${'x-fill: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(4000)}`;
    expect(await post(await startRawReceiver(endless))).toMatchObject({ error: 'response_too_large' });
  });

  it('that does not speak TLS on an https URL fails with tls_error', async () => {
    const url = await startRawReceiver('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await post(url.replace('http:', 'https:'))).toMatchObject({ error: 'tls_error' });
  });
});
