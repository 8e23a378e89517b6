import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { SocketEndpoint } from './socket-endpoint.js';

/** The HTTP routes and the WebSocket endpoint of the server. */
export class Endpoints {
  constructor(
    private readonly routes: readonly ((fastify: FastifyInstance) => void)[],
    private readonly sockets: SocketEndpoint,
  ) {}

  serve(fastify: FastifyInstance, server: Server): void {
    for (const route of this.routes) route(fastify);
    this.sockets.serve(server);
  }

  async stop(): Promise<void> {
    await this.sockets.stop();
  }
}
