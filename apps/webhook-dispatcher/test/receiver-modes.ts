/** Provides receivers that misbehave. Each mode of misbehaviour has its own port. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { AttemptResult } from '@trading-automation/core/webhooks';
import type { Certificates } from './certificates.js';

interface Mode {
  /** What the receiver sends, for the title of the test. */
  readonly sends: string;
  readonly outcome: Pick<AttemptResult, 'statusCode' | 'error'>;
  /** The expected excerpt of the response. */
  readonly excerpt?: string | RegExp;
  /** Responds once the first bytes of a request arrive. */
  readonly respond?: (socket: Socket) => void;
  /** The certificate of the port; without one, the port does not use TLS. */
  readonly certificate?: Exclude<keyof Certificates, 'authority'>;
  /** True if the port does not use TLS, although its URL has https. */
  readonly lacksTls?: true;
  /** True if the receiver sends as much as it can. */
  readonly isFlood?: true;
  /** True if the receiver never completes its response. */
  readonly hangs?: true;
}

const OK = { statusCode: 200 };
const STATUS_200 = 'HTTP/1.1 200 OK\r\n';
const EXCERPT_BYTES = 1024;
/** 16 MiB of zeros, compressed. */
const GZIP_BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));
/** Sends `start`, then `part` endlessly, as fast as the client reads. */
const flood = (start: string, part: string) => (socket: Socket) => {
  const chunk = part.repeat(Math.ceil((64 * 1024) / part.length));
  socket.write(start);
  const pump = () => {
    while (!socket.destroyed) if (!socket.write(chunk)) return void socket.once('drain', pump);
  };
  pump();
};
/** Sends `start`, then `part` every 50 ms. */
const drip = (start: string, part: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write(part), 50);
  socket.on('close', () => clearInterval(timer));
};
const sendOnce = (text: string | Buffer) => (socket: Socket) => void socket.write(text);

