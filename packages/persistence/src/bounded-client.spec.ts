import { PassThrough } from 'node:stream';
import { Pool } from 'pg';
import { boundedClientClass } from './bounded-client.js';
import { isConnectionLost } from './errors.js';

/** A socket to a server whose bytes the test writes. */
class SocketUnderTest extends PassThrough {
  connect(): this {
    setImmediate(() => this.emit('connect'));
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  /** Discards what the client sends. */
  override write(): boolean {
    return true;
  }
  /** Delivers bytes of the server. An error that no listener handles is thrown here; from a real socket it ends the process. */
  deliver(...messages: readonly Buffer[]): void {
    this.emit('data', Buffer.concat(messages));
  }
}

/** Encodes a message of the Postgres protocol. */
function messageOf(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const AUTHENTICATED = messageOf('R', Buffer.alloc(4));
const READY = messageOf('Z', Buffer.from('I'));
const SHUT_DOWN = messageOf(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

it('a server that is killed while a connection starts does not end the process; the next query fails', async () => {
  const socket = new SocketUnderTest();
  const pool = new Pool({
    Client: boundedClientClass(1_000),
    stream: () => socket,
    user: 'test',
    max: 1,
  } as ConstructorParameters<typeof Pool>[0]);
  pool.on('error', () => undefined);
  const connected = pool.connect();
  await new Promise((resolve) => socket.once('connect', resolve));
  expect(() => socket.deliver(AUTHENTICATED, READY, SHUT_DOWN)).not.toThrow();
  const client = await connected;
  const failure = await client.query('SELECT 1').catch((error: unknown) => error);
  expect(isConnectionLost(failure)).toBe(true);
  client.release();
});
