/** Tests that a failed call names its reason, with real servers that have one defect each. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttp2Server, createSecureServer as createSecureHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { DELIVERY_REASONS, type DeliveryReason, deliveryErrorOf } from '@trading-automation/contracts';
import { type Certificates, makeCertificates } from '../../test/certificates.js';
import { OutboundClient, type OutboundOptions } from './outbound-client.js';

let certificates: Certificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});

const servers = new Set<Server>();
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))));
  servers.clear();
});

/** Starts a server on a free port of localhost. Returns its URL with `scheme`. */
async function start(server: Server, scheme: 'http' | 'https'): Promise<string> {
  servers.add(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `${scheme}://localhost:${(server.address() as AddressInfo).port}/hook`;
}

async function post(url: string, options: Partial<OutboundOptions> = {}) {
  const client = new OutboundClient({
    allowLoopback: true,
    timeoutMs: 20_000,
    authorities: [certificates.authority],
    ...options,
  });
  try {
    return await client.post({ url, headers: {}, body: Buffer.from('{}') });
  } finally {
    client.close();
  }
}

const ok = (_request: unknown, response: { end(): unknown }) => void response.end();
const tls = (options: TlsOptions) => start(createTlsServer(options), 'https');
/** Sends `bytes` to each client once it has sent something. */
const answering = (bytes: string) =>
  createTcpServer((socket) => void socket.once('data', () => socket.write(bytes)));

const SERVERS: readonly [reason: DeliveryReason, open: () => Promise<string>][] = [
  ['certificate_self_signed', () => tls(certificates.selfSigned)],
  ['certificate_expired', () => tls(certificates.expired)],
  ['certificate_name_mismatch', () => tls(certificates.otherName)],
  ['tls_not_spoken', () => start(createServer(ok), 'https')],
  // A TLS alert with the description `unexpected message`, as HAProxy and others send it.
  ['tls_expected', () => start(answering('\u0015\u0003\u0001\u0000\u0002\u0002\u000a'), 'http')],
  ['closed_without_response', () => start(createHttpsServer(certificates.valid, ok), 'http')],
  ['http2_only', () => start(createSecureHttp2Server(certificates.valid, ok), 'https')],
  ['http2_response', () => start(createHttp2Server(ok), 'http')],
  [
    'tls_version_unsupported',
    () =>
      tls({ ...certificates.valid, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
  ],
  [
    'tls_no_common_cipher',
    () => tls({ ...certificates.valid, maxVersion: 'TLSv1.2', ciphers: 'PSK-AES128-GCM-SHA256' }),
  ],
  [
    'closed_in_tls_handshake',
    () =>
      start(
        createTcpServer((socket) => void socket.once('data', () => socket.end())),
        'https',
      ),
  ],
  [
    'closed_without_response',
    () =>
      start(
        createTcpServer((socket) => void socket.once('data', () => socket.end())),
        'http',
      ),
  ],
  [
    'reset',
    () =>
      start(
        createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
        'http',
      ),
  ],
  ['not_http', () => start(answering('220 mail.example.com ESMTP\r\n'), 'http')],
  [
    'unexpected_upgrade',
    () =>
      start(
        answering('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        'http',
      ),
  ],
  [
    'response_headers_too_large',
    () => start(answering(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`), 'http'),
  ],
  [
    'redirect_not_followed',
    () =>
      start(
        createServer((_request, response) => response.writeHead(308, { location: '/new' }).end()),
        'http',
      ),
  ],
  [
    'http_status',
    () =>
      start(
        createServer((_request, response) => response.writeHead(404).end()),
        'http',
      ),
  ],
];

describe('the reason for a failed call', () => {
  it.each(SERVERS)('is %s for a receiver with this defect', async (reason, open) => {
    const result = await post(await open());
    expect(result).toMatchObject({ error: deliveryErrorOf(reason), reason });
    expect(DELIVERY_REASONS).toContain(result.reason);
  });

  it('is certificate_untrusted for a certificate of an authority that is not public', async () => {
    const url = await tls(certificates.valid);
    expect(await post(url, { authorities: [] })).toMatchObject({
      error: 'tls_error',
      reason: 'certificate_untrusted',
    });
  });

  it.each([
    ['ENOTFOUND', 'dns_name_not_found'],
    ['ENODATA', 'dns_no_address'],
    ['ESERVFAIL', 'dns_server_failure'],
    ['ETIMEOUT', 'dns_server_timeout'],
    ['EBADRESP', 'dns_error'],
  ])('is derived from the error %s of a look-up: %s', async (code, reason) => {
    const resolve = () => Promise.reject(Object.assign(new Error(code), { code }));
    expect(await post('http://hooks.example.com/', { resolve })).toMatchObject({
      error: 'dns_error',
      reason,
    });
  });

  it.each([
    ['timeout_in_dns', () => Promise.resolve('http://hooks.example.com/')],
    ['timeout_in_tls_handshake', () => start(createTcpServer(), 'https')],
    ['timeout_in_response', () => start(createTcpServer(), 'http')],
  ] as const)('is %s if the attempt was in this phase at its time limit', async (reason, open) => {
    const resolve = () => new Promise<string[]>(() => undefined);
    expect(await post(await open(), { resolve, timeoutMs: 500 })).toMatchObject({ error: 'timeout', reason });
  });
});

describe('interim responses', () => {
  const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';

  it.each([
    ['one 100 Continue', CONTINUE + FINAL],
    ['several interim responses', CONTINUE + HINTS + CONTINUE + FINAL],
    ['100 Continue with headers', `HTTP/1.0 100\r\nx-a: b\r\n\r\n${FINAL}`],
    ['none', FINAL],
  ])('before a response are ignored: %s', async (_case, bytes) => {
    expect(await post(await start(answering(bytes), 'http'))).toEqual({
      statusCode: 200,
      responseTimeMs: expect.any(Number),
      responseBody: 'ok',
    });
  });

  it('are ignored when their bytes arrive one by one, and for each request on a connection', async () => {
    const bytes = CONTINUE + HINTS + FINAL;
    const server = createTcpServer((socket) => {
      socket.setNoDelay(true);
      socket.on('data', async () => {
        for (const byte of bytes) {
          socket.write(byte);
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    });
    const url = await start(server, 'http');
    const client = new OutboundClient({ allowLoopback: true, timeoutMs: 20_000, idleMs: 20_000 });
    for (let call = 0; call < 3; call++) {
      const result = await client.post({ url, headers: {}, body: Buffer.from('{}') });
      expect(result).toMatchObject({ statusCode: 200, responseBody: 'ok' });
    }
    client.close();
    expect(sockets.size).toBe(1);
  });

  it('do not hide the end of the connection: one without a final response is a failure', async () => {
    const server = createTcpServer((socket) => void socket.once('data', () => socket.end(CONTINUE)));
    expect(await post(await start(server, 'http'))).toMatchObject({
      error: 'reset',
      reason: 'closed_without_response',
    });
  });
});
