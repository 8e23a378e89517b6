/** Provides a TCP proxy between a process and its server, for tests of outages. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface CutPoint {
  /** Selects the connection that has sent this string. */
  readonly of: string;
  /** Cuts the connection when it sends this string. Default: when it sends `of`. */
  readonly at?: string;
  /** True if the server receives the string and responds before the connection is cut. */
  readonly isPassedOn?: boolean;
}

/** A proxy that can be closed, paused, and disconnected on a given string. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private isShut = false;
  /** Callbacks that wait for the proxy to continue; null while it is not paused. */
  private pausedWrites: (() => void)[] | null = null;
  private next: (CutPoint & { readonly done: () => void }) | undefined;

  private constructor(
    private readonly server: Server,
    private readonly behind: URL,
  ) {
    server.on('connection', (socket) => this.take(socket));
  }

  static async start(url: string): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, new URL(url));
  }

  get url(): string {
    const url = new URL(this.behind);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  refuseConnections(): void {
    this.isShut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Keeps connections open but forwards nothing. */
  pause(): void {
    this.pausedWrites ??= [];
  }

  resume(): void {
    this.isShut = false;
    for (const pass of this.pausedWrites ?? []) pass();
    this.pausedWrites = null;
  }

  /** Cuts a connection. Resolves when that has happened. */
  cutAt(cut: CutPoint): Promise<void> {
    return new Promise((done) => {
      this.next = { ...cut, done };
    });
  }

  async close(): Promise<void> {
    this.refuseConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(near: Socket): void {
    if (this.isShut) {
      near.destroy();
      return;
    }
    const far = connect(Number(this.behind.port), this.behind.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    far.on('data', (bytes) => void near.write(bytes));
    let isSelected = false;
    near.on('data', (bytes) => {
      const { next } = this;
      isSelected ||= next !== undefined && bytes.includes(next.of);
      if (next !== undefined && isSelected && bytes.includes(next.at ?? next.of)) this.cut(near, far, bytes);
      else if (this.pausedWrites === null) far.write(bytes);
      else this.pausedWrites.push(() => void far.write(bytes));
    });
  }

  private cut(near: Socket, far: Socket, bytes: Buffer): void {
    const { done, isPassedOn = false } = this.next!;
    this.next = undefined;
    done();
    if (!isPassedOn) {
      near.destroy();
      return;
    }
    far.removeAllListeners('data').once('data', () => near.destroy());
    far.write(bytes);
  }
}
