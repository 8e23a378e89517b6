/**
 * Ends the connections of a server that closes.
 *
 * 1. `server.close()` of Node.js waits for connections that have not sent a complete request, and for those whose
 *    response was pending, until their keep-alive ends. Browsers and proxies open connections in advance, so a stop
 *    would exceed its grace period.
 * 2. A pending response is completed, and then its connection ends. A request that arrives there meanwhile is completed,
 *    too, and Fastify announces the end in its response. All other connections end immediately: no request on them was
 *    started.
 * 3. A request whose body is still being received ends at the usual timeout, which Node.js no longer checks.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export function endConnectionsOnClose(fastify: FastifyInstance, requestTimeoutMs: number): void {
  const { server } = fastify;
  /** The open connections with their pending responses. */
  const connections = new Map<Socket, Set<ServerResponse<IncomingMessage>>>();
  let isClosing = false;

  server.on('connection', (socket) => {
    if (isClosing) return void socket.destroy();
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });

  server.on('request', ({ socket }, response) => {
    const pending = connections.get(socket);
    pending?.add(response);
    response.once('close', () => {
      pending?.delete(response);
      if (isClosing && pending?.size === 0) socket.destroySoon();
    });
  });

  fastify.addHook('preClose', (done) => {
    isClosing = true;
    for (const [socket, pending] of connections) {
      if (pending.size === 0) socket.destroy();
      else pending.forEach(announceEnd);
    }
    const timer = setTimeout(() => {
      for (const [socket, pending] of connections)
        if ([...pending].some(({ req }) => !req.complete)) socket.destroy();
    }, requestTimeoutMs);
    server.once('close', () => clearTimeout(timer));
    done();
  });
}

/** Announces the end of the connection in the response (`Connection: close`), if its headers are not sent yet. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}
