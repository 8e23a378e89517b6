import { ConnectionError } from '../../src/core/errors.js';
import { waitFor } from '../../src/core/wait.js';
import { clientOf, order } from './clients.js';
import { FaultyApi, hang, loseResponse } from './faulty-api.js';

let api: FaultyApi;
let stopping: AbortController;
const reason = new Error('the user pressed Ctrl-C');
beforeEach(async () => {
  stopping = new AbortController();
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

describe("an abort by the caller's signal throws the signal's reason", () => {
  it('before the request, without signing or sending it', async () => {
    stopping.abort(reason);
    const sign = () => {
      throw new Error('the signer was called');
    };
    const client = clientOf(api, { signer: { publicKey: `02${'0'.repeat(64)}`, sign } });
    await expect(client.me.get({ signal: stopping.signal })).rejects.toBe(reason);
    expect(api.requests).toEqual([]);
  });

  it('while the client waits for the response, without a retry', async () => {
    for (const maxRetries of [0, 2]) {
      stopping = new AbortController();
      api.faults.push(hang);
      const call = clientOf(api, { maxRetries }).me.get({ signal: stopping.signal });
      await api.waitForRequests(maxRetries === 0 ? 1 : 2);
      stopping.abort(reason);
      await expect(call).rejects.toBe(reason);
    }
    expect(api.requests).toHaveLength(2);
  });

  it('while the client reads the body', async () => {
    const bodyStarted = new Promise<void>((resolve) => {
      api.faults.push(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{', () => resolve());
      });
    });
    const call = clientOf(api, { maxRetries: 0 }).me.get({ signal: stopping.signal });
    await bodyStarted;
    stopping.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('between two attempts, without the second attempt', async () => {
    api.faults.push(loseResponse);
    const client = clientOf(api);
    const call = client.trades.create(order('one'), { signal: stopping.signal });
    // clientOf() records each wait between two attempts with `waits.push`.
    client.waits.push = (...waits) => {
      stopping.abort(reason);
      return waits.length;
    };
    await expect(call).rejects.toBe(reason);
    expect(api.requests).toHaveLength(1);
  });

  it('while the signer is working, without sending the request', async () => {
    const signer = {
      publicKey: `02${'0'.repeat(64)}`,
      sign: async () => {
        stopping.abort(reason);
        return new Uint8Array(64);
      },
    };
    const call = clientOf(api, { signer }).me.get({ signal: stopping.signal });
    await expect(call).rejects.toBe(reason);
    expect(api.requests).toEqual([]);
  });

  it('which is a TimeoutError for AbortSignal.timeout, even if attempts remain', async () => {
    api.faults.push(hang);
    const call = clientOf(api).me.get({ signal: AbortSignal.timeout(50) });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', code: DOMException.TIMEOUT_ERR });
  });

  it('between two pages', async () => {
    for (const name of ['one', 'two', 'three']) api.createTrade(name);
    const names: string[] = [];
    const reading = async () => {
      for await (const { client_order_id } of clientOf(api).trades.list({}, { signal: stopping.signal })) {
        names.push(String(client_order_id));
        if (names.length === 2) stopping.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(names).toEqual(['three', 'two']);
  });

  it('and every call removes its listeners from the signal, so that many calls can share it', async () => {
    const { signal } = stopping;
    let listenerCount = 0;
    const count = (by: number) => (method: typeof signal.addEventListener) =>
      ((...args: Parameters<typeof method>) => {
        listenerCount += by;
        method.apply(signal, args);
      }) as typeof method;
    signal.addEventListener = count(1)(signal.addEventListener);
    signal.removeEventListener = count(-1)(signal.removeEventListener);
    const client = clientOf(api, { maxRetries: 0 });
    await client.me.get({ signal });
    api.faults.push(loseResponse);
    await expect(client.me.get({ signal })).rejects.toBeInstanceOf(ConnectionError);
    expect(listenerCount).toBe(0);
  });
});

describe('waitFor', () => {
  it('rejects immediately if the signal is already aborted', async () => {
    stopping.abort(reason);
    await expect(waitFor(2 ** 30, stopping.signal)).rejects.toBe(reason);
  });

  it('rejects as soon as the signal is aborted', async () => {
    const waiting = waitFor(2 ** 30, stopping.signal);
    stopping.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
