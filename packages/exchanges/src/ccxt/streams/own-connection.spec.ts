/** Connections that the streams of several trading types share. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExchangeError, VenueStream } from '../../port.js';
import type { OwnStreamProtocol, StreamReport, VenueSession } from '../declaration.js';
import { failure } from '../failures.js';
import { OwnAccountStreams, type OwnConnections } from './own-account-streams.js';
import type { SocketHandler } from './sockets.js';
import type { OwnStreamSegment } from './stream-member.js';

const LOGIN = { op: 'login' };
const session = { ccxt: {} } as VenueSession;

/** A connection that the test answers. */
interface Connection {
  readonly url: string;
  readonly sent: object[];
  readonly handler: SocketHandler;
  closes: number;
}

/** The streams of a venue with a segment for each trading type. */
class StreamsUnderTest {
  readonly connections: Connection[] = [];
  readonly events: string[] = [];
  private readonly opened: VenueStream[] = [];
  private readonly registry: OwnConnections = new Map();

  open(type: string, topics: readonly string[], { apiKey = 'key', isShared = true } = {}) {
    const segment = {
      startTimeoutMs: 60_000,
      preparedSession: async () => session,
      acquireBudget: async () => undefined,
      run: async (_request: unknown, work: (opened: VenueSession) => Promise<unknown>) => work(session),
      classifyRejection: (_ccxt: unknown, _status: number, rejection: { readonly login?: boolean }) =>
        failure(rejection.login === true ? ['fatal', 'credentials_rejected'] : ['rejected', 'refused']),
      sockets: {
        connect: (url: string, handler: SocketHandler) => {
          const connection: Connection = { url, sent: [], handler, closes: 0 };
          this.connections.push(connection);
          return {
            send: (message: object) => connection.sent.push(message),
            close: async () => {
              connection.closes += 1;
            },
          };
        },
      },
    } as unknown as OwnStreamSegment;
    const protocol: OwnStreamProtocol = {
      kind: 'OWN',
      isShared,
      weight: 1,
      plan: async () => ({
        url: 'wss://exchange/private',
        login: [LOGIN],
        steps: topics.map((topic) => ({ topic })),
      }),
      responseOf: (message) => {
        const { accepted, login } = message as { readonly accepted?: boolean; readonly login?: boolean };
        if (accepted === undefined) return undefined;
        return accepted ? { isAccepted: true } : { isAccepted: false, status: 200, rejection: { login } };
      },
      open: () => ({
        read: (message): readonly StreamReport[] => {
          const { of } = message as { readonly of?: string };
          if (of === 'nonsense') throw new Error('malformed');
          return of === type || of === 'all' ? [{ kind: 'balances', balances: {}, at: new Date(0) }] : [];
        },
      }),
    };
    const account = { credentials: { apiKey, apiSecret: 'secret' }, key: apiKey };
    const stream = new OwnAccountStreams(segment, protocol, this.registry).open(account, {
      onConnected: () => this.events.push(`${type} connected`),
      onLost: ({ outcome, code }: ExchangeError) => this.events.push(`${type} lost ${outcome}/${code}`),
      onOrder: () => undefined,
      onBalances: () => this.events.push(`${type} balances`),
    });
    this.opened.push(stream);
    return stream;
  }

  /** Opens the connection and accepts every message of it. */
  async acceptAll(connection: Connection, accepted = 0): Promise<void> {
    if (accepted === 0) connection.handler.onOpen();
    await nextTurn();
    for (let answered = accepted; connection.sent.length > answered; answered++)
      connection.handler.onMessage({ accepted: true });
  }

  close = () => Promise.all(this.opened.map((stream) => stream.close()));
}

let streams: StreamsUnderTest;
afterEach(() => streams.close());

async function twoStreams() {
  streams = new StreamsUnderTest();
  const spot = streams.open('spot', ['order', 'wallet']);
  await nextTurn();
  const [connection] = streams.connections as [Connection];
  await streams.acceptAll(connection);
  const perpetual = streams.open('perpetual', ['order', 'wallet', 'position']);
  await streams.acceptAll(connection, connection.sent.length);
  return { spot, perpetual, connection };
}

