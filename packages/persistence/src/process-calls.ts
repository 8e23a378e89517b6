/**
 * Sends requests and replies between processes. A row in Postgres contains both; a notification is sent for each.
 *
 * 1. Only one process claims a call, and only once. If that process dies, the caller waits until its deadline. A call
 *    that timed out may have been executed, so the caller must be able to repeat it safely.
 * 2. A call has `startWithinMs` to be claimed, `operationMs` at least to be executed, and `REPLY_MARGIN_MS` to be
 *    answered; its deadline is the sum. A call that is not claimed in time is withdrawn, and a late reply is discarded.
 * 3. Input and reply are opaque bytes; the caller encrypts secrets in them. The caller deletes the row after it reads
 *    the reply. A serving process deletes rows that remain one minute after their deadline.
 * 4. Deadlines use the database's clock. Notifications only reduce the delay; polling is sufficient.
 * 5. Users share the serving processes (`serve-process-calls.ts`). In each lane, the open calls of a user are limited,
 *    so that a user who waits fills only a queue of their own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { newUuid } from './ids.js';
import type { Listener } from './listener.js';
import { inTransaction } from './transaction.js';

export const CALL_CHANNEL = 'process_calls';
export const REPLY_CHANNEL = 'process_replies';

/**
 * The time in ms that is reserved for a reply to reach its caller. A handler's time limit ends this long before the
 * caller stops waiting, so the caller learns why the operation failed.
 */
export const REPLY_MARGIN_MS = 2_000;

/** Open calls of one user in one lane, waiting or running. Further calls throw {@link CallQueueFull}. */
const OPEN_CALLS_MAX = 64;

/** No process claimed the call, or none replied within the timeout. In the second case, the call may have been executed. */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
  constructor(call: string, waitedMs: number) {
    super(`${call}: no reply within ${waitedMs} ms`);
  }
}

/** The user's own open calls leave no slot for this one. It was not executed. */
export class CallQueueFull extends Error {
  override readonly name = 'CallQueueFull';
  constructor(
    call: string,
    /** Calls of the user in this lane that are waiting or running. */
    readonly openCalls: number,
  ) {
    super(`${call}: ${openCalls} calls of the user are still open`);
  }
}

/** An expected error of a call. The handler throws it, and the caller gets it with the same code and data. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  constructor(
    readonly code: string,
    message: string,
    /** What the caller needs besides the code; opaque, as a reply. */
    readonly data?: Uint8Array,
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

/** Whose slots a call uses. */
export interface CallOwner {
  readonly userId: string;
  /** The exchange account or the webhook; undefined if the call belongs to none. */
  readonly accountId?: string | undefined;
}

/** How long each part of a call may take, in ms. */
export interface CallTimes {
  /** Until a process claims the call. */
  readonly startWithinMs: number;
  /** The least time that a handler has. */
  readonly operationMs: number;
}

/** Returns how long the caller waits for a reply, in ms. */
export const callTimeoutMs = ({ startWithinMs, operationMs }: CallTimes): number =>
  startWithinMs + operationMs + REPLY_MARGIN_MS;

export interface ProcessCall extends CallTimes {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Name of the handler, for example `exchange.test_credentials`. */
  readonly name: string;
  readonly owner: CallOwner;
  /** The slots and the queue that the call uses. Calls in different lanes do not delay each other. */
  readonly lane: string;
  readonly input: Uint8Array;
  /** Maximum number of open calls of the user in the lane, this one included. Default: 64. */
  readonly openCallsMax?: number;
  /** Polling interval, which is also the maximum delay after a lost notification. Default: 250. */
  readonly pollMs?: number;
}

/**
 * Calls the handler `name` in another process and returns its reply.
 *
 * @throws {CallTimeout} {@link CallRefused} {@link CallFailed} {@link CallQueueFull}
 */
