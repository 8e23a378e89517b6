/**
 * Serves the calls of other processes (`process-calls.ts`).
 *
 * 1. A call is claimed only if a slot is free for its user and its account; the others stay in Postgres, where any
 *    serving process can claim them. Slots are counted for each serving process.
 * 2. Users take turns (`fair-slots.ts`): the number of calls that one user has waiting does not delay other users.
 * 3. A slot is free only when its handler has ended, even if the time limit passed before.
 */
import type { DataSource } from 'typeorm';
import { FairSlots, type Share, type SlotLimits } from './fair-slots.js';
import type { Listener } from './listener.js';
import { CALL_CHANNEL, CallRefused, pause, REPLY_CHANNEL, REPLY_MARGIN_MS } from './process-calls.js';

export interface CallContext {
  readonly callId: string;
  /** The user on whose behalf the call is made; null for calls of the previous release. */
  readonly userId: string | null;
  /**
   * Aborted at the time limit, shortly before the caller stops waiting. The handler must not start further steps after
   * that. An error that it throws at once still reaches the caller.
   */
  readonly signal: AbortSignal;
}

/** Returns the reply or throws {@link CallRefused} with a code. Any other error is unexpected. */
export type CallHandler = (input: Uint8Array, context: CallContext) => Promise<Uint8Array>;

export interface ServeOptions {
  readonly dataSource: DataSource;
  readonly listener: Pick<Listener, 'subscribe'>;
  /** The handlers by name of the call. They share the slots. */
  readonly handlers: Readonly<Record<string, CallHandler>>;
  /** Called for every unexpected error of a handler or the database. Serving continues. */
  readonly onError: (error: unknown) => void;
  /** Concurrent calls. Default: 32 in all, 4 for each user, 2 for each account. */
  readonly slots?: SlotLimits;
  /** Polling interval, which is also the maximum delay after a lost notification. Default: 1,000. */
  readonly pollMs?: number;
  /**
   * Makes the reply to a caller whose handler reaches its time limit. Without it, the caller gets what the handler
   * returns before the caller's own deadline. `userId` is the user on whose behalf the call is made.
   */
  readonly onTimeLimit?: (userId: string | undefined) => CallRefused;
  /** The time between the end of a handler's time limit and the caller's deadline, in ms. Default: 2,000. */
  readonly replyMarginMs?: number;
}

const DEFAULT_SLOTS: SlotLimits = { total: 32, perUser: 4, perAccount: 2 };

interface WaitingCall extends Share {
  readonly id: string;
}

interface ClaimedCall extends WaitingCall {
  readonly name: string;
  readonly input: Buffer;
  readonly leftMs: number;
}

type Outcome = { readonly reply?: Uint8Array; readonly code?: string; readonly message?: string };

