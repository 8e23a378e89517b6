import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createAdapter } from '@trading-automation/runtime/http';
import { eventually } from '@trading-automation/runtime/testing';
import { type NotesApi, noteOperations, startNotesApi } from '../../test/notes-api.js';

describe('the limits of the server', () => {
  it('are the documented timeouts, number of requests per socket, and body size', async () => {
    const app = createAdapter({ trustedProxies: [], corsOrigins: [] });
    const { server, initialConfig } = app.getInstance();
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      maxRequestsPerSocket: 1_000,
    });
    expect(initialConfig.bodyLimit).toBe(256 * 1024);
  });
});

describe('the startup', () => {
  it('fails if an operation has no controller method', async () => {
    const unhandled = { ...noteOperations.ping, id: 'ping.again', path: '/v1/ping-again' } as const;
    await expect(
      startNotesApi({ operations: [...Object.values(noteOperations), unhandled] }),
    ).rejects.toThrow('ping.again has no controller method');
  });

  it('fails if a controller method belongs to no operation', async () => {
    const { touch: _, ...others } = noteOperations;
    await expect(startNotesApi({ operations: Object.values(others) })).rejects.toThrow(
      'notes.touch is not an operation of this API',
    );
  });
});

describe('the shutdown', () => {
  const begin = async (api: NotesApi, text: string) => {
    const socket = connect(api.port, '127.0.0.1').on('error', () => undefined);
    await once(api.server, 'connection');
    if (text !== '') socket.write(text);
    return socket;
  };
  const received = async (socket: Socket) => {
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    await once(socket, 'close');
    return Buffer.concat(parts).toString();
  };
  /** Expects that the stop ends the sockets. Ends them in any case, so that the API closes if the test fails. */
  const expectEnd = async (closed: Promise<void>, ...sockets: Socket[]) => {
    try {
      const isEnded = () => sockets.every((socket) => socket.closed);
      await eventually(isEnded, { timeoutMs: 20_000 }).catch(() => undefined);
      expect(sockets.map((socket) => socket.closed)).not.toContain(false);
    } finally {
      for (const socket of sockets) socket.destroy();
      await closed;
    }
  };
  const create = (length: number) =>
    `POST /v1/notes HTTP/1.1\r\nhost: x\r\nx-api-key: trader\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  it('ends connections that have sent nothing, a part of a request, or a complete request', async () => {
    const api = await startNotesApi();
    const unused = await begin(api, '');
    const partial = await begin(api, 'GET /v1/ping HTTP/1.1\r\nhost:');
    const kept = await begin(api, 'GET /v1/ping HTTP/1.1\r\nhost: x\r\n\r\n');
    const [response] = await once(kept, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\nconnection: keep-alive\r\n/is);
    const answers = [unused, partial, kept].map(received);
    await expectEnd(api.close(), unused, partial, kept);
    expect(await Promise.all(answers)).toEqual(['', '', '']);
  });

  it('completes a request in flight, and then ends its connection, as the response says', async () => {
    const api = await startNotesApi();
    let finish = () => {};
    const started = new Promise<void>((resolve) => {
      api.behaviour.create = () => {
        resolve();
        return new Promise((done) => {
          finish = () => done({ id: 'n1', name: 'late' });
        });
      };
    });
    const socket = await begin(api, `${create(12)}{"name":"x"}`);
    const answer = received(socket);
    await started;
    const closed = api.close();
    while (api.server.listening) await new Promise(setImmediate);
    finish();
    await expectEnd(closed, socket);
    expect(await answer).toMatch(/^HTTP\/1\.1 201 Created\r\n.*\r\nconnection: close\r\n.*"late"/is);
  });

  it('ends a request whose body does not arrive in time', async () => {
    // Without checks before the stop, only the stop ends the request.
    const serverLimits = { requestTimeoutMs: 300, headersTimeoutMs: 300, checkEveryMs: 600_000 };
    const api = await startNotesApi({ serverLimits });
    const socket = await begin(api, `${create(12)}{"name"`);
    await once(api.server, 'request');
    const answer = received(socket);
    await expectEnd(api.close(), socket);
    expect([await answer, api.behaviour.calls]).toEqual(['', []]);
  });
});
