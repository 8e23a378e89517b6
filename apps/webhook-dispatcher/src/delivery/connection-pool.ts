/**
 * Keeps idle connections for about a second, for the next attempt to the same URL.
 *
 * 1. Every attempt resolves the name and checks its addresses. A connection is reused only if its address is among
 *    those that were just checked.
 * 2. Only attempts to the identical URL share a connection. Two host names never share a connection. Neither do two
 *    users whose receivers run on the same hosting platform, because their URLs differ.
 * 3. A connection is kept only after a response that was read to its end.
 * 4. A connection that the receiver has closed is not reused. But the receiver may close a connection while an event is
 *    in flight. It may have read the event, so this attempt does not send it again but fails with `reset`. This is
 *    rare, because most receivers keep idle connections for 5 s or more. After it happens, attempts to the URL use new
 *    connections for ten minutes.
 */
import { setImmediate as nextCheck } from 'node:timers/promises';
import { Connection, type ConnectionOptions } from './connection.js';

/** The maximum number of idle connections. Beyond it, the oldest is closed. */
const IDLE_MAX = 256;
const REUSE_DISABLED_MS = 10 * 60_000;
const REUSE_DISABLED_URLS_MAX = 1024;

export class ConnectionPool {
  /** All idle connections, in the order in which they became idle. */
  private readonly idle = new Set<Connection>();
  /** The idle connections of each URL, in the order in which they became idle. */
  private readonly idleByUrl = new Map<string, Set<Connection>>();
  /** Until when the connections to a URL are not reused, because its receiver reset a reused connection. */
  private readonly reuseDisabledUntil = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly options: ConnectionOptions) {}

  /** Returns a connection for one attempt. The caller releases or destroys it. */
  async acquire(url: URL, addresses: readonly string[]): Promise<Connection> {
    for (;;) {
      const idle = this.find(url, addresses);
      if (idle === undefined) break;
      this.removeIdle(idle);
      await pollSocketEvents();
      if (idle.address !== undefined) return idle;
      idle.destroy();
    }
    const idleMs = this.isClosed || this.isReuseDisabled(url) ? 0 : this.options.idleMs;
    return new Connection(url, { ...this.options, idleMs }, (connection) => this.evict(connection));
  }

  release(connection: Connection): void {
    if (this.isClosed || this.options.idleMs === 0 || connection.address === undefined) {
      connection.destroy();
      return;
    }
    const { href } = connection.url;
    const sameUrl = this.idleByUrl.get(href) ?? new Set();
    this.idleByUrl.set(href, sameUrl.add(connection));
    this.idle.add(connection);
    const [oldest] = this.idle;
    if (this.idle.size > IDLE_MAX && oldest !== undefined) this.evict(oldest);
  }

  /** Gives each attempt to the URL a new connection for the next ten minutes. */
  disableReuse(url: URL): void {
    this.reuseDisabledUntil.delete(url.href);
    this.reuseDisabledUntil.set(url.href, performance.now() + REUSE_DISABLED_MS);
    const [oldest] = this.reuseDisabledUntil.keys();
    if (this.reuseDisabledUntil.size > REUSE_DISABLED_URLS_MAX && oldest !== undefined)
      this.reuseDisabledUntil.delete(oldest);
  }

  /** Closes idle connections. A connection in use closes when its attempt ends. */
  close(): void {
    this.isClosed = true;
    for (const connection of [...this.idle]) this.evict(connection);
  }

  /** Returns the matching connection that became idle last: the receiver is least likely to close it now. */
  private find(url: URL, addresses: readonly string[]): Connection | undefined {
    if (this.isReuseDisabled(url)) return undefined;
    let found: Connection | undefined;
    for (const connection of this.idleByUrl.get(url.href) ?? []) {
      if (connection.address !== undefined && addresses.includes(connection.address)) found = connection;
    }
    return found;
  }

  private isReuseDisabled({ href }: URL): boolean {
    return (this.reuseDisabledUntil.get(href) ?? 0) > performance.now();
  }

  private evict(connection: Connection): void {
    if (this.removeIdle(connection)) connection.destroy();
  }

  /** Returns false if the connection was not idle. */
  private removeIdle(connection: Connection): boolean {
    const { href } = connection.url;
    const sameUrl = this.idleByUrl.get(href);
    sameUrl?.delete(connection);
    if (sameUrl?.size === 0) this.idleByUrl.delete(href);
    return this.idle.delete(connection);
  }
}

/** Waits until the event loop has polled the kernel once for arrived data, including the end of a connection. */
async function pollSocketEvents(): Promise<void> {
  // The first callback may run before the poll, the second one cannot.
  await nextCheck();
  await nextCheck();
}
