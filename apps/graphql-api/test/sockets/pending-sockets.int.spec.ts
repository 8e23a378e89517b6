/** Tests that sockets which have not authenticated yet are limited for each network. */
import { eventually } from '@trading-automation/runtime/testing';
import { WebSocket } from 'ws';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { openAccount } from '../../../rest-api/test/test-rest-api.js';
import { startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';
import { PROTOCOL, RawClient } from './socket-clients.js';

const MAX = 20;

let environment: TestEnvironment;
let api: TestGraphqlApi;
let sockets: WebSocket[];
beforeAll(async () => {
  environment = await TestEnvironment.open();
  // The proxy is this machine, so that a test can connect from any address.
  api = await startTestGraphqlApi(environment.api.databaseUrl, { TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await api.close();
  await environment.close();
});
beforeEach(() => {
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets) socket.terminate();
});

/** Opens a socket from an address, without a handshake. Resolves to its status: 101 if it is open. */
function connectFrom(address: string): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${api.port}/graphql`, [PROTOCOL], {
    headers: { 'x-forwarded-for': address },
  });
  sockets.push(socket);
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}

/** Opens the maximum number of sockets. @param addressOf the address of the nth one */
async function fill(addressOf: (n: number) => string): Promise<void> {
  const statuses = await Promise.all(Array.from({ length: MAX }, (_, n) => connectFrom(addressOf(n))));
  expect(new Set(statuses)).toEqual(new Set([101]));
}

it('an address has at most 20 sockets without a handshake, and another address has its own', async () => {
  await fill(() => '192.0.2.1');
  expect(await connectFrom('192.0.2.1')).toBe(429);
  expect(await connectFrom('192.0.2.2')).toBe(101);
});

it('the addresses of one /64 network of IPv6 count as one', async () => {
  await fill((n) => `2001:db8:1:1::${n}`);
  expect(await connectFrom('2001:db8:1:1:ffff::1')).toBe(429);
  expect(await connectFrom('2001:db8:1:2::1')).toBe(101);
});

it('a socket that closes makes room for another one', async () => {
  await fill(() => '192.0.2.3');
  sockets[0]?.terminate();
  await eventually(async () => (await connectFrom('192.0.2.3')) === 101);
  expect(await connectFrom('192.0.2.3')).toBe(429);
});

it('a socket that authenticates makes room for another one', async () => {
  // RawClient connects without X-Forwarded-For, from 127.0.0.1.
  const pending = await Promise.all(Array.from({ length: MAX - 1 }, () => RawClient.open(api)));
  const joined = await RawClient.join(api, await openAccount(environment.api));
  const last = await RawClient.open(api);
  expect(await connectFrom('127.0.0.1')).toBe(429);
  expect(joined.socket.readyState).toBe(WebSocket.OPEN);
  for (const { socket } of [...pending, joined, last]) socket.terminate();
});
