import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Delivery {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** A webhook receiver that records deliveries. */
export class StubReceiver {
  readonly received: Delivery[] = [];
  /** The responses in order; the last one is repeated. For a status of 0, no response is sent. */
  responses: { readonly status: number; readonly headers?: Record<string, string> }[] = [{ status: 204 }];

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** Starts a receiver: with a certificate over https, otherwise over http. */
  static async start(certificate?: { readonly key: string; readonly cert: string }): Promise<StubReceiver> {
    const server = certificate === undefined ? createServer() : createSecureServer(certificate);
    const stub = new StubReceiver(server, certificate === undefined ? 'http' : 'https');
    server.on('request', async (request: IncomingMessage, response) => {
      const { status, headers } = stub.responses.length > 1 ? stub.responses.shift()! : stub.responses[0]!;
      stub.received.push({
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        text: await text(request),
      });
      if (status !== 0) response.writeHead(status, headers).end('an unread body');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}/hook`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
