import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { seededRandom } from '../../random.js';
import { Weather } from '../../weather/weather.js';
import { MAX_UNSENT_BYTES, type Peer } from './peer.js';
import { StreamServer } from './stream-server.js';

describe('a connection of the stream server', () => {
  it('is disconnected when its reader is too slow, with no more than the limit unsent', async () => {
    const http = createServer();
    const accepted: Peer[] = [];
    const fair = new Weather(seededRandom(1), Date.now);
    const server = new StreamServer(http, () => (peer) => accepted.push(peer), fair);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/`);
    await once(client, 'open');
    client.pause();
    const [peer] = accepted;
    let isCut = false;
    peer?.onClose(() => {
      isCut = true;
    });
    const chunk = 'x'.repeat(64 * 1_024);
    // The buffers of the two kernels are in addition to the limit.
    for (let sent = 0; !isCut && sent < 64 * MAX_UNSENT_BYTES; sent += chunk.length) {
      peer?.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isCut).toBe(true);
    client.terminate();
    server.close();
    http.close();
  });
});
