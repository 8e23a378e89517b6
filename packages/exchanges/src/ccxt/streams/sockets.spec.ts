import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ConnectHeaders, type PingAnswer, Sockets } from './sockets.js';

const PING_ANSWER: PingAnswer = (message) => {
  const { ping } = message as { readonly ping?: number };
  return ping === undefined ? undefined : { pong: ping };
};

/** A peer that has accepted a connection, and what the connection reported. */
interface Connection {
  readonly peer: WebSocket;
  /** The request that opened the connection. */
  readonly request: IncomingMessage;
  readonly messages: readonly unknown[];
  readonly sent: readonly string[];
  readonly closed: Promise<string>;
}

describe('a connection to an exchange', () => {
  let server: WebSocketServer;
  let sockets: Sockets;

  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    sockets = new Sockets({ timeoutMs: 5_000, idleTimeoutMs: 5_000 });
  });

  afterEach(async () => {
    await sockets.close();
    server.close();
    await once(server, 'close');
  });

  async function connect(answerPing?: PingAnswer, headers?: ConnectHeaders): Promise<Connection> {
    const accepted = once(server, 'connection');
    const { port } = server.address() as AddressInfo;
    const messages: unknown[] = [];
    const sent: string[] = [];
    const closed = new Promise<string>((resolve) => {
      const handler = {
        onOpen: () => undefined,
        onMessage: (message: unknown) => messages.push(message),
        onClosed: ({ outcome, code }: { outcome: string; code: string }) => resolve(`${outcome}/${code}`),
      };
      sockets.connect(`ws://127.0.0.1:${port}`, handler, { answerPing, headers });
    });
    const [peer, request] = (await accepted) as [WebSocket, IncomingMessage];
    peer.on('message', (data) => sent.push(String(data)));
    return { peer, request, messages, sent, closed };
  }

  it('decompresses messages, and reads others as they are', async () => {
    const { peer, messages, closed } = await connect();
    peer.send(gzipSync('{"price":1.000000000000000001}'));
    peer.send('{"price":2}');
    peer.send(Buffer.from('{"price":3}'));
    peer.close();
    await closed;
    expect(messages).toEqual([{ price: '1.000000000000000001' }, { price: 2 }, { price: 3 }]);
  });

  it.each([
    ['is damaged', Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from('damaged')])],
    ['is too long when decompressed', gzipSync(Buffer.alloc(17 * 1024 * 1024, ' '))],
  ])('ends if a compressed message %s', async (_what, message) => {
    const { peer, messages, closed } = await connect();
    peer.send(message);
    expect([await closed, messages]).toEqual(['retryable/bad_answer', []]);
  });

  it('answers the pings of an exchange, and passes on no ping', async () => {
    const { peer, messages, sent, closed } = await connect(PING_ANSWER);
    peer.send('{"ping":7}');
    await once(peer, 'message');
    peer.send('{"price":1}');
    peer.close();
    await closed;
    expect([sent, messages]).toEqual([['{"pong":7}'], [{ price: 1 }]]);
  });

  it('opens with the headers that an exchange needs', async () => {
    const { peer, request, closed } = await connect(undefined, { 'X-Sizes': 'decimal' });
    expect(request.headers['x-sizes']).toBe('decimal');
    peer.close();
    await closed;
  });
});