export async function callProcess(call: ProcessCall): Promise<Uint8Array> {
  const { dataSource, listener, name, startWithinMs, pollMs = 250 } = call;
  const id = newUuid();
  const startedAt = performance.now();
  const timeoutMs = callTimeoutMs(call);
  let wake = new AbortController();
  const unsubscribe = listener.subscribe(REPLY_CHANNEL, (payload) => {
    if (payload === undefined || payload === id) wake.abort();
  });
  try {
    await insertCall(call, id);
    for (let isClaimed = false; ; ) {
      wake = new AbortController();
      const state = await readCall(dataSource, id, name);
      if (state.reply !== undefined) return state.reply;
      isClaimed = state.isClaimed;
      const waitedMs = performance.now() - startedAt;
      if (!isClaimed && waitedMs >= startWithinMs && (await withdraw(dataSource, id)))
        throw await notStarted(call, waitedMs);
      if (waitedMs >= timeoutMs) throw new CallTimeout(name, timeoutMs);
      const nextLimitMs = !isClaimed && waitedMs < startWithinMs ? startWithinMs : timeoutMs;
      await pause(Math.min(pollMs, nextLimitMs - waitedMs), wake.signal);
    }
  } finally {
    unsubscribe();
    // A failure is ignored: a serving process deletes the row after the deadline.
    await dataSource.query('DELETE FROM process_calls WHERE id = $1', [id]).catch(() => undefined);
  }
}

/** Stores the call and notifies the serving processes. The user's lock makes the limit of open calls exact. */
async function insertCall(call: ProcessCall, id: string): Promise<void> {
  const { dataSource, name, owner, lane, input, openCallsMax = OPEN_CALLS_MAX } = call;
  await inTransaction(dataSource, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${lane}/${owner.userId}`]);
    const [inserted] = await tx.query(
      `WITH open AS (
         SELECT count(*)::int AS calls FROM process_calls
         WHERE user_id = $4 AND lane = $6 AND answered_at IS NULL AND deadline > clock_timestamp()
       ), call AS (
         INSERT INTO process_calls (id, name, input, user_id, account_id, lane, deadline)
         SELECT $1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond'
         FROM open WHERE calls < $8 RETURNING name
       ) SELECT calls, (SELECT pg_notify('${CALL_CHANNEL}', name) FROM call), (SELECT name FROM call) FROM open`,
      [
        id,
        name,
        Buffer.from(input),
        owner.userId,
        owner.accountId ?? null,
        lane,
        callTimeoutMs(call),
        openCallsMax,
      ],
    );
    if (inserted.name === null) throw new CallQueueFull(name, inserted.calls);
  });
}

interface CallState {
  readonly isClaimed: boolean;
  readonly reply?: Uint8Array;
}

async function readCall(dataSource: DataSource, id: string, name: string): Promise<CallState> {
  const [row] = await dataSource.query(
    `SELECT claimed_at IS NOT NULL AS is_claimed, answered_at IS NOT NULL AS is_answered, reply, error_code,
       error_message
     FROM process_calls WHERE id = $1`,
    [id],
  );
  if (row?.is_answered !== true) return { isClaimed: row?.is_claimed === true };
  if (row.error_code !== null)
    throw new CallRefused(row.error_code, row.error_message, row.reply ?? undefined);
  if (row.reply === null) throw new CallFailed(name);
  return { isClaimed: true, reply: row.reply };
}

/** Deletes the call unless a process has claimed it. Returns whether it was deleted. */
async function withdraw(dataSource: DataSource, id: string): Promise<boolean> {
  const [, deleted] = await dataSource.query(
    'DELETE FROM process_calls WHERE id = $1 AND claimed_at IS NULL',
    [id],
  );
  return deleted === 1;
}

/** The reason why no process claimed a call: the user's running calls, or no process serves it. */
async function notStarted({ dataSource, name, owner, lane }: ProcessCall, waitedMs: number): Promise<Error> {
  const [{ calls }] = await dataSource.query(
    `SELECT count(*)::int AS calls FROM process_calls WHERE user_id = $1 AND lane = $2
       AND claimed_at IS NOT NULL AND answered_at IS NULL AND deadline > clock_timestamp()`,
    [owner.userId, lane],
  );
  return calls > 0 ? new CallQueueFull(name, calls) : new CallTimeout(name, Math.round(waitedMs));
}

/** Waits until the delay ends or the signal aborts. */
export const pause = (delayMs: number, signal: AbortSignal) =>
  sleep(Math.max(0, delayMs), undefined, { signal }).catch(() => undefined);
