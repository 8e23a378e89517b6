import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Collects the garbage of a Node process that runs with `--inspect`.
 *
 * @param {string} inspectorUrl the `ws:` URL that the process prints when it starts
 */
export async function collectGarbage(inspectorUrl) {
  const socket = new WebSocket(inspectorUrl, { perMessageDeflate: false });
  await once(socket, 'open');
  for (const [id, method] of ['HeapProfiler.collectGarbage', 'HeapProfiler.collectGarbage'].entries()) {
    socket.send(JSON.stringify({ id, method }));
    await once(socket, 'message');
  }
  socket.close();
  await once(socket, 'close');
}
