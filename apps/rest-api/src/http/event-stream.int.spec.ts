import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventStream, type StreamTiming, sendEvents } from './event-stream.js';

const TIMING: StreamTiming = { heartbeatMs: 600_000, stallMs: 600_000, lingerMs: 600_000 };

/** A source that a test writes to and ends, and that counts the events read from it. */
class Source implements EventStream {
  readonly resumeAfter = 'evt_0';
  readonly closed: Promise<void>;
  taken = 0;
  private readonly ending = new AbortController();
  private notifyClosed = () => {};

  constructor(private readonly make: (index: number) => Promise<string | null> | string | null) {
    this.closed = new Promise((resolve) => {
      this.notifyClosed = resolve;
    });
  }

  get ended() {
    return this.ending.signal;
  }

  async *events() {
    for (;;) {
      const data = await Promise.race([this.make(this.taken), this.closed]);
      if (typeof data !== 'string' || this.ended.aborted) return;
      this.taken++;
      yield { id: `evt_${this.taken}`, type: 'trade.filled', data };
    }
  }

  async close() {
    this.ending.abort();
    this.notifyClosed();
  }
}

const silence = () => new Promise<null>(() => undefined);
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

/** Requests the stream; resolves with the head before the body is read. */
function connect(source: EventStream, timing: Partial<StreamTiming> = {}): Promise<IncomingMessage> {
  serve = (response) => {
    response.writeHead(200, { connection: 'close' });
    response.flushHeaders();
    void sendEvents(response, source, (error) => errors.push(error), { ...TIMING, ...timing });
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
const ended = (message: IncomingMessage) =>
  new Promise<void>((resolve) => {
    message.on('error', () => undefined).on('close', resolve);
  });

describe('a stream of events on a connection', () => {
  it('sends the retry time and the id to resume after, then each event, and ends with its source', async () => {
    const source = new Source((i) => ['{"a":1.10}', '{"b":"é"}', null][i]!);
    expect(await readAll(await connect(source))).toBe(
      'retry: 3000\nid: evt_0\n\n' +
        'id: evt_1\nevent: trade.filled\ndata: {"a":1.10}\n\n' +
        'id: evt_2\nevent: trade.filled\ndata: {"b":"é"}\n\n',
    );
    await source.closed;
    expect(errors).toEqual([]);
  });

  it('is never idle for longer than a heartbeat', async () => {
    const message = await connect(new Source(silence), { heartbeatMs: 5 });
    let text = '';
    for await (const part of message) {
      text += part;
      if (text.split(':\n\n').length > 5) break;
    }
    expect(text).toMatch(/^retry: 3000\nid: evt_0\n\n(:\n\n){5}/);
  });

  it('closes its source when the reader disconnects', async () => {
    const source = new Source(silence);
    const message = await connect(source);
    message.destroy();
    await source.closed;
  });

  it('closes its source if the reader disconnected before the start', async () => {
    const source = new Source(silence);
    let response!: ServerResponse;
    const arrived = new Promise<void>((resolve) => {
      serve = (given) => {
        response = given;
        resolve();
      };
    });
    const { port } = server.address() as AddressInfo;
    const outgoing = get({ host: '127.0.0.1', port, agent: false }).on('error', () => undefined);
    await arrived;
    const gone = new Promise((resolve) => response.on('close', resolve));
    outgoing.destroy();
    await gone;
    await sendEvents(response, source, (error) => errors.push(error), TIMING);
    await source.closed;
    expect(errors).toEqual([]);
  });

  it('reads no more from its source than a stalled reader can buffer, then continues', async () => {
    const size = 30_000;
    const count = 1_000;
    const source = new Source((i) => (i < count ? `"${'x'.repeat(size)}"` : null));
    const message = await connect(source);
    let before = -1;
    while (before !== source.taken) {
      before = source.taken;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    // The rest is in the kernel buffers of both ends, which are not memory of this process.
    expect(source.taken).toBeLessThan(count / 2);
    const text = await readAll(message);
    expect(text.match(/^id: evt_\d+$/gm)).toHaveLength(count + 1);
  });

  it('is disconnected if a reader reads nothing for the stall time', async () => {
    const source = new Source(() => `"${'x'.repeat(60_000)}"`);
    const message = await connect(source, { stallMs: 50, lingerMs: 20 });
    await source.closed;
    message.resume();
    await ended(message);
  });

  it('is disconnected soon after its end even if the reader has stalled', async () => {
    const source = new Source(() => `"${'x'.repeat(60_000)}"`);
    const message = await connect(source, { lingerMs: 20 });
    const cut = new Promise((resolve) => message.socket.on('close', resolve));
    let before = -1;
    while (before !== source.taken) {
      before = source.taken;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const isFree = new Promise<void>((resolve) => {
      const look = () =>
        server.getConnections((_error, open) => (open === 0 ? resolve() : setTimeout(look, 5)));
      look();
    });
    await source.close();
    await isFree;
    message.resume();
    await ended(message);
    await cut;
  });

  it('ends and reports the error if its source fails', async () => {
    const source = new Source((i) => {
      if (i === 0) return '{}';
      throw new Error('the source broke');
    });
    expect(await readAll(await connect(source))).toContain('data: {}\n\n');
    await source.closed;
    expect(errors).toEqual([new Error('the source broke')]);
  });
});