describe('a connection of several trading types', () => {
  it('authenticates once, and subscribes to each topic once', async () => {
    const { connection } = await twoStreams();
    expect(streams.connections).toHaveLength(1);
    expect(connection.sent).toEqual([LOGIN, { topic: 'order' }, { topic: 'wallet' }, { topic: 'position' }]);
    expect(streams.events).toEqual(['spot connected', 'perpetual connected']);
  });

  it('passes each message to every stream, which ignores those of other trading types', async () => {
    const { connection } = await twoStreams();
    streams.events.length = 0;
    connection.handler.onMessage({ of: 'perpetual' });
    connection.handler.onMessage({ of: 'all' });
    expect(streams.events).toEqual(['perpetual balances', 'spot balances', 'perpetual balances']);
  });

  it('lasts until its last stream is closed', async () => {
    const { spot, perpetual, connection } = await twoStreams();
    streams.events.length = 0;
    await spot.close();
    connection.handler.onMessage({ of: 'all' });
    expect([streams.events, connection.closes]).toEqual([['perpetual balances'], 0]);
    await perpetual.close();
    expect(connection.closes).toBe(1);
    streams.open('spot', ['order']);
    await nextTurn();
    expect(streams.connections).toHaveLength(2);
  });

  it('ends every stream when it is lost', async () => {
    const { connection } = await twoStreams();
    streams.events.length = 0;
    connection.handler.onClosed(failure(['retryable', 'unreachable']));
    expect(streams.events).toEqual([
      'spot lost retryable/unreachable',
      'perpetual lost retryable/unreachable',
    ]);
    streams.open('spot', ['order']);
    await nextTurn();
    expect(streams.connections).toHaveLength(2);
  });

  it('ends every stream when the exchange rejects the key', async () => {
    streams = new StreamsUnderTest();
    streams.open('spot', ['order']);
    streams.open('perpetual', ['order', 'position']);
    await nextTurn();
    const [connection] = streams.connections as [Connection];
    connection.handler.onOpen();
    connection.handler.onMessage({ accepted: false, login: true });
    expect(streams.events).toEqual([
      'spot lost fatal/credentials_rejected',
      'perpetual lost fatal/credentials_rejected',
    ]);
    expect(connection.closes).toBe(1);
  });

  it('ends only the streams that need a topic which the exchange rejects', async () => {
    streams = new StreamsUnderTest();
    streams.open('spot', ['order']);
    await nextTurn();
    const [connection] = streams.connections as [Connection];
    await streams.acceptAll(connection);
    streams.open('perpetual', ['order', 'position']);
    await nextTurn();
    connection.handler.onMessage({ accepted: false });
    connection.handler.onMessage({ of: 'all' });
    expect(streams.events).toEqual(['spot connected', 'perpetual lost rejected/refused', 'spot balances']);
    expect(connection.closes).toBe(0);
  });

  it('ends the streams that cannot parse a message, and closes when none is left', async () => {
    const { connection } = await twoStreams();
    streams.events.length = 0;
    connection.handler.onMessage({ of: 'nonsense' });
    expect(streams.events).toEqual(['spot lost retryable/bad_answer', 'perpetual lost retryable/bad_answer']);
    expect(connection.closes).toBe(1);
  });

  it.each([
    ['of another key', { apiKey: 'other' }],
    ['of a venue that has an address for each trading type', { isShared: false }],
  ])('is not joined by a stream %s', async (_, options) => {
    streams = new StreamsUnderTest();
    streams.open('spot', ['order'], 'isShared' in options ? options : {});
    await nextTurn();
    streams.open('perpetual', ['order'], options);
    await nextTurn();
    expect(streams.connections).toHaveLength(2);
    const [first, second] = streams.connections as [Connection, Connection];
    await streams.acceptAll(first);
    await streams.acceptAll(second);
    expect(second.sent).toEqual([LOGIN, { topic: 'order' }]);
    expect(streams.events).toEqual(['spot connected', 'perpetual connected']);
  });
});
