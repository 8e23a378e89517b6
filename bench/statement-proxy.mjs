/** A proxy between the product and Postgres that counts the named statements that each connection keeps. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const PARSE = 'P'.charCodeAt(0);
const CLOSE = 'C'.charCodeAt(0);
const STATEMENT = 'S'.charCodeAt(0);

/**
 * Reads the messages of a client. After the first message, which has no type, each consists of a type, its length and its
 * content.
 *
 * @param {(type: number, content: Buffer) => void} onMessage
 * @returns {(bytes: Buffer) => void}
 */
function readMessages(onMessage) {
  let pending = Buffer.alloc(0);
  let isStarted = false;
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    for (;;) {
      const headLength = isStarted ? 5 : 4;
      if (pending.length < headLength) return;
      const length = pending.readUInt32BE(headLength - 4) + (isStarted ? 1 : 0);
      if (pending.length < length) return;
      if (isStarted) onMessage(pending[0], pending.subarray(5, length));
      isStarted = true;
      pending = pending.subarray(length);
    }
  };
}

const nameAt = (content, start) => content.toString('utf8', start, content.indexOf(0, start));

/**
 * @param {string} databaseUrl
 * @returns {Promise<{ url: string, most: () => number, texts: () => number, reset: () => void, close: () => Promise<void> }>}
 *   `most`: the largest number of named statements that one connection had at a time; `texts`: how many different texts
 *   were prepared by name
 */
export async function openStatementProxy(databaseUrl) {
  const sockets = new Set();
  const texts = new Set();
  let most = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(databaseUrl).port), new URL(databaseUrl).hostname);
    const names = new Set();
    const read = readMessages((type, content) => {
      if (type === PARSE && content[0] !== 0) {
        names.add(nameAt(content, 0));
        texts.add(nameAt(content, content.indexOf(0) + 1));
        most = Math.max(most, names.size);
      }
      if (type === CLOSE && content[0] === STATEMENT) names.delete(nameAt(content, 1));
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (bytes) => {
      upstream.write(bytes);
      read(bytes);
    });
    upstream.on('data', (bytes) => client.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${server.address().port}`;
  return {
    url: url.href,
    most: () => most,
    texts: () => texts.size,
    reset() {
      most = 0;
      texts.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
