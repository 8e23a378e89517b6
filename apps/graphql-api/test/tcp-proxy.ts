/** Provides a TCP proxy between a process and its server, for tests of outages. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface CutPoint {
  /** Selects the connection that has sent this string. */
  readonly containing: string;
  /** Cuts the connection when it sends this string. Default: when it sends `containing`. */
  readonly cutOn?: string;
  /** Whether the server gets the string and responds before the connection is cut. */
  readonly reachesServer?: boolean;
}

/** A proxy that can refuse connections, pause them, or cut one when it sends a certain string. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private refusesConnections = false;
  /** Callbacks that wait for the proxy to continue; null while it is not paused. */
  private pausedWrites: (() => void)[] | null = null;
  private pendingCut: (CutPoint & { readonly done: () => void }) | undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (socket) => this.accept(socket));
  }

  static async start(url: string): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, new URL(url));
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Drops the open connections, and refuses new ones until `resume` is called. */
  refuseConnections(): void {
    this.refusesConnections = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Drops the open connections and closes the port, like a server that is killed. Returns a function that reopens it. */
  closePort(): () => Promise<void> {
    const { port } = this.server.address() as AddressInfo;
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    return async () => {
      this.server.listen(port, '127.0.0.1');
      await once(this.server, 'listening');
    };
  }

  /** Keeps connections open but forwards nothing. */
  pause(): void {
    this.pausedWrites ??= [];
  }

  resume(): void {
    this.refusesConnections = false;
    for (const pass of this.pausedWrites ?? []) pass();
    this.pausedWrites = null;
  }

  /** Cuts one connection at this point. Resolves when the proxy has received the string that triggers the cut. */
  cutAt(cut: CutPoint): Promise<void> {
    return new Promise((done) => {
      this.pendingCut = { ...cut, done };
    });
  }

  async close(): Promise<void> {
    this.refuseConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(client: Socket): void {
    if (this.refusesConnections) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(this.target.port), this.target.hostname);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        peer.destroy();
      });
    }
    upstream.on('data', (bytes) => void client.write(bytes));
    let isSelected = false;
    client.on('data', (bytes) => {
      const { pendingCut } = this;
      isSelected ||= pendingCut !== undefined && bytes.includes(pendingCut.containing);
      if (pendingCut !== undefined && isSelected && bytes.includes(pendingCut.cutOn ?? pendingCut.containing))
        this.cut(client, upstream, bytes);
      else if (this.pausedWrites === null) upstream.write(bytes);
      else this.pausedWrites.push(() => void upstream.write(bytes));
    });
  }

  private cut(client: Socket, upstream: Socket, bytes: Buffer): void {
    const { done, reachesServer = false } = this.pendingCut!;
    this.pendingCut = undefined;
    done();
    if (!reachesServer) {
      client.destroy();
      return;
    }
    upstream.removeAllListeners('data').once('data', () => client.destroy());
    upstream.write(bytes);
  }
}
