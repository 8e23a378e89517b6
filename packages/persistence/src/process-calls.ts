/**
 * Sends requests and replies between processes. A row in Postgres contains both; a notification is sent for each.
 *
 * 1. Only one process claims a call, and only once. If that process dies, the caller waits until its deadline. A call
 *    that timed out may have been executed, so the caller must be able to repeat it safely.
 * 2. No call is claimed after its deadline, and a late reply is discarded.
 * 3. Input and reply are opaque bytes; the caller encrypts secrets in them. The caller deletes the row after it reads
 *    the reply. A serving process deletes rows that remain one minute after their deadline.
 * 4. Deadlines use the database's clock. Notifications only reduce the delay; polling is sufficient.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { newUuid } from './ids.js';
import type { Listener } from './listener.js';

const CALL_CHANNEL = 'process_calls';
const REPLY_CHANNEL = 'process_replies';

/** No reply arrived within the timeout. The call may have been executed. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
  constructor(call: string, timeoutMs: number) {
    super(`${call}: no reply within ${timeoutMs} ms`);
  }
}

/** An expected error of a call. The handler throws it, and the caller gets it with the same code. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler failed unexpectedly. Only the serving process reports the cause. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(call: string) {
    super(`${call}: the serving process failed`);
  }
}

export interface ProcessCall {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Name of the handler, for example `exchange.test_credentials`. */
  readonly name: string;
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  /** Polling interval, which is also the maximum delay after a lost notification. Default: 250. */
  readonly pollMs?: number;
}

/**
 * Calls the handler `name` in another process and returns its reply.
 *
 * @throws {CallTimeout} {@link CallRefused} {@link CallFailed}
 */
export async function callProcess(call: ProcessCall): Promise<Uint8Array> {
  const { dataSource, listener, name, input, timeoutMs, pollMs = 250 } = call;
  const id = newUuid();
  const endsAt = performance.now() + timeoutMs;
  let wake = new AbortController();
  const unsubscribe = listener.subscribe(REPLY_CHANNEL, (payload) => {
    if (payload === undefined || payload === id) wake.abort();
  });
  try {
    await dataSource.query(
      `WITH call AS (
         INSERT INTO process_calls (id, name, input, deadline)
         VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond') RETURNING name
       ) SELECT pg_notify('${CALL_CHANNEL}', name) FROM call`,
      [id, name, Buffer.from(input), timeoutMs],
    );
    for (;;) {
      wake = new AbortController();
      const reply = await readReply(dataSource, id, name);
      if (reply !== undefined) return reply;
      const remainingMs = endsAt - performance.now();
      if (remainingMs <= 0) throw new CallTimeout(name, timeoutMs);
      await pause(Math.min(pollMs, remainingMs), wake.signal);
    }
  } finally {
    unsubscribe();
    // A failure is ignored: a serving process deletes the row after the deadline.
    await dataSource.query('DELETE FROM process_calls WHERE id = $1', [id]).catch(() => undefined);
  }
}

async function readReply(dataSource: DataSource, id: string, name: string): Promise<Uint8Array | undefined> {
  const [row] = await dataSource.query(
    'SELECT reply, error_code, error_message FROM process_calls WHERE id = $1 AND answered_at IS NOT NULL',
    [id],
  );
  if (row === undefined) return undefined;
  if (row.error_code !== null) throw new CallRefused(row.error_code, row.error_message);
  if (row.reply === null) throw new CallFailed(name);
  return row.reply;
}

export interface CallContext {
  readonly callId: string;
  /** Aborted when the caller stops waiting. The handler must not start further steps after that. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly name: string;
  /** Returns the reply or throws {@link CallRefused} with a code. Any other error is unexpected. */
  readonly handle: (input: Uint8Array, context: CallContext) => Promise<Uint8Array>;
  /** Called for every unexpected error of a handler or the database. Serving continues. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of concurrent calls. Default: 8. */
  readonly concurrency?: number;
  /** Polling interval, which is also the maximum delay after a lost notification. Default: 1,000. */
  readonly pollMs?: number;
}

interface ClaimedCall {
  readonly id: string;
  readonly input: Buffer;
  readonly left_ms: number;
}

type Outcome = { readonly reply?: Uint8Array; readonly code?: string; readonly message?: string };

/** Serves the calls of `name`. `stop` claims no more calls and resolves when the running calls are complete. */
export function serveCalls(options: ServeOptions): { stop(): Promise<void> } {
  const { dataSource, listener, name, onError, concurrency = 8, pollMs = 1_000 } = options;
  const running = new Set<Promise<void>>();
  let isStopping = false;
  let wake = new AbortController();
  const unsubscribe = listener.subscribe(CALL_CHANNEL, (payload) => {
    if (payload === undefined || payload === name) wake.abort();
  });

  function startCall(call: ClaimedCall): void {
    const work = execute(options, call)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        wake.abort();
      });
    running.add(work);
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      // Reset before claiming, so that a notification during the claim causes another iteration.
      wake = new AbortController();
      try {
        await removeAbandoned(dataSource);
        // Claim only calls that can run now and leave the others to other processes. `p-limit` would queue them here.
        while (!isStopping && running.size < concurrency) {
          const call = await claimCall(dataSource, name);
          if (call === undefined) break;
          startCall(call);
        }
      } catch (error) {
        onError(error);
      }
      if (!isStopping) await pause(pollMs, wake.signal);
    }
    await Promise.all(running);
  }

  const loop = run();
  return {
    async stop() {
      isStopping = true;
      unsubscribe();
      wake.abort();
      await loop;
    },
  };
}

async function claimCall(dataSource: DataSource, name: string): Promise<ClaimedCall | undefined> {
  const [[call]] = await dataSource.query(
    `UPDATE process_calls SET claimed_at = clock_timestamp()
     WHERE id = (SELECT id FROM process_calls
                 WHERE name = $1 AND claimed_at IS NULL AND deadline > clock_timestamp()
                 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, input, (extract(epoch FROM deadline - clock_timestamp()) * 1000)::float8 AS left_ms`,
    [name],
  );
  return call;
}

async function execute({ dataSource, handle, onError }: ServeOptions, call: ClaimedCall): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), Math.max(0, call.left_ms));
  let outcome: Outcome;
  try {
    outcome = { reply: await handle(call.input, { callId: call.id, signal: deadline.signal }) };
  } catch (error) {
    if (error instanceof CallRefused) outcome = { code: error.code, message: error.message };
    else {
      outcome = {};
      onError(error);
    }
  } finally {
    clearTimeout(timer);
  }
  await dataSource.query(
    `WITH answered AS (
       UPDATE process_calls SET answered_at = clock_timestamp(), reply = $2, error_code = $3, error_message = $4
       WHERE id = $1 AND answered_at IS NULL RETURNING id
     ) SELECT pg_notify('${REPLY_CHANNEL}', id::text) FROM answered`,
    [call.id, outcome.reply && Buffer.from(outcome.reply), outcome.code, outcome.message],
  );
}

/** Deletes calls that their callers did not delete, for example because the calling process died. */
async function removeAbandoned(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    "DELETE FROM process_calls WHERE deadline < clock_timestamp() - interval '1 minute'",
  );
}

const pause = (delayMs: number, signal: AbortSignal) =>
  sleep(delayMs, undefined, { signal }).catch(() => undefined);
