/**
 * A Postgres connection with two bounds: how many named statements it keeps, and how long it waits for a response. It
 * never ends the process.
 *
 * 1. The server keeps every named statement, with its plans, until the connection closes. A connection keeps at most
 *    `NAMED_STATEMENTS_MAX` of them and closes the least recently used one before it prepares another.
 * 2. The protocol's Close message is sent in the same batch as the Parse message that follows it. Unlike `DEALLOCATE`, it
 *    also works in a failed transaction, and it succeeds even if the statement was never prepared. The statements
 *    listed here are therefore always a superset of those at the server.
 * 3. A connection that gets no complete response within the limit is destroyed, and its queries fail like those of any
 *    lost connection. The statement may still run at the server, so the connection is never used again.
 * 4. If the process itself was suspended, responses that arrived meanwhile are read before the limit is applied.
 * 5. A lost connection emits `error`, and without a listener Node ends the process. The pool removes its listener when it
 *    hands a connection out, and the caller adds its own later. A server that is killed can report its end in the same
 *    packet as the end of the connection's start, between the two. Therefore every connection has a listener of its own.
 *    The loss is not hidden: the next query fails.
 */
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, type PoolConfig } from 'pg';

/** Bounds the memory of a backend. The most frequent statements of every process fit. */
export const NAMED_STATEMENTS_MAX = 100;

/** The server did not respond within the limit. Its code makes it a lost connection (errors.ts). */
class ResponseOverdue extends Error {
  override readonly name = 'ResponseOverdue';
  readonly code = 'ETIMEDOUT';
  constructor(limitMs: number) {
    super(`Postgres did not respond within ${limitMs} ms; the connection was closed.`);
  }
}

/** The parts of the driver's connection that the bounds depend on. */
interface WireConnection {
  readonly stream: Duplex;
  /** The statements that the driver believes to be prepared, by name. */
  readonly parsedStatements: Record<string, string>;
  parse(message: { readonly name?: string | undefined }): void;
  bind(message: { readonly statement?: string | undefined }): void;
  close(message: { readonly type: 'S'; readonly name: string }): void;
  query(text: string): void;
  sync(): void;
  on(event: 'readyForQuery' | 'end', listener: () => void): void;
}

/** A client whose limit can be raised for a transaction with slow statements. */
export class BoundedClient extends Client {
  /** Sets how long this connection waits for the response to a query, in milliseconds; undefined for its default. */
  readonly setResponseLimit: (limitMs: number | undefined) => void;

  constructor(config: ClientConfig, responseLimitMs: number) {
    super(config);
    this.on('error', () => undefined);
    const connection = this.connection as unknown as WireConnection;
    limitNamedStatements(connection);
    this.setResponseLimit = limitResponseTime(connection, responseLimitMs);
  }
}

/** Returns the class with which a pool creates its connections. `responseLimitMs` is the limit of each. */
export function boundedClientClass(responseLimitMs: number): NonNullable<PoolConfig['Client']> {
  return class extends BoundedClient {
    constructor(config: ClientConfig = {}) {
      super(config, responseLimitMs);
    }
  };
}

function limitNamedStatements(connection: WireConnection): void {
  /** The names that the server may know, the least recently used first. */
  const names = new Set<string>();
  const parse = connection.parse.bind(connection);
  const bind = connection.bind.bind(connection);
  connection.parse = (message) => {
    const { name } = message;
    if (name) {
      if (!names.has(name) && names.size >= NAMED_STATEMENTS_MAX) {
        const [oldest] = names;
        names.delete(oldest!);
        delete connection.parsedStatements[oldest!];
        connection.close({ type: 'S', name: oldest! });
      }
      names.add(name);
    }
    parse(message);
  };
  connection.bind = (message) => {
    const { statement } = message;
    if (statement && names.delete(statement)) names.add(statement);
    bind(message);
  };
}

function limitResponseTime(
  connection: WireConnection,
  defaultLimitMs: number,
): BoundedClient['setResponseLimit'] {
  let limitMs = defaultLimitMs;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const start = () => {
    stop();
    const started = setTimeout(() => {
      // The process may have been suspended: sockets are read before this runs.
      setImmediate(() => {
        if (timer === started) connection.stream.destroy(new ResponseOverdue(limitMs));
      });
    }, limitMs);
    timer = started;
  };
  const query = connection.query.bind(connection);
  const sync = connection.sync.bind(connection);
  connection.query = (text) => {
    start();
    query(text);
  };
  connection.sync = () => {
    start();
    sync();
  };
  connection.on('readyForQuery', stop);
  connection.on('end', stop);
  return (newLimitMs = defaultLimitMs) => {
    limitMs = newLimitMs;
  };
}
