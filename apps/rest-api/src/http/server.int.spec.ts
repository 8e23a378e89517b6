import { createAdapter } from '@trading-automation/runtime/http';
import { noteOperations, sendJson, startNotesApi } from '../../test/notes-api.js';

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
  it('waits for the requests in flight', async () => {
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
    const response = sendJson(api, 'POST', '/v1/notes', '{"name":"x"}');
    await started;
    const closed = api.close();
    finish();
    expect((await response).status).toBe(201);
    await closed;
  });
});
