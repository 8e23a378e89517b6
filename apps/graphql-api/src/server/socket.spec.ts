import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { ClientSocket, SOCKET_TIMING, type SocketTiming } from './socket.js';

const LARGE = 'a'.repeat(2 ** 20);
/** Far more than the kernel buffers of both ends hold. */
const MANY = 64;

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

/** Connects a client; returns it with its server-side socket. */
async function pair(timing: Partial<SocketTiming> = {}) {
  const far = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[socket]] = await Promise.all([
    once(server, 'connection') as Promise<[WebSocket]>,
    once(far, 'open'),
  ]);
  return { far, socket, client: new ClientSocket(socket, { ...SOCKET_TIMING, ...timing }) };
}

it('a message waits while the client is behind, and is sent once it catches up', async () => {
  const { far, client, socket } = await pair({ stallMs: 600_000 });
  far.pause();
  let sent = 0;
  const sending = (async () => {
    for (; sent < MANY; sent++) await client.send(LARGE);
  })();
  while (socket.bufferedAmount === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBeLessThan(MANY);
  expect(socket.bufferedAmount).toBeLessThan(3 * LARGE.length);
  let received = 0;
  far.on('message', () => received++);
  far.resume();
  await sending;
  while (received < MANY) await once(far, 'message');
  far.terminate();
});

it('a client that is behind is not read until it has caught up', async () => {
  const { far, client, socket } = await pair({ stallMs: 600_000 });
  far.pause();
  const sending = Promise.all(Array.from({ length: MANY }, () => client.send(LARGE)));
  const heard: string[] = [];
  socket.on('message', (data) => heard.push(String(data)));
  far.send('me');
  expect(socket.isPaused).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toEqual([]);
  far.resume();
  await sending;
  while (heard.length === 0) await once(socket, 'message');
  expect([heard, socket.isPaused]).toEqual([['me'], false]);
  far.terminate();
});

it('a client that accepts no data is closed with 4410, and pending sends resolve', async () => {
  const { far, client, socket } = await pair({ stallMs: 100, lingerMs: 50 });
  far.pause();
  const end = once(socket, 'close');
  for (let sent = 0; sent < MANY; sent++) await client.send(LARGE);
  await end;
  expect(client.isOpen).toBe(false);
  const told = once(far, 'close');
  far.resume();
  // Data in flight is dropped with the connection; it may include the close code.
  expect([4410, 1006]).toContain((await told)[0]);
});

it('a client that answers no ping is closed with 4408; a client that is behind gets no ping', async () => {
  const { far } = await pair({ pingMs: 20 });
  const end = once(far, 'close');
  far.pong = () => undefined;
  expect((await end)[0]).toBe(4408);

  const behind = await pair({ pingMs: 20, stallMs: 600_000 });
  behind.far.pause();
  const sending = Promise.all(Array.from({ length: MANY }, () => behind.client.send(LARGE)));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(behind.client.isOpen).toBe(true);
  behind.far.resume();
  await sending;
  expect(behind.client.isOpen).toBe(true);
  behind.far.terminate();
});

it('onClose calls back on the close, also if registered after it', async () => {
  const { far, client, socket } = await pair();
  const ends: string[] = [];
  client.onClose(() => ends.push('before'));
  client.close(4412, 'Credential ended');
  const [code, reason] = await once(far, 'close');
  expect([code, String(reason)]).toEqual([4412, 'Credential ended']);
  while (socket.readyState !== socket.CLOSED) await new Promise((resolve) => setImmediate(resolve));
  client.onClose(() => ends.push('after'));
  expect(ends).toEqual(['before', 'after']);
});
