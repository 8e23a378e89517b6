import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { AuthenticationError, ConnectionError, UnexpectedAnswerError } from '../../src/core/errors.js';
import { messagesOf } from '../../src/core/event-stream.js';
import { Client } from '../../src/index.js';
import { clientOf, signer } from './clients.js';
import { API_KEY, type Fault, FaultyApi, hang, rejectsWith, reset, respondsWith } from './faulty-api.js';

let farSide: FaultyApi;
beforeEach(async () => {
  farSide = await FaultyApi.start();
});
afterEach(() => farSide.stop());

/** Events whose text is more than JSON.parse keeps. */
const tell = (count: number) => {
  for (let each = 1; each <= count; each++)
    farSide.events.push(`{"event_id":"evt_${each}","type":"trade.filled","price":${each}.10}`);
};
const afterWhich = () => farSide.seen.map(({ headers }) => headers['last-event-id']);

/** Sends so many events, then a beginning of the next, and the connection is cut. */
const cutAfter =
  (count: number, beginning = ''): Fault =>
  ({ request, response }) => {
    farSide.stream(response, request.headers['last-event-id'], count);
    response.write(beginning, () => response.destroy());
  };

/** Sends so many events, and ends in order. */
const endAfter =
  (count: number): Fault =>
  ({ request, response }) => {
    farSide.stream(response, request.headers['last-event-id'], count);
    response.end();
  };

async function take(events: AsyncIterable<{ readonly event_id: string }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event_id } of events) {
    ids.push(event_id);
    if (ids.length === count) break;
  }
  return ids;
}
const all = (count: number) => Array.from({ length: count }, (_, index) => `evt_${index + 1}`);