export const MODES: readonly Mode[] = [
  { sends: 'nothing, at a port that is closed', outcome: { error: 'connect_refused' } },
  { sends: 'a reset', outcome: { error: 'reset' }, respond: (socket) => void socket.resetAndDestroy() },
  { sends: 'a FIN before a response', outcome: { error: 'reset' }, respond: (socket) => void socket.end() },
  { sends: 'nothing', outcome: { error: 'timeout' }, hangs: true, respond: () => undefined },
  {
    sends: 'half a status line',
    outcome: { error: 'timeout' },
    hangs: true,
    respond: sendOnce('HTTP/1.1 20'),
  },
  {
    sends: 'endless headers, slowly',
    outcome: { error: 'timeout' },
    hangs: true,
    respond: drip(STATUS_200, 'x: y\r\n'),
  },
  {
    sends: 'endless 1xx responses, slowly',
    outcome: { error: 'timeout' },
    hangs: true,
    respond: drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  },
  {
    sends: '200 and then nothing',
    hangs: true,
    outcome: OK,
    respond: sendOnce(`${STATUS_200}content-length: 10\r\n\r\n`),
  },
  {
    sends: '500 and then nothing',
    hangs: true,
    outcome: { statusCode: 500, error: 'http_status' },
    respond: sendOnce('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 10\r\n\r\n'),
  },
  {
    sends: '200 and a body byte by byte',
    hangs: true,
    outcome: OK,
    excerpt: /^x{2,}$/,
    respond: drip(`${STATUS_200}content-length: 100000\r\n\r\n`, 'x'),
  },
  {
    sends: '200 and a body that breaks off',
    outcome: OK,
    excerpt: 'half',
    respond: (socket) => void socket.end(`${STATUS_200}content-length: 10\r\n\r\nhalf`),
  },
  {
    sends: 'an endless body',
    outcome: OK,
    excerpt: 'x'.repeat(EXCERPT_BYTES),
    isFlood: true,
    respond: flood(`${STATUS_200}\r\n`, 'x'),
  },
  {
    sends: 'an endless chunked body',
    outcome: OK,
    excerpt: 'x'.repeat(EXCERPT_BYTES),
    isFlood: true,
    respond: flood(`${STATUS_200}transfer-encoding: chunked\r\n\r\n`, '4\r\nxxxx\r\n'),
  },
  {
    sends: 'a body of 5 GB',
    outcome: OK,
    excerpt: 'x'.repeat(EXCERPT_BYTES),
    isFlood: true,
    respond: flood(`${STATUS_200}content-length: 5368709120\r\n\r\n`, 'x'),
  },
  {
    sends: 'an endless chunk extension',
    outcome: OK,
    isFlood: true,
    respond: flood(`${STATUS_200}transfer-encoding: chunked\r\n\r\n1;`, 'e'),
  },
  {
    sends: '100 MB of headers',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood(STATUS_200, `x-fill: ${'y'.repeat(100)}\r\n`),
  },
  {
    sends: 'one header of 100 MB',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood(`${STATUS_200}x-fill: `, 'y'),
  },
  {
    sends: 'an endless status line',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood('HTTP/1.1 200 ', 'O'),
  },
  {
    sends: 'endless blank lines',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood('', '\r\n'),
  },
  {
    sends: 'endless 1xx responses',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  },
  {
    sends: 'endless unrequested 100 Continue responses',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    respond: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  },
  {
    sends: '101 Switching Protocols',
    outcome: { error: 'reset' },
    respond: sendOnce(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    ),
  },
  {
    sends: 'invalid UTF-8',
    outcome: OK,
    excerpt: 'a\ufffd(b',
    respond: sendOnce(
      Buffer.concat([
        Buffer.from(`${STATUS_200}content-length: 4\r\n\r\na`),
        Buffer.from([0xc3, 0x28, 0x62]),
      ]),
    ),
  },
  {
    sends: 'a gzip bomb',
    outcome: OK,
    isFlood: true,
    respond: (socket) => {
      socket.write(`${STATUS_200}content-encoding: gzip\r\ncontent-length: ${GZIP_BOMB.length}\r\n\r\n`);
      socket.write(GZIP_BOMB);
    },
  },
  {
    sends: 'HTTP/0.9',
    outcome: { error: 'reset' },
    respond: (socket) => void socket.end('<html>hello</html>\n'),
  },
  {
    sends: 'another protocol',
    outcome: { error: 'reset' },
    respond: sendOnce('220 mail.example.com ESMTP\r\n'),
  },
  {
    sends: 'two lengths',
    outcome: { error: 'reset' },
    respond: sendOnce(`${STATUS_200}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  },
  {
    sends: '204 with a body',
    outcome: { statusCode: 204 },
    respond: sendOnce('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nbody'),
  },
  {
    sends: '200 after half a second',
    outcome: OK,
    respond: (socket) => void setTimeout(() => socket.write(`${STATUS_200}content-length: 0\r\n\r\n`), 500),
  },
  {
    sends: '200 by TLS',
    outcome: OK,
    certificate: 'valid',
    respond: sendOnce(`${STATUS_200}content-length: 0\r\n\r\n`),
  },
  {
    sends: 'an endless body by TLS',
    outcome: OK,
    excerpt: 'x'.repeat(EXCERPT_BYTES),
    isFlood: true,
    certificate: 'valid',
    respond: flood(`${STATUS_200}\r\n`, 'x'),
  },
  {
    sends: 'endless blank lines by TLS',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    certificate: 'valid',
    respond: flood('', '\r\n'),
  },
  { sends: 'a self-signed certificate', outcome: { error: 'tls_error' }, certificate: 'selfSigned' },
  { sends: 'a certificate that has expired', outcome: { error: 'tls_error' }, certificate: 'expired' },
  { sends: 'a certificate for another name', outcome: { error: 'tls_error' }, certificate: 'otherName' },
  {
    sends: 'HTTP instead of TLS',
    outcome: { error: 'tls_error' },
    lacksTls: true,
    respond: sendOnce('HTTP/1.1 400 Bad Request\r\n\r\n'),
  },
  {
    sends: 'nothing instead of TLS',
    outcome: { error: 'timeout' },
    hangs: true,
    lacksTls: true,
    respond: () => undefined,
  },
];

/** Opens one port for each mode. */
export async function openModes(certificates: Certificates) {
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const urls = new Map<Mode, string>();
  for (const mode of MODES) {
    const onConnection = (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
      socket.once('data', () => mode.respond?.(socket));
    };
    const server =
      mode.certificate === undefined
        ? createServer(onConnection)
        : createTlsServer(certificates[mode.certificate], onConnection);
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    const isTls = mode.certificate !== undefined || mode.lacksTls === true;
    urls.set(mode, `${isTls ? 'https' : 'http'}://localhost:${port}/hook`);
    if (mode.respond === undefined && !isTls) await new Promise((resolve) => server.close(resolve));
  }
  return {
    urlOf: (mode: Mode) => urls.get(mode) ?? '',
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
