import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { createServer as createRawTlsServer } from 'node:tls';
import { eventually } from '@trading-automation/runtime/testing';
import { makeCertificates } from '../../test/certificates.js';
import { OutboundClient, type OutboundOptions } from './outbound-client.js';

const servers: (Server | TcpServer)[] = [];
const clients: OutboundClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a receiver. `used` contains, for each request, the index of the connection that carried it. */
async function startReceiver(
  respond: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    void response.end('{}'),
) {
  const sockets: unknown[] = [];
  const used: number[] = [];
  const server = createServer((request, response) => {
    if (!sockets.includes(request.socket)) sockets.push(request.socket);
    used.push(sockets.indexOf(request.socket));
    respond(response, request);
  });
  return { url: `${await listen(server)}/hook`, used, server };
}

function clientOf(options: Partial<OutboundOptions> = {}): OutboundClient {
  const client = new OutboundClient({ allowLoopback: true, timeoutMs: 3_000, idleMs: 10_000, ...options });
  clients.push(client);
  return client;
}
async function allClosed(server: Server): Promise<void> {
  const count = () => new Promise<number>((resolve) => server.getConnections((_error, n) => resolve(n)));
  await eventually(async () => (await count()) === 0);
}
const post = (client: OutboundClient, url: string) =>
  client.post({ url, headers: {}, body: Buffer.from('{"event_id":"evt_1"}') });

describe('a connection', () => {
  it('is reused by calls to the same URL', async () => {
    const { url, used } = await startReceiver();
    const client = clientOf();
    for (let i = 0; i < 5; i++) expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(used).toEqual([0, 0, 0, 0, 0]);
  });

  it('with TLS is reused as well, by a client that trusts its certificate', async () => {
    const { authority, valid } = await makeCertificates();
    const used = new Set<unknown>();
    const server = createTlsServer(valid, (request, response) => {
      used.add(request.socket);
      response.end();
    });
    const url = (await listen(server)).replace('http://127.0.0.1', 'https://localhost');
    const client = clientOf({ authorities: [authority] });
    for (let i = 0; i < 3; i++) expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(used.size).toBe(1);
    expect(await post(clientOf(), url)).toMatchObject({ error: 'tls_error' });
  });

  it('is not shared with another URL, even of the same host', async () => {
    const { url, used } = await startReceiver();
    const client = clientOf();
    for (const path of ['', '/of-another-user', '?a=1', '']) await post(client, `${url}${path}`);
    expect(used).toEqual([0, 1, 2, 0]);
  });

  it('carries one call at a time', async () => {
    const { url, used } = await startReceiver((response) => void setTimeout(() => response.end(), 50));
    const client = clientOf();
    await Promise.all(Array.from({ length: 4 }, () => post(client, url)));
    expect([...used].sort()).toEqual([0, 1, 2, 3]);
  });

  it('is used once if idle connections are disabled', async () => {
    const { url, used } = await startReceiver();
    const client = clientOf({ idleMs: 0 });
    for (let i = 0; i < 3; i++) await post(client, url);
    expect(used).toEqual([0, 1, 2]);
  });

  it.each([
    ['that was not read to its end', (response: ServerResponse) => void response.end('x'.repeat(64 * 1024))],
    [
      'with Connection: close',
      (response: ServerResponse) => void response.setHeader('connection', 'close').end(),
    ],
    [
      'whose keep-alive time is shorter than the idle time',
      (response: ServerResponse) => void response.setHeader('keep-alive', 'timeout=1').end(),
    ],
  ])('is not reused after a response %s', async (_response, respond) => {
    const { url, used } = await startReceiver(respond);
    const client = clientOf();
    for (let i = 0; i < 3; i++) expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(used).toEqual([0, 1, 2]);
  });

  it('is closed when its idle time is over', async () => {
    const { url, server } = await startReceiver();
    const client = clientOf({ idleMs: 50 });
    await post(client, url);
    await allClosed(server);
  });

  it('that is idle is closed when the client closes, and later connections are used once', async () => {
    const { url, used, server } = await startReceiver();
    const client = clientOf();
    await post(client, url);
    client.close();
    await allClosed(server);
    for (let i = 0; i < 2; i++) expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(used).toEqual([0, 1, 2]);
  });

  it('that the receiver has closed is replaced by a new one, without a failure', async () => {
    const { url, used, server } = await startReceiver();
    const client = clientOf();
    for (let i = 0; i < 20; i++) {
      expect(await post(client, url)).toMatchObject({ statusCode: 200 });
      server.closeAllConnections();
      await allClosed(server);
    }
    expect(used).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('that is reset at its second request makes the call fail without a retry, and disables reuse', async () => {
    const connections: { socket: Socket; requests: number }[] = [];
    const url = await listen(
      createTcpServer((socket) => {
        const connection = { socket, requests: 0 };
        connections.push(connection);
        socket.on('error', () => undefined);
        socket.on('data', () => {
          connection.requests++;
          if (connection.requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
          else socket.resetAndDestroy();
        });
      }),
    );
    const client = clientOf();
    expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(await post(client, url)).toMatchObject({ error: 'reset' });
    expect(connections.map(({ requests }) => requests)).toEqual([2]);
    for (let i = 0; i < 3; i++) expect(await post(client, url)).toMatchObject({ statusCode: 200 });
    expect(connections.map(({ requests }) => requests)).toEqual([2, 1, 1, 1]);
  });

  it('with a second, unrequested response is not reused', async () => {
    let connections = 0;
    const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n';
    const url = await listen(
      createTcpServer((socket) => {
        connections++;
        socket.on('error', () => undefined);
        socket.on('data', () => socket.write(`${HEAD}mine${HEAD}fake`));
      }),
    );
    const client = clientOf();
    for (let i = 0; i < 3; i++) expect(await post(client, url)).toMatchObject({ responseBody: 'mine' });
    expect(connections).toBe(3);
  });

  it('is opened only once for a call if the receiver ends it before the request arrives', async () => {
    let connections = 0;
    const url = await listen(
      createTcpServer((socket) => {
        connections++;
        socket.on('error', () => undefined);
        socket.end('220 mail.example.com ESMTP\r\n');
      }),
    );
    expect(await post(clientOf(), url)).toMatchObject({ error: 'reset' });
    expect(connections).toBe(1);
  });

  it('with TLS that the receiver ends directly after the handshake is opened only once for each call', async () => {
    const { authority, valid } = await makeCertificates();
    let connections = 0;
    const server = createRawTlsServer({ ...valid, maxVersion: 'TLSv1.2' }, (socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const url = (await listen(server)).replace('http://127.0.0.1', 'https://localhost');
    const client = clientOf({ authorities: [authority] });
    for (let i = 1; i <= 10; i++) {
      await post(client, url);
      expect(connections).toBe(i);
    }
  });

  it('is closed when the time limit ends the call, even during the TLS handshake', async () => {
    const closed: Promise<unknown>[] = [];
    const url = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.resume();
        closed.push(once(socket, 'close'));
      }),
    );
    const client = clientOf({ timeoutMs: 100 });
    expect(await post(client, url)).toMatchObject({ error: 'timeout' });
    // The receiver does not respond to the TLS handshake.
    expect(await post(client, url.replace('http:', 'https:'))).toMatchObject({ error: 'timeout' });
    expect(closed).toHaveLength(2);
    await Promise.all(closed);
    // This test times out after 8 s, before the connect timeout (10 s). So it proves that the time limit of the calls
    // closed the connections.
  }, 8_000);
});
