import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HttpEndpoint } from './http-endpoint.js';
import type { SocketEndpoint } from './socket-endpoint.js';

/** One path, by HTTP and by WebSocket. */
export class Endpoints {
  constructor(
    private readonly http: HttpEndpoint,
    private readonly sockets: SocketEndpoint,
  ) {}

  serve(fastify: FastifyInstance, server: Server): void {
    this.http.serve(fastify);
    this.sockets.serve(server);
  }

  async stop(): Promise<void> {
    await this.sockets.stop();
  }
}