/** Serves calls. `stop` claims no more calls and resolves when the running calls are complete. */
export function serveCalls(options: ServeOptions): { stop(): Promise<void> } {
  const { dataSource, listener, handlers, onError, slots = DEFAULT_SLOTS, pollMs = 1_000 } = options;
  const fairSlots = new FairSlots(slots);
  const running = new Set<Promise<void>>();
  let isStopping = false;
  let wake = new AbortController();
  const unsubscribe = listener.subscribe(CALL_CHANNEL, (payload) => {
    if (payload === undefined || Object.hasOwn(handlers, payload)) wake.abort();
  });

  function startCall(call: ClaimedCall): void {
    const release = fairSlots.occupy(call);
    const work = execute(options, call)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        release();
        wake.abort();
      });
    running.add(work);
  }

  async function claimCalls(): Promise<void> {
    while (!isStopping && fairSlots.free > 0) {
      const chosen = fairSlots.choose(await readWaiting(options, slots, fairSlots.full));
      if (chosen.length === 0) return;
      const claimed = new Map((await claim(options, chosen)).map((call) => [call.id, call]));
      // In the order of service, which Postgres does not keep.
      for (const { id } of chosen) {
        const call = claimed.get(id);
        if (call !== undefined) startCall(call);
      }
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      // Reset before claiming, so that a notification during the claim causes another iteration.
      wake = new AbortController();
      try {
        await removeAbandoned(dataSource);
        await claimCalls();
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

/** How many waiting calls are read at once: the first ones of each user before the second ones. */
const WAITING_MAX = 500;

/** Returns the oldest waiting calls of each user, without those that have no free slot. */
function readWaiting(
  { dataSource, handlers, replyMarginMs = REPLY_MARGIN_MS }: ServeOptions,
  { perUser, perAccount = perUser }: SlotLimits,
  full: FairSlots['full'],
): Promise<WaitingCall[]> {
  return dataSource.query(
    `SELECT id, user_id AS "userId", account_id AS "accountId" FROM (
       SELECT id, user_id, account_id,
         row_number() OVER (PARTITION BY user_id, account_id ORDER BY id) AS place_in_account,
         row_number() OVER (PARTITION BY user_id ORDER BY id) AS place_in_user
       FROM process_calls
       WHERE name = ANY ($1) AND claimed_at IS NULL
         AND deadline > clock_timestamp() + $2 * interval '1 millisecond'
         AND coalesce(user_id::text, '') <> ALL ($3) AND coalesce(account_id::text, '') <> ALL ($4)
     ) waiting
     WHERE place_in_account <= CASE WHEN account_id IS NULL THEN $5::int ELSE $6::int END
     ORDER BY place_in_user, id LIMIT ${WAITING_MAX}`,
    [Object.keys(handlers), replyMarginMs, full.users, full.accounts, perUser, perAccount],
  );
}

/** Claims the calls that no other process has claimed meanwhile. */
async function claim(
  { dataSource }: ServeOptions,
  calls: readonly WaitingCall[],
): Promise<readonly ClaimedCall[]> {
  const [claimed] = await dataSource.query(
    `UPDATE process_calls SET claimed_at = clock_timestamp()
     WHERE id IN (SELECT id FROM process_calls WHERE id = ANY ($1) AND claimed_at IS NULL FOR UPDATE SKIP LOCKED)
     RETURNING id, name, input, user_id AS "userId", account_id AS "accountId",
       (extract(epoch FROM deadline - clock_timestamp()) * 1000)::float8 AS "leftMs"`,
    [calls.map(({ id }) => id)],
  );
  return claimed;
}

async function execute(options: ServeOptions, call: ClaimedCall): Promise<void> {
  const { dataSource, onError, onTimeLimit, replyMarginMs = REPLY_MARGIN_MS } = options;
  const limit = new AbortController();
  let overdue: Promise<void> | undefined;
  const timer = setTimeout(
    () => {
      limit.abort();
      if (onTimeLimit === undefined) return;
      overdue = reply(dataSource, call.id, outcomeOfRefusal(onTimeLimit(call.userId ?? undefined))).catch(
        onError,
      );
    },
    Math.max(0, call.leftMs - replyMarginMs),
  );
  const outcome = await outcomeOf(options, call, limit.signal);
  clearTimeout(timer);
  // Has no effect if the caller was already answered at the time limit.
  await overdue;
  await reply(dataSource, call.id, outcome);
}

async function outcomeOf(
  { handlers, onError }: ServeOptions,
  call: ClaimedCall,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return {
      reply: await handlers[call.name]!(call.input, { callId: call.id, userId: call.userId, signal }),
    };
  } catch (error) {
    if (error instanceof CallRefused) return outcomeOfRefusal(error);
    onError(error);
    return {};
  }
}

const outcomeOfRefusal = ({ code, message, data }: CallRefused): Outcome => ({
  code,
  message,
  ...(data === undefined ? {} : { reply: data }),
});

async function reply(dataSource: DataSource, id: string, { reply, code, message }: Outcome): Promise<void> {
  await dataSource.query(
    `WITH answered AS (
       UPDATE process_calls SET answered_at = clock_timestamp(), reply = $2, error_code = $3, error_message = $4
       WHERE id = $1 AND answered_at IS NULL RETURNING id
     ) SELECT pg_notify('${REPLY_CHANNEL}', id::text) FROM answered`,
    [id, reply && Buffer.from(reply), code, message],
  );
}

/** Deletes calls that their callers did not delete, for example because the calling process died. */
async function removeAbandoned(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    "DELETE FROM process_calls WHERE deadline < clock_timestamp() - interval '1 minute'",
  );
}
