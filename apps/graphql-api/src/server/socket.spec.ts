import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { WebSocket, WebSocketServer } from 'ws';
import { ClientSocket, SOCKET_TIMING, type SocketTiming } from './socket.js';

const LARGE = 'a'.repeat(2 ** 20);
/** So many `LARGE` messages are far more than the kernel buffers of both ends hold. */
const MESSAGE_COUNT = 64;

let server: WebSocketServer;
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

const urlOf = (target: WebSocketServer) => `ws://127.0.0.1:${(target.address() as AddressInfo).port}`;

/** The code of a thread with a client, which counts the pings that it has answered. */
const ANSWERING_CLIENT = `
  const { workerData: { ws, url, pongCount } } = require('node:worker_threads');
  const { WebSocket } = require(ws);
  new WebSocket(url).on('ping', () => {
    Atomics.add(pongCount, 0, 1);
    Atomics.notify(pongCount, 0);
  });
`;

/** Connects a client. Returns its end (`remote`), the socket of the server, and the ClientSocket under test. */
async function connect(timing: Partial<SocketTiming> = {}) {
  const remote = new WebSocket(urlOf(server));
  const [[socket]] = await Promise.all([
    once(server, 'connection') as Promise<[WebSocket]>,
    once(remote, 'open'),
  ]);
  return { remote, socket, client: new ClientSocket(socket, { ...SOCKET_TIMING, ...timing }) };
}

it('a message waits while the client does not read, and is sent once the client reads again', async () => {
  const { remote, client, socket } = await connect({ stallMs: 600_000 });
  remote.pause();
  let sent = 0;
  const sending = (async () => {
    for (; sent < MESSAGE_COUNT; sent++) await client.send(LARGE);
  })();
  while (socket.bufferedAmount === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBeLessThan(MESSAGE_COUNT);
  expect(socket.bufferedAmount).toBeLessThan(3 * LARGE.length);
  let received = 0;
  remote.on('message', () => received++);
  remote.resume();
  await sending;
  while (received < MESSAGE_COUNT) await once(remote, 'message');
  remote.terminate();
});

it('messages of a client are not read while messages to it wait', async () => {
  const { remote, client, socket } = await connect({ stallMs: 600_000 });
  remote.pause();
  const sending = Promise.all(Array.from({ length: MESSAGE_COUNT }, () => client.send(LARGE)));
  const received: string[] = [];
  socket.on('message', (data) => received.push(String(data)));
  remote.send('me');
  expect(socket.isPaused).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(received).toEqual([]);
  remote.resume();
  await sending;
  while (received.length === 0) await once(socket, 'message');
  expect([received, socket.isPaused]).toEqual([['me'], false]);
  remote.terminate();
});

it('a client that accepts no data is closed with 4410, and pending sends resolve', async () => {
  const { remote, client, socket } = await connect({ stallMs: 100, lingerMs: 50 });
  remote.pause();
  const end = once(socket, 'close');
  for (let sent = 0; sent < MESSAGE_COUNT; sent++) await client.send(LARGE);
  await end;
  expect(client.isOpen).toBe(false);
  const closed = once(remote, 'close');
  remote.resume();
  // Data in flight is dropped with the connection; it may include the close code.
  expect([4410, 1006]).toContain((await closed)[0]);
});

it('a client that answers no ping is closed with 4408; a client for which messages wait gets no ping', async () => {
  const { remote } = await connect({ pingMs: 20 });
  const end = once(remote, 'close');
  remote.pong = () => undefined;
  expect((await end)[0]).toBe(4408);

  const slow = await connect({ pingMs: 200, stallMs: 600_000 });
  slow.remote.pause();
  const sending = Promise.all(Array.from({ length: MESSAGE_COUNT }, () => slow.client.send(LARGE)));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(slow.client.isOpen).toBe(true);
  slow.remote.resume();
  await sending;
  expect(slow.client.isOpen).toBe(true);
  slow.remote.terminate();
});

it('a client whose pong arrives while the process is paused stays connected', async () => {
  // Far longer than the operating system delays this thread between a ping and the pause.
  const pingMs = 400;
  // The client has a thread of its own, so that it can answer while this thread is paused.
  const pongCount = new Int32Array(new SharedArrayBuffer(4));
  const remote = new Worker(ANSWERING_CLIENT, {
    eval: true,
    workerData: { ws: createRequire(import.meta.url).resolve('ws'), url: urlOf(server), pongCount },
  });
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  const client = new ClientSocket(socket, { ...SOCKET_TIMING, pingMs });
  let pingCount = 0;
  socket.ping = () => {
    WebSocket.prototype.ping.call(socket);
    const answered = pingCount++;
    // The pause lasts until the client has answered and the next ping is due. Timers are the next thing after it.
    setImmediate(() => {
      Atomics.wait(pongCount, 0, answered, 10_000);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * pingMs);
    });
  };
  while (pingCount < 3 && client.isOpen) await new Promise((resolve) => setTimeout(resolve, 20));
  expect([client.isOpen, pongCount[0]! >= 2]).toEqual([true, true]);
  socket.terminate();
  await remote.terminate();
});

it('onClose calls its callback when the socket closes, or immediately if the socket is already closed', async () => {
  const { remote, client, socket } = await connect();
  const ends: string[] = [];
  client.onClose(() => ends.push('before'));
  client.close(4412, 'Credential ended');
  const [code, reason] = await once(remote, 'close');
  expect([code, String(reason)]).toEqual([4412, 'Credential ended']);
  while (socket.readyState !== socket.CLOSED) await new Promise((resolve) => setImmediate(resolve));
  client.onClose(() => ends.push('after'));
  expect(ends).toEqual(['before', 'after']);
});
