/**
 * Connections that wait a moment for the next attempt to the same URL.
 *
 * 1. Looking the name up and judging its addresses happens at every attempt. A connection is used again only where the
 *    address that it leads to is among those just judged.
 * 2. Only attempts to the very same URL share one: two names never do, and neither do two customers of one platform
 *    who were given URLs of their own.
 * 3. One is kept only after an answer that was read to its end.
 * 4. What the receiver has closed is not used. It may still close a connection while the event is on its way: whether
 *    it has read it cannot be known then, so nothing is sent twice, and the attempt fails as `reset`. The wait is far
 *    below what receivers grant (commonly 5 s and more), so that this hardly ever happens, and a receiver that it
 *    happened with is called on new connections for a while.
 */
import { setImmediate as nextCheck } from 'node:timers/promises';
import { Connection, type ConnectionOptions } from './connection.js';

/** Waiting ones; the one that waits longest gives way. */
const IDLE_MAX = 256;
const REUSE_DISABLED_MS = 10 * 60_000;
const REUSE_DISABLED_URLS_MAX = 1024;

export class ConnectionPool {
  /** In the order in which they began to wait. */
  private readonly idle = new Set<Connection>();
  /** The same by their URLs, each in that order. */
  private readonly idleByUrl = new Map<string, Set<Connection>>();
  /** URLs whose receivers broke off a connection that was used again, until when. */
  private readonly reuseDisabledUntil = new Map<string, number>();
  private isClosed = false;

  constructor(private readonly options: ConnectionOptions) {}

  /** A connection for one attempt: to be handed back by `keep`, or destroyed. */
  async acquire(url: URL, addresses: readonly string[]): Promise<Connection> {
    for (;;) {
      const kept = this.find(url, addresses);
      if (kept === undefined) break;
      this.removeIdle(kept);
      await pollSocketEvents();
      if (kept.address !== undefined) return kept;
      kept.destroy();
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
    const beside = this.idleByUrl.get(href) ?? new Set();
    this.idleByUrl.set(href, beside.add(connection));
    this.idle.add(connection);
    const [oldest] = this.idle;
    if (this.idle.size > IDLE_MAX && oldest !== undefined) this.evict(oldest);
  }

  /** From now on, and for a while, each attempt to the URL has a connection of its own. */
  disableReuse(url: URL): void {
    this.reuseDisabledUntil.delete(url.href);
    this.reuseDisabledUntil.set(url.href, performance.now() + REUSE_DISABLED_MS);
    const [oldest] = this.reuseDisabledUntil.keys();
    if (this.reuseDisabledUntil.size > REUSE_DISABLED_URLS_MAX && oldest !== undefined)
      this.reuseDisabledUntil.delete(oldest);
  }

  /** Ends what waits; what is in use ends with its attempt. */
  close(): void {
    this.isClosed = true;
    for (const connection of [...this.idle]) this.evict(connection);
  }

  /** The one that waited the shortest is the least likely to be closed at this moment. */
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

  /** False where it did not wait. */
  private removeIdle(connection: Connection): boolean {
    const { href } = connection.url;
    const beside = this.idleByUrl.get(href);
    beside?.delete(connection);
    if (beside?.size === 0) this.idleByUrl.delete(href);
    return this.idle.delete(connection);
  }
}

/** Returns after the event loop has asked the kernel once for what has arrived, the end of a connection included. */
async function pollSocketEvents(): Promise<void> {
  // The first of these may come before the kernel is asked, the second one cannot.
  await nextCheck();
  await nextCheck();
}
