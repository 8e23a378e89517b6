import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallRequest, noDeadline, runCall } from './call.js';
import { NotSent, Transport, type TransportOptions } from './transport.js';

const account = { key: 'exa_1', credentials: { apiKey: 'key', apiSecret: 'secret' } };
const ORDER: CallRequest = { kind: 'write', isOrder: true, account };
const CANCELLATION: CallRequest = { kind: 'write', account };
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

  const kinds = { order: ORDER, cancellation: CANCELLATION, read: READ };
  type Kind = keyof typeof kinds;
  it.each<Kind>(['order', 'cancellation', 'read'])(
    'for an account pauses only its calls of the kind that was refused: %s',
    async (limited) => {
      open({ isAccountLimit: () => true });
      answer = { status: 429, retryAfter: 60 };
      await isSent(kinds[limited]);
      answer = { status: 200 };
      for (const kind of Object.keys(kinds) as Kind[])
        expect([kind, await isSent(kinds[kind])]).toEqual([kind, kind !== limited]);
      expect(await isSent({ ...kinds[limited], account: { ...account, key: 'exa_2' } })).toBe(true);
      expect(pauses).toEqual([]);
    },
  );

  it('for an account pauses all of its calls if the exchange counts them together', async () => {
    open({ isAccountLimit: () => true, countsAccountTogether: true });
    answer = { status: 429, retryAfter: 60 };
    await isSent(READ);
    answer = { status: 200 };
    expect([await isSent(READ), await isSent(CANCELLATION), await isSent(ORDER)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await isSent({ ...ORDER, account: { ...account, key: 'exa_2' } })).toBe(true);
  });

  it('for an account is not shortened by the response to another call in flight', async () => {
    const requested = [60_000, 0.001];
    open({ isAccountLimit: () => true, pauseOf: () => requested.shift() });
    await Promise.all([isSent(READ), isSent(READ)]);
    expect([requested, await isSent(READ)]).toEqual([[], false]);
  });
});
