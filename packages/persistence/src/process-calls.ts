/**
 * Request and reply between processes: a row in Postgres, a notification there and one back.
 *
 * 1. A call is claimed by one process and never again: a server that dies after its claim leaves the caller to
 *    its deadline. A call that timed out may have been carried out; whoever repeats it must be able to.
 * 2. Nothing is claimed after its deadline, and a reply that comes later reaches nobody.
 * 3. Input and reply are bytes that this mechanism does not read. What is secret in them is sealed by the
 *    caller; the row is removed with the answer, and at the latest a minute after the deadline.
 * 4. Deadlines go by the database's clock. Notifications only shorten the wait; polling alone suffices.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { newUuid } from './ids.js';
import type { Listener } from './listener.js';

const CALL_CHANNEL = 'process_calls';
const REPLY_CHANNEL = 'process_replies';

/** Nobody answered in time. The call may or may not have been carried out. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
  constructor(call: string, timeoutMs: number) {
    super(`${call}: no answer within ${timeoutMs} ms`);
  }
}

/** The expected refusal of a call: thrown by the handler, and thrown again, with the same code, to the caller. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler broke. The reason stays with the process that serves. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(call: string) {
    super(`${call}: the serving process failed`);
  }
}

export interface ProcessCall {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Which handler is meant, for example `exchange.test_credentials`. */
  readonly name: string;
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  /** How long an answer can wait where its notification is lost; 250 unless given. */
  readonly pollMs?: number;
}

/**
 * Has another process carry out `name`, and gives its reply.
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
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) throw new CallTimeout(name, timeoutMs);
      await pause(Math.min(pollMs, leftMs), wake.signal);
    }
  } finally {
    unsubscribe();
    // Best effort: a row left here is removed by its server after the deadline.
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
  /** Aborted when the caller has stopped waiting: what has not begun by then should not begin. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly name: string;
  /** Gives the reply, or throws {@link CallRefused} to refuse by a code; any other error is a fault. */
  readonly handle: (input: Uint8Array, context: CallContext) => Promise<Uint8Array>;
  /** Told of every fault of a handler or of the database; serving goes on. */
  readonly onError: (error: unknown) => void;
  /** The most calls at work at once; 8 unless given. */
  readonly concurrency?: number;
  /** How long a call can wait where its notification is lost; 1,000 unless given. */
  readonly pollMs?: number;
}

interface ClaimedCall {
  readonly id: string;
  readonly input: Buffer;
  readonly left_ms: number;
}

type Outcome = { readonly reply?: Uint8Array; readonly code?: string; readonly message?: string };

/** Serves calls named `name` from now on; `stop` claims no more and resolves when those at work are answered. */
export function serveCalls(options: ServeOptions): { stop(): Promise<void> } {
  const { dataSource, listener, name, onError, concurrency = 8, pollMs = 1_000 } = options;
  const atWork = new Set<Promise<void>>();
  let isStopping = false;
  let wake = new AbortController();
  const unsubscribe = listener.subscribe(CALL_CHANNEL, (payload) => {
    if (payload === undefined || payload === name) wake.abort();
  });

  function begin(call: ClaimedCall): void {
    const work = carryOut(options, call)
      .catch(onError)
      .finally(() => {
        atWork.delete(work);
        wake.abort();
      });
    atWork.add(work);
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      // Whatever happens from here on makes another turn: hence before the look.
      wake = new AbortController();
      try {
        await removeAbandoned(dataSource);
        while (!isStopping && atWork.size < concurrency) {
          const call = await claimCall(dataSource, name);
          if (call === undefined) break;
          begin(call);
        }
      } catch (error) {
        onError(error);
      }
      if (!isStopping) await pause(pollMs, wake.signal);
    }
    await Promise.all(atWork);
  }

  const running = run();
  return {
    async stop() {
      isStopping = true;
      unsubscribe();
      wake.abort();
      await running;
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

async function carryOut({ dataSource, handle, onError }: ServeOptions, call: ClaimedCall): Promise<void> {
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

/** Calls whose caller died: nobody else removes them. */
async function removeAbandoned(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    "DELETE FROM process_calls WHERE deadline < clock_timestamp() - interval '1 minute'",
  );
}

const pause = (delayMs: number, signal: AbortSignal) =>
  sleep(delayMs, undefined, { signal }).catch(() => undefined);
