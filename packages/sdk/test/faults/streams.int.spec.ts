import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { AuthenticationError, ConnectionError, UnexpectedAnswerError } from '../../src/core/errors.js';
import { messagesOf } from '../../src/core/event-stream.js';
import { Client } from '../../src/index.js';
import { clientOf, signer } from './clients.js';
import { API_KEY, type Fault, FaultyApi, hang, rejectsWith, reset, respondsWith } from './faulty-api.js';

let api: FaultyApi;
beforeEach(async () => {
  api = await FaultyApi.start();
});
afterEach(() => api.stop());

/** Adds events with a price such as `1.10`, whose last digit JSON.parse drops. */
const addEvents = (count: number) => {
  for (let each = 1; each <= count; each++)
    api.events.push(`{"event_id":"evt_${each}","type":"trade.filled","price":${each}.10}`);
};
const lastEventIds = () => api.requests.map(({ headers }) => headers['last-event-id']);

/** Sends `count` events and the beginning of the next, then disconnects. */
const cutAfter =
  (count: number, beginning = ''): Fault =>
  ({ request, response }) => {
    api.stream(response, request.headers['last-event-id'], count);
    response.write(beginning, () => response.destroy());
  };

/** Sends `count` events and ends the stream. */
const endAfter =
  (count: number): Fault =>
  ({ request, response }) => {
    api.stream(response, request.headers['last-event-id'], count);
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
const firstIds = (count: number) => Array.from({ length: count }, (_, index) => `evt_${index + 1}`);

describe('an event stream', () => {
  it('resumes after the last event without losing or repeating one, even if it disconnects within an event', async () => {
    addEvents(9);
    api.faults.push(
      cutAfter(2),
      cutAfter(2, 'id: evt_5\nevent: trade.filled\nda'),
      cutAfter(0),
      cutAfter(1, 'id: evt_6\ndata: {"event_id":"evt_6"}\n'),
      endAfter(1),
    );
    expect(await take(clientOf(api).events.stream(), 9)).toEqual(firstIds(9));
    expect(lastEventIds()).toEqual([undefined, 'evt_2', 'evt_4', 'evt_4', 'evt_5', 'evt_6']);
  });

  it('survives a busy or unavailable server and waits as long as the server requests', async () => {
    addEvents(3);
    const later = { 'retry-after-ms': '70' };
    api.faults.push(
      cutAfter(2),
      rejectsWith(503, 'service_unavailable', later),
      rejectsWith(429, 'rate_limited'),
      reset,
      cutAfter(0),
    );
    const client = clientOf(api);
    expect(await take(client.events.stream(), 3)).toEqual(firstIds(3));
    expect(api.requests).toHaveLength(6);
    // The stream requests a delay of 1 ms (`retry: 1`), which doubles with each consecutive failure. The delay that an
    // error response requests replaces it if it is longer.
    expect(client.waits).toEqual([1, 70, 4, 8, 1]);
  });

  it('retries after a connection without a response within the time limit', async () => {
    addEvents(2);
    api.faults.push(cutAfter(1), hang);
    expect(await take(clientOf(api, { timeout: 100 }).events.stream(), 2)).toEqual(firstIds(2));
  });

  it('has no time limit once it is open', async () => {
    addEvents(1);
    api.faults.push(({ response }) => {
      api.stream(response, undefined, 0);
      setTimeout(() => response.write('id: evt_1\ndata: {"event_id":"evt_1"}\n\n'), 1_500);
    });
    expect(await take(clientOf(api, { timeout: 1_000 }).events.stream(), 1)).toEqual(firstIds(1));
    expect(api.requests).toHaveLength(1);
  });

  it('starts after the event lastEventId', async () => {
    addEvents(3);
    expect(await take(clientOf(api).events.stream({}, { lastEventId: 'evt_2' }), 1)).toEqual(['evt_3']);
  });

  it("is requested with decimals in the client's form", async () => {
    addEvents(1);
    await take(clientOf(api, { decimals: 'string' as never }).events.stream(), 1);
    await take(clientOf(api).events.stream(), 1);
    expect(api.requests.map(({ headers }) => headers.accept)).toEqual([
      'text/event-stream, application/json; decimals=string',
      'text/event-stream, application/json',
    ]);
  });

  it('has a new signature for every connection, with the corrected clock', async () => {
    addEvents(2);
    api.skewMs = 300_000;
    const client = clientOf(api, { signer });
    api.faults.push(async (context) => {
      // The server itself responds: it rejects the timestamp.
      const { status, body } = await context.execute();
      return respondsWith({ status, body })(context);
    }, cutAfter(1));
    expect(await take(client.events.stream(), 2)).toEqual(firstIds(2));
    expect(new Set(api.requests.map(({ headers }) => headers['x-svc-nonce'])).size).toBe(3);
  });

  it('reports when a connection opens, and when and why it drops', async () => {
    addEvents(3);
    api.faults.push(cutAfter(1), rejectsWith(503, 'service_unavailable'), endAfter(1));
    const reported: unknown[] = [];
    const stream = clientOf(api).events.stream(
      {},
      {
        onOpen: () => reported.push('open'),
        onCut: (error) => reported.push((error as Error | undefined)?.name),
      },
    );
    await take(stream, 3);
    expect(reported).toEqual(['open', 'ConnectionError', 'InternalServerError', 'open', undefined, 'open']);
  });

  it('throws a permanent error, such as that of a revoked credential', async () => {
    addEvents(2);
    api.faults.push(cutAfter(1));
    const ids: string[] = [];
    const reading = async () => {
      for await (const { event_id } of clientOf(api).events.stream()) {
        ids.push(event_id);
        api.apiKeys.delete(API_KEY);
      }
    };
    await expect(reading()).rejects.toBeInstanceOf(AuthenticationError);
    expect(ids).toEqual(['evt_1']);
  });

  it('throws if a proxy responds instead of the API', async () => {
    api.faults.push(
      respondsWith({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' }),
    );
    await expect(take(clientOf(api).events.stream(), 1)).rejects.toThrow(
      new UnexpectedAnswerError('Expected an event stream; got text/html.'),
    );
  });

  it('is closed at the server once its loop is left', async () => {
    addEvents(1);
    const closed = new Promise<void>((resolve) => {
      api.faults.push(({ response }) => {
        response.on('close', resolve);
        api.stream(response, undefined);
      });
    });
    await take(clientOf(api).events.stream(), 1);
    await closed;
  });

  it("throws the reason of the caller's signal after an abort while it waits for an event or a connection", async () => {
    addEvents(1);
    const reason = new Error('enough');
    const abortDuring = async (when: (stop: () => void) => void | Promise<void>) => {
      const stopping = new AbortController();
      const stream = clientOf(api).events.stream({}, { signal: stopping.signal });
      await stream.next();
      const next = stream.next();
      await when(() => stopping.abort(reason));
      await expect(next).rejects.toBe(reason);
    };
    const open: ServerResponse[] = [];
    api.faults.push(({ response }) => {
      open.push(response);
      api.stream(response, undefined);
    });
    await abortDuring((stop) => stop());
    await once(open[0]!, 'close');

    api.requests.length = 0;
    api.faults.push(cutAfter(1), hang);
    await abortDuring(async (stop) => {
      await api.waitForRequests(2);
      stop();
    });

    api.requests.length = 0;
    api.faults.push(hang);
    const stopping = new AbortController();
    const first = clientOf(api).events.stream({}, { signal: stopping.signal }).next();
    await api.waitForRequests(1);
    stopping.abort(reason);
    await expect(first).rejects.toBe(reason);
  });

  it('returns unparsed data with client.stream', async () => {
    addEvents(1);
    const client = new Client({ baseURL: api.origin, apiKey: API_KEY });
    const message = await client.stream('/v1/events/stream', { type: 'trade.*' }).next();
    expect(message.value).toEqual({
      id: 'evt_1',
      type: 'trade.filled',
      data: '{"event_id":"evt_1","type":"trade.filled","price":1.10}',
      retryMs: 1,
    });
    expect(api.requests[0]!.path).toBe('/v1/events/stream?type=trade.*');
  });
});

describe('a connection of an event stream', () => {
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

  it("throws the reason of the caller's signal after an abort, even if fetch ignores the signal", async () => {
    const stopping = new AbortController();
    const reason = new Error('enough');
    const response = new Response(new ReadableStream({}));
    const reading = messagesOf({ response, close: () => undefined }, stopping.signal).next();
    stopping.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it('is kept alive by comments', async () => {
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
