import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventStream, type StreamTiming, sendEvents } from './event-stream.js';

const TIMING: StreamTiming = { heartbeatMs: 600_000, stallMs: 600_000, lingerMs: 600_000 };

/** A stream whose events come from `dataOf`; null ends it. It counts the events that were read. */
class TestEventStream implements EventStream {
  readonly resumeAfter = 'evt_0';
  readonly closed: Promise<void>;
  readCount = 0;
  private readonly ending = new AbortController();
  private notifyClosed = () => {};

  constructor(private readonly dataOf: (index: number) => Promise<string | null> | string | null) {
    this.closed = new Promise((resolve) => {
      this.notifyClosed = resolve;
    });
  }

  get ended() {
    return this.ending.signal;
  }

  async *events() {
    for (;;) {
      const data = await Promise.race([this.dataOf(this.readCount), this.closed]);
      if (typeof data !== 'string' || this.ended.aborted) return;
      this.readCount++;
      yield { id: `evt_${this.readCount}`, type: 'trade.filled', data };
    }
  }

  async close() {
    this.ending.abort();
    this.notifyClosed();
  }
}

const noEvents = () => new Promise<null>(() => undefined);
let server: Server;
let errors: unknown[];
let serve: (response: ServerResponse) => void;
beforeEach(async () => {
  errors = [];
  server = createServer((_request, response) => serve(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

/** Serves the stream and requests it. Resolves when the head of the response has arrived; the body is not read. */
function connect(stream: EventStream, timing: Partial<StreamTiming> = {}): Promise<IncomingMessage> {
  serve = (response) => {
    response.writeHead(200, { connection: 'close' });
    response.flushHeaders();
    void sendEvents(response, stream, (error) => errors.push(error), { ...TIMING, ...timing });
  };
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject);
  });
}

async function readAll(message: IncomingMessage): Promise<string> {
  let text = '';
  // A disconnect also ends the body.
  for await (const part of message.on('error', () => undefined)) text += part;
  return text;
}
const waitForClose = (message: IncomingMessage) =>
  new Promise<void>((resolve) => {
    message.on('error', () => undefined).on('close', resolve);
  });

describe('a connection with an event stream', () => {
  it('gets the retry time and the id to resume after, then each event, and ends with the stream', async () => {
    const stream = new TestEventStream((i) => ['{"a":1.10}', '{"b":"é"}', null][i]!);
    expect(await readAll(await connect(stream))).toBe(
      'retry: 3000\nid: evt_0\n\n' +
        'id: evt_1\nevent: trade.filled\ndata: {"a":1.10}\n\n' +
        'id: evt_2\nevent: trade.filled\ndata: {"b":"é"}\n\n',
    );
    await stream.closed;
    expect(errors).toEqual([]);
  });

  it('gets a heartbeat at each interval while there are no events', async () => {
    const message = await connect(new TestEventStream(noEvents), { heartbeatMs: 5 });
    let text = '';
    for await (const part of message) {
      text += part;
      if (text.split(':\n\n').length > 5) break;
    }
    expect(text).toMatch(/^retry: 3000\nid: evt_0\n\n(:\n\n){5}/);
  });

  it('closes the stream when the reader disconnects', async () => {
    const stream = new TestEventStream(noEvents);
    const message = await connect(stream);
    message.destroy();
    await stream.closed;
  });

  it('closes the stream if the reader disconnected before the first byte was sent', async () => {
    const stream = new TestEventStream(noEvents);
    let response!: ServerResponse;
    const arrived = new Promise<void>((resolve) => {
      serve = (serverResponse) => {
        response = serverResponse;
        resolve();
      };
    });
    const { port } = server.address() as AddressInfo;
    const outgoing = get({ host: '127.0.0.1', port, agent: false }).on('error', () => undefined);
    await arrived;
    const closed = new Promise((resolve) => response.on('close', resolve));
    outgoing.destroy();
    await closed;
    await sendEvents(response, stream, (error) => errors.push(error), TIMING);
    await stream.closed;
    expect(errors).toEqual([]);
  });

  it('stops reading events while its reader is stalled, and continues when the reader reads again', async () => {
    const size = 30_000;
    const count = 1_000;
    const stream = new TestEventStream((i) => (i < count ? `"${'x'.repeat(size)}"` : null));
    const message = await connect(stream);
    let before = -1;
    while (before !== stream.readCount) {
      before = stream.readCount;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    // The events that were read are in the kernel buffers of both ends, which are not memory of this process.
    expect(stream.readCount).toBeLessThan(count / 2);
    const text = await readAll(message);
    expect(text.match(/^id: evt_\d+$/gm)).toHaveLength(count + 1);
  });

  it('is closed if its reader reads nothing for the stall time', async () => {
    const stream = new TestEventStream(() => `"${'x'.repeat(60_000)}"`);
    const message = await connect(stream, { stallMs: 50, lingerMs: 20 });
    await stream.closed;
    message.resume();
    await waitForClose(message);
  });

  it('is closed soon after the end of the stream even if its reader has stalled', async () => {
    const stream = new TestEventStream(() => `"${'x'.repeat(60_000)}"`);
    const message = await connect(stream, { lingerMs: 20 });
    const socketClosed = new Promise((resolve) => message.socket.on('close', resolve));
    let before = -1;
    while (before !== stream.readCount) {
      before = stream.readCount;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const noConnections = new Promise<void>((resolve) => {
      const check = () =>
        server.getConnections((_error, count) => (count === 0 ? resolve() : setTimeout(check, 5)));
      check();
    });
    await stream.close();
    await noConnections;
    message.resume();
    await waitForClose(message);
    await socketClosed;
  });

  it('is closed and the error is reported if the stream fails', async () => {
    const stream = new TestEventStream((i) => {
      if (i === 0) return '{}';
      throw new Error('the stream failed');
    });
    expect(await readAll(await connect(stream))).toContain('data: {}\n\n');
    await stream.closed;
    expect(errors).toEqual([new Error('the stream failed')]);
  });
});
