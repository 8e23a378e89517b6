/** Provides receivers that misbehave in every known way, one way per port. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { AttemptResult } from '@trading-automation/core/webhooks';
import type { Certificates } from './certificates.js';

interface Mode {
  readonly says: string;
  readonly outcome: Pick<AttemptResult, 'statusCode' | 'error'>;
  /** The part of the response that is kept. */
  readonly excerpt?: string | RegExp;
  /** Acts once a request starts to arrive. */
  readonly answer?: (socket: Socket) => void;
  /** Uses TLS, with one of the certificates. */
  readonly certificate?: Exclude<keyof Certificates, 'authority'>;
  /** True if the URL has https but the port does not use TLS. */
  readonly isNoTls?: true;
  /** True if the receiver sends as much as it can. */
  readonly isFlood?: true;
  /** True if the receiver never ends the connection itself. */
  readonly hangs?: true;
}

const OK = { statusCode: 200 };
const TAKEN = 'HTTP/1.1 200 OK\r\n';
const KEPT = 1024;
/** 16 MiB, once decompressed. */
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024));
/** Sends endlessly while the client reads. */
const flood = (start: string, part: string) => (socket: Socket) => {
  const chunk = part.repeat(Math.ceil((64 * 1024) / part.length));
  socket.write(start);
  const pump = () => {
    while (!socket.destroyed) if (!socket.write(chunk)) return void socket.once('drain', pump);
  };
  pump();
};
const drip = (start: string, part: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write(part), 50);
  socket.on('close', () => clearInterval(timer));
};
const say = (text: string | Buffer) => (socket: Socket) => void socket.write(text);