describe('a stream of events', () => {
  it('goes on after the last event, wherever it was cut: none is lost, none comes twice', async () => {
    tell(9);
    farSide.faults.push(
      cutAfter(2),
      cutAfter(2, 'id: evt_5\nevent: trade.filled\nda'),
      cutAfter(0),
      cutAfter(1, 'id: evt_6\ndata: {"event_id":"evt_6"}\n'),
      endAfter(1),
    );
    expect(await take(clientOf(farSide).events.stream(), 9)).toEqual(all(9));
    expect(afterWhich()).toEqual([undefined, 'evt_2', 'evt_4', 'evt_4', 'evt_5', 'evt_6']);
  });

  it('outlives a server that is busy or away in between, and waits as it asks', async () => {
    tell(3);
    const later = { 'retry-after-ms': '70' };
    farSide.faults.push(
      cutAfter(2),
      rejectsWith(503, 'service_unavailable', later),
      rejectsWith(429, 'rate_limited'),
      reset,
      cutAfter(0),
    );
    const client = clientOf(farSide);
    expect(await take(client.events.stream(), 3)).toEqual(all(3));
    expect(farSide.seen).toHaveLength(6);
    // As the server said (`retry: 1`), doubled each time that nothing came; or as long as a refusal asks for.
    expect(client.waits).toEqual([1, 70, 4, 8, 1]);
  });

  it('gives up a connection that is not answered in time, and tries again', async () => {
    tell(2);
    farSide.faults.push(cutAfter(1), hang);
    expect(await take(clientOf(farSide, { timeout: 100 }).events.stream(), 2)).toEqual(all(2));
  });

  it('has no time limit once it is open', async () => {
    tell(1);
    farSide.faults.push(({ response }) => {
      farSide.stream(response, undefined, 0);
      setTimeout(() => response.write('id: evt_1\ndata: {"event_id":"evt_1"}\n\n'), 1_500);
    });
    expect(await take(clientOf(farSide, { timeout: 1_000 }).events.stream(), 1)).toEqual(all(1));
    expect(farSide.seen).toHaveLength(1);
  });

  it('begins after an event that the caller kept', async () => {
    tell(3);
    expect(await take(clientOf(farSide).events.stream({}, { lastEventId: 'evt_2' }), 1)).toEqual(['evt_3']);
  });

  it('is asked for with decimals as the client reads them', async () => {
    tell(1);
    await take(clientOf(farSide, { decimals: 'string' as never }).events.stream(), 1);
    await take(clientOf(farSide).events.stream(), 1);
    expect(farSide.seen.map(({ headers }) => headers.accept)).toEqual([
      'text/event-stream, application/json; decimals=string',
      'text/event-stream, application/json',
    ]);
  });

  it('is signed anew at every connection, by a clock that was repaired', async () => {
    tell(2);
    farSide.skewMs = 300_000;
    const client = clientOf(farSide, { signer });
    farSide.faults.push(async (met) => {
      const { status, body } = await met.work();
      return respondsWith({ status, body })(met);
    }, cutAfter(1));
    expect(await take(client.events.stream(), 2)).toEqual(all(2));
    expect(new Set(farSide.seen.map(({ headers }) => headers['x-svc-nonce'])).size).toBe(3);
  });

  it('reports when a connection opens, and when and why it drops', async () => {
    tell(3);
    farSide.faults.push(cutAfter(1), rejectsWith(503, 'service_unavailable'), endAfter(1));
    const told: unknown[] = [];
    const stream = clientOf(farSide).events.stream(
      {},
      { onOpen: () => told.push('open'), onCut: (error) => told.push((error as Error | undefined)?.name) },
    );
    await take(stream, 3);
    expect(told).toEqual(['open', 'ConnectionError', 'InternalServerError', 'open', undefined, 'open']);
  });

  it('throws a permanent error: a revoked credential', async () => {
    tell(2);
    farSide.faults.push(cutAfter(1));
    const ids: string[] = [];
    const reading = async () => {
      for await (const { event_id } of clientOf(farSide).events.stream()) {
        ids.push(event_id);
        farSide.keys.delete(API_KEY);
      }
    };
    await expect(reading()).rejects.toBeInstanceOf(AuthenticationError);
    expect(ids).toEqual(['evt_1']);
  });

  it('throws where a proxy answers in its place', async () => {
    farSide.faults.push(
      respondsWith({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' }),
    );
    await expect(take(clientOf(farSide).events.stream(), 1)).rejects.toThrow(
      new UnexpectedAnswerError('Expected an event stream; got text/html.'),
    );
  });

  it('is closed at the server when the loop is left', async () => {
    tell(1);
    const closed = new Promise<void>((resolve) => {
      farSide.faults.push(({ response }) => {
        response.on('close', resolve);
        farSide.stream(response, undefined);
      });
    });
    await take(clientOf(farSide).events.stream(), 1);
    await closed;
  });

  it("ends by the caller's signal, whatever it waits for: an event, the next connection, the first", async () => {
    tell(1);
    const reason = new Error('enough');
    const until = async (when: (stop: () => void) => void | Promise<void>) => {
      const stopping = new AbortController();
      const stream = clientOf(farSide).events.stream({}, { signal: stopping.signal });
      await stream.next();
      const next = stream.next();
      await when(() => stopping.abort(reason));
      await expect(next).rejects.toBe(reason);
    };
    const open: ServerResponse[] = [];
    farSide.faults.push(({ response }) => {
      open.push(response);
      farSide.stream(response, undefined);
    });
    await until((stop) => stop());
    await once(open[0]!, 'close');

    farSide.seen.length = 0;
    farSide.faults.push(cutAfter(1), hang);
    await until(async (stop) => {
      await farSide.waitForRequests(2);
      stop();
    });

    farSide.seen.length = 0;
    farSide.faults.push(hang);
    const stopping = new AbortController();
    const first = clientOf(farSide).events.stream({}, { signal: stopping.signal }).next();
    await farSide.waitForRequests(1);
    stopping.abort(reason);
    await expect(first).rejects.toBe(reason);
  });

  it('is had as it came by the path, its data unread', async () => {
    tell(1);
    const client = new Client({ baseURL: farSide.origin, apiKey: API_KEY });
    const message = await client.stream('/v1/events/stream', { type: 'trade.*' }).next();
    expect(message.value).toEqual({
      id: 'evt_1',
      type: 'trade.filled',
      data: '{"event_id":"evt_1","type":"trade.filled","price":1.10}',
      retryMs: 1,
    });
    expect(farSide.seen[0]!.path).toBe('/v1/events/stream?type=trade.*');
  });
});

describe('one connection of a stream', () => {
  it('fails if it is silent for too long', async () => {
    const response = new Response(new ReadableStream({}));
    let isClosed = false;
    const close = () => {
      isClosed = true;
    };
    const reading = messagesOf({ response, close }, undefined, 20).next();
    await expect(reading).rejects.toThrow(new ConnectionError('No data for 0.02 s.'));
    expect(isClosed).toBe(true);
  });

  it("ends by the caller's signal, though the fetch that made it heeds none", async () => {
    const stopping = new AbortController();
    const reason = new Error('enough');
    const response = new Response(new ReadableStream({}));
    const reading = messagesOf({ response, close: () => undefined }, stopping.signal).next();
    stopping.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it('is kept by comments alone', async () => {
    let count = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.enqueue(new TextEncoder().encode(++count < 5 ? ':\n\n' : 'data: last\n\n'));
      },
    });
    const data: string[] = [];
    for await (const message of messagesOf(
      { response: new Response(body), close: () => undefined },
      undefined,
      5_000,
    )) {
      data.push(message.data);
      if (message.data !== '') break;
    }
    expect(data).toEqual(['', '', '', '', 'last']);
  });
});
