import { ConnectionError } from '../../src/core/errors.js';
import { waitFor } from '../../src/core/wait.js';
import { clientOf, order } from './clients.js';
import { FaultyApi, hang, loseResponse } from './faulty-api.js';

let farSide: FaultyApi;
let stopping: AbortController;
const reason = new Error('the user pressed Ctrl-C');
beforeEach(async () => {
  stopping = new AbortController();
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

describe("an abort by the caller's signal is thrown as its reason", () => {
  it('before the request: nothing is signed, and nothing sent', async () => {
    stopping.abort(reason);
    const sign = () => {
      throw new Error('the signer was asked');
    };
    const client = clientOf(farSide, { signer: { publicKey: `02${'0'.repeat(64)}`, sign } });
    await expect(client.me.get({ signal: stopping.signal })).rejects.toBe(reason);
    expect(farSide.seen).toEqual([]);
  });

  it('while the answer is waited for: nothing is tried again', async () => {
    for (const maxRetries of [0, 2]) {
      stopping = new AbortController();
      farSide.faults.push(hang);
      const asked = clientOf(farSide, { maxRetries }).me.get({ signal: stopping.signal });
      await farSide.waitForRequests(maxRetries === 0 ? 1 : 2);
      stopping.abort(reason);
      await expect(asked).rejects.toBe(reason);
    }
    expect(farSide.seen).toHaveLength(2);
  });

  it('while the body is read', async () => {
    const begun = new Promise<void>((resolve) => {
      farSide.faults.push(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{', () => resolve());
      });
    });
    const asked = clientOf(farSide, { maxRetries: 0 }).me.get({ signal: stopping.signal });
    await begun;
    stopping.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('between two attempts: the second is never made', async () => {
    farSide.faults.push(loseResponse);
    const client = clientOf(farSide);
    const asked = client.trades.create(order('one'), { signal: stopping.signal });
    client.waits.push = (...waits) => {
      stopping.abort(reason);
      return waits.length;
    };
    await expect(asked).rejects.toBe(reason);
    expect(farSide.seen).toHaveLength(1);
  });

  it('while the signer thinks: what it signs is never sent', async () => {
    const signer = {
      publicKey: `02${'0'.repeat(64)}`,
      sign: async () => {
        stopping.abort(reason);
        return new Uint8Array(64);
      },
    };
    const asked = clientOf(farSide, { signer }).me.get({ signal: stopping.signal });
    await expect(asked).rejects.toBe(reason);
    expect(farSide.seen).toEqual([]);
  });

  it('of AbortSignal.timeout is its TimeoutError, however many attempts are left', async () => {
    farSide.faults.push(hang);
    const asked = clientOf(farSide).me.get({ signal: AbortSignal.timeout(50) });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', code: DOMException.TIMEOUT_ERR });
  });

  it('between two pages', async () => {
    for (const name of ['one', 'two', 'three']) farSide.make(name);
    const names: string[] = [];
    const reading = async () => {
      for await (const { client_order_id } of clientOf(farSide).trades.list(
        {},
        { signal: stopping.signal },
      )) {
        names.push(String(client_order_id));
        if (names.length === 2) stopping.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(names).toEqual(['three', 'two']);
  });

  it('leaves nothing on a signal that goes on: a thousand calls can share it', async () => {
    const { signal } = stopping;
    let listening = 0;
    const count = (by: number) => (method: typeof signal.addEventListener) =>
      ((...given: Parameters<typeof method>) => {
        listening += by;
        method.apply(signal, given);
      }) as typeof method;
    signal.addEventListener = count(1)(signal.addEventListener);
    signal.removeEventListener = count(-1)(signal.removeEventListener);
    const client = clientOf(farSide, { maxRetries: 0 });
    await client.me.get({ signal });
    farSide.faults.push(loseResponse);
    await expect(client.me.get({ signal })).rejects.toBeInstanceOf(ConnectionError);
    expect(listening).toBe(0);
  });
});

describe('waiting', () => {
  it('ends at once on a signal that is aborted already', async () => {
    stopping.abort(reason);
    await expect(waitFor(2 ** 30, stopping.signal)).rejects.toBe(reason);
  });

  it('ends at once when the signal is aborted', async () => {
    const waiting = waitFor(2 ** 30, stopping.signal);
    stopping.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