export const MODES: readonly Mode[] = [
  { says: 'nothing, at a port that is closed', outcome: { error: 'connect_refused' } },
  { says: 'a reset', outcome: { error: 'reset' }, answer: (socket) => void socket.resetAndDestroy() },
  { says: 'a FIN before a response', outcome: { error: 'reset' }, answer: (socket) => void socket.end() },
  { says: 'nothing', outcome: { error: 'timeout' }, hangs: true, answer: () => undefined },
  { says: 'half a status line', outcome: { error: 'timeout' }, hangs: true, answer: say('HTTP/1.1 20') },
  {
    says: 'endless headers, slowly',
    outcome: { error: 'timeout' },
    hangs: true,
    answer: drip(TAKEN, 'x: y\r\n'),
  },
  {
    says: 'endless 1xx responses, slowly',
    outcome: { error: 'timeout' },
    hangs: true,
    answer: drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  },
  {
    says: '200 and then nothing',
    hangs: true,
    outcome: OK,
    answer: say(`${TAKEN}content-length: 10\r\n\r\n`),
  },
  {
    says: '500 and then nothing',
    hangs: true,
    outcome: { statusCode: 500, error: 'http_status' },
    answer: say('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 10\r\n\r\n'),
  },
  {
    says: '200 and a body byte by byte',
    hangs: true,
    outcome: OK,
    excerpt: /^x{2,}$/,
    answer: drip(`${TAKEN}content-length: 100000\r\n\r\n`, 'x'),
  },
  {
    says: '200 and a body that breaks off',
    outcome: OK,
    excerpt: 'half',
    answer: (socket) => void socket.end(`${TAKEN}content-length: 10\r\n\r\nhalf`),
  },
  {
    says: 'an endless body',
    outcome: OK,
    excerpt: 'x'.repeat(KEPT),
    isFlood: true,
    answer: flood(`${TAKEN}\r\n`, 'x'),
  },
  {
    says: 'an endless chunked body',
    outcome: OK,
    excerpt: 'x'.repeat(KEPT),
    isFlood: true,
    answer: flood(`${TAKEN}transfer-encoding: chunked\r\n\r\n`, '4\r\nxxxx\r\n'),
  },
  {
    says: 'a body of 5 GB',
    outcome: OK,
    excerpt: 'x'.repeat(KEPT),
    isFlood: true,
    answer: flood(`${TAKEN}content-length: 5368709120\r\n\r\n`, 'x'),
  },
  {
    says: 'an endless chunk extension',
    outcome: OK,
    isFlood: true,
    answer: flood(`${TAKEN}transfer-encoding: chunked\r\n\r\n1;`, 'e'),
  },
  {
    says: '100 MB of headers',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    answer: flood(TAKEN, `x-fill: ${'y'.repeat(100)}\r\n`),
  },
  {
    says: 'one header of 100 MB',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    answer: flood(`${TAKEN}x-fill: `, 'y'),
  },
  {
    says: 'an endless status line',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    answer: flood('HTTP/1.1 200 ', 'O'),
  },
  {
    says: 'endless blank lines',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    answer: flood('', '\r\n'),
  },
  {
    says: 'endless 1xx responses',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    answer: flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  },
  {
    says: 'an unrequested 100 Continue',
    outcome: { error: 'reset' },
    answer: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  },
  {
    says: '101 Switching Protocols',
    outcome: { error: 'reset' },
    answer: say('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  },
  {
    says: 'invalid UTF-8',
    outcome: OK,
    excerpt: 'a\ufffd(b',
    answer: say(
      Buffer.concat([Buffer.from(`${TAKEN}content-length: 4\r\n\r\na`), Buffer.from([0xc3, 0x28, 0x62])]),
    ),
  },
  {
    says: 'a gzip bomb',
    outcome: OK,
    isFlood: true,
    answer: (socket) => {
      socket.write(`${TAKEN}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.write(BOMB);
    },
  },
  {
    says: 'HTTP/0.9',
    outcome: { error: 'reset' },
    answer: (socket) => void socket.end('<html>hello</html>\n'),
  },
  { says: 'another protocol', outcome: { error: 'reset' }, answer: say('220 mail.example.com ESMTP\r\n') },
  {
    says: 'two lengths',
    outcome: { error: 'reset' },
    answer: say(`${TAKEN}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  },
  {
    says: '204 with a body',
    outcome: { statusCode: 204 },
    answer: say('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nbody'),
  },
  {
    says: '200 after half a second',
    outcome: OK,
    answer: (socket) => void setTimeout(() => socket.write(`${TAKEN}content-length: 0\r\n\r\n`), 500),
  },
  { says: '200 by TLS', outcome: OK, certificate: 'valid', answer: say(`${TAKEN}content-length: 0\r\n\r\n`) },
  {
    says: 'an endless body by TLS',
    outcome: OK,
    excerpt: 'x'.repeat(KEPT),
    isFlood: true,
    certificate: 'valid',
    answer: flood(`${TAKEN}\r\n`, 'x'),
  },
  {
    says: 'endless blank lines by TLS',
    outcome: { error: 'response_too_large' },
    isFlood: true,
    certificate: 'valid',
    answer: flood('', '\r\n'),
  },
  { says: 'a self-signed certificate', outcome: { error: 'tls_error' }, certificate: 'selfSigned' },
  { says: 'a certificate that has expired', outcome: { error: 'tls_error' }, certificate: 'expired' },
  { says: 'a certificate for another name', outcome: { error: 'tls_error' }, certificate: 'otherName' },
  {
    says: 'HTTP instead of TLS',
    outcome: { error: 'tls_error' },
    isNoTls: true,
    answer: say('HTTP/1.1 400 Bad Request\r\n\r\n'),
  },
  {
    says: 'nothing instead of TLS',
    outcome: { error: 'timeout' },
    hangs: true,
    isNoTls: true,
    answer: () => undefined,
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
      socket.once('data', () => mode.answer?.(socket));
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
    const isTls = mode.certificate !== undefined || mode.isNoTls === true;
    urls.set(mode, `${isTls ? 'https' : 'http'}://localhost:${port}/hook`);
    if (mode.answer === undefined && !isTls) await new Promise((resolve) => server.close(resolve));
  }
  return {
    urlOf: (mode: Mode) => urls.get(mode) ?? '',
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
