/** A TCP proxy before a server that can become mute: it then keeps connections open and forwards nothing. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface MutableProxy {
  /** The server's URL with the address of this proxy. */
  readonly url: string;
  /** The number of open client connections. */
  readonly connections: number;
  /** From now on, drops all bytes of existing and new connections. `condition` selects the bytes of the first drop. */
  mute(condition?: (bytes: Buffer) => boolean): void;
  /** Forwards the bytes of new connections. Connections that were muted stay mute. */
  unmute(): void;
  close(): Promise<void>;
}

export async function startMutableProxy(serverUrl: string): Promise<MutableProxy> {
  const server = createServer();
  const clients = new Set<Socket>();
  let isMute: (bytes: Buffer) => boolean = () => false;
  server.on('connection', (client) => {
    const upstream = connect(Number(new URL(serverUrl).port), new URL(serverUrl).hostname);
    clients.add(client);
    let isDropping = false;
    const forward = (to: Socket) => (bytes: Buffer) => {
      if (isMute(bytes)) {
        isMute = () => true;
        isDropping = true;
      }
      if (!isDropping) to.write(bytes);
    };
    client.on('data', forward(upstream));
    upstream.on('data', forward(client));
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    get connections() {
      return clients.size;
    },
    mute(condition = () => true) {
      isMute = condition;
    },
    unmute() {
      isMute = () => false;
    },
    async close() {
      for (const client of clients) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
