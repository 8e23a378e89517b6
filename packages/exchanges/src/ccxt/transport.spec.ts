import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallRequest, noDeadline, runCall } from './call.js';
import { NotSent, Transport, type TransportOptions } from './transport.js';

const account = { key: 'exa_1', credentials: { apiKey: 'key', apiSecret: 'secret' } };
const READ: CallRequest = { kind: 'read', account };

describe('a pause that an exchange requests', () => {
  let server: Server;
  let answer: { readonly status: number; readonly retryAfter?: number };
  let requests: number;
  let transport: Transport;
  const pauses: number[] = [];

  beforeEach(async () => {
    [answer, requests] = [{ status: 200 }, 0];
    pauses.splice(0);
    server = createServer((_request, response) => {
      requests += 1;
      const { status, retryAfter } = answer;
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    await transport.close();
    server.close();
    await once(server, 'close');
  });

  function open(options: Partial<TransportOptions> = {}): void {
    transport = new Transport({
      timeoutMs: 5_000,
      isAccountLimit: () => false,
      publicEgress: undefined,
      onPause: (forMs) => void pauses.push(forMs),
      ...options,
    });
  }

  /** Returns whether a request was sent. */
  async function isSent(request: CallRequest): Promise<boolean> {
    const before = requests;
    const { port } = server.address() as AddressInfo;
    const address = `http://127.0.0.1:${port}/`;
    const send = () => transport.send({ address, method: 'GET', headers: {}, body: undefined });
    try {
      await runCall(request, noDeadline(), send, (error) => error as Error);
    } catch (error) {
      expect(error).toBeInstanceOf(NotSent);
    }
    return requests > before;
  }

  it.each([
    [429, 600, 600_000],
    [429, 601, 600_000],
    [418, 601, 601_000],
    [418, 259_200, 259_200_000],
    [418, 259_201, 259_200_000],
  ])('after %d with %d s is %d ms', async (status, retryAfter, forMs) => {
    open();
    answer = { status, retryAfter };
    await isSent(READ);
    expect([pauses, await isSent(READ)]).toEqual([[forMs], false]);
  });
});
