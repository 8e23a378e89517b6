/**
 * The context of one call to an exchange.
 *
 * Whether a failed order may have been accepted depends on two facts that ccxt does not report: whether any byte was
 * sent, and which response arrived. The transport records both in the `Call`. Each call has its own `Call` in the
 * asynchronous context, so calls may run concurrently.
 *
 * A ccxt client is slow to create and takes much memory, so one client serves every account of an exchange. Each call
 * runs with the credentials in its context.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallPurpose } from '../call-budget.js';
import type { ExchangeCredentials } from '../port.js';

/** `write`: the call may change state at the exchange. */
export type CallKind = 'read' | 'write';

/** The account that a call runs for. */
export interface CallAccount {
  readonly credentials: ExchangeCredentials;
  /** The account's key in the call budget. */
  readonly key: string;
  /** The user of the account; undefined if the caller did not name one. */
  readonly userId?: string | undefined;
  /** The local address of the account's connections; undefined if none is configured. */
  readonly egress?: string | undefined;
}

export interface CallRequest {
  readonly kind: CallKind;
  /** Undefined for public data. */
  readonly account?: CallAccount | undefined;
  /** The user who waits for public data. */
  readonly userId?: string | undefined;
  /** Whether the call counts as a new order. */
  readonly isOrder?: boolean;
  readonly isExit?: boolean | undefined;
  /** The share of the call budget. Default: see `purposeOf`. */
  readonly purpose?: CallPurpose | undefined;
  /** Nothing may be sent after this value of `performance.now()`; a response may arrive later. */
  readonly sendByMs?: number | undefined;
}

export interface Call extends CallRequest {
  /** Aborts at the time limit; nothing may be sent afterwards. */
  readonly signal: AbortSignal;
  /** The same time limit as a value of `performance.now()`, because timers fire late in a stalled process. */
  endsAtMs: number;
  /**
   * Starts the time limit anew and returns the new `endsAtMs`. Defined for background reads, whose time in the queue of
   * the call budget does not count.
   */
  readonly restart?: (() => number) | undefined;
  /** Whether the call budget has released the request. Before that, the request waits for the budget. */
  isReleased: boolean;
  /** The nonce of the next request, at exchanges that require rising nonces. */
  nonce?: number | undefined;
  /** Lets the next request of the key go, at these exchanges; defined from the turn of the call's first request on. */
  endTurn?: (() => void) | undefined;
  /** Whether any part of a request may have reached the exchange. */
  isSent: boolean;
  /** The last response, whatever its status. */
  response?: { readonly status: number; readonly body: string };
}

/** Whether the time limit has passed, so that nothing may be sent any more. */
const isExpired = ({ signal, endsAtMs }: Call): boolean => signal.aborted || performance.now() >= endsAtMs;

/** Whether a request may no longer be started. */
export const isTooLateToSend = (call: Call): boolean =>
  isExpired(call) || performance.now() >= (call.sendByMs ?? Number.POSITIVE_INFINITY);

/** The time limit of a call. */
export type Deadline = Pick<Call, 'signal' | 'endsAtMs' | 'restart'>;

/** Returns a deadline that never passes, for work that sends nothing. */
export const noDeadline = (): Deadline => ({
  signal: new AbortController().signal,
  endsAtMs: Number.POSITIVE_INFINITY,
});

const calls = new AsyncLocalStorage<Call>();

/** Returns the credentials of the current call; undefined outside a call and for public data. */
export function currentCredentials(): ExchangeCredentials | undefined {
  return calls.getStore()?.account?.credentials;
}

export function currentCall(): Call {
  const call = calls.getStore();
  if (call === undefined)
    throw new Error('An exchange request needs a call context: start it with runCall().');
  return call;
}

/** Thrown when the time limit of a call passes before the call ends. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs `work` as one call. Settles when `work` does or when the signal aborts, whichever comes first. On failure,
 * `translate` converts the error; its second argument records what was sent and which response arrived.
 */
export async function runCall<T>(
  request: CallRequest,
  deadline: Deadline,
  work: () => Promise<T>,
  translate: (error: unknown, call: Call) => Error,
): Promise<T> {
  const call: Call = { ...request, ...deadline, isReleased: false, isSent: false };
  try {
    return await calls.run(call, () => beforeSignal(deadline.signal, work()));
  } catch (error) {
    throw translate(error, call);
  } finally {
    call.endTurn?.();
  }
}

/**
 * Returns the result of `work`, or throws {@link DeadlineExceeded} if the signal aborts first. The transport, not this
 * function, then stops `work`.
 */
async function beforeSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = createDeferred<never>();
  const onAbort = () => reject(new DeadlineExceeded());
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs `work` with the credentials of an account. `work` must be synchronous and send nothing. */
export function runAsAccount<T>(account: CallAccount, work: () => T): T {
  return calls.run({ kind: 'read', account, ...noDeadline(), isReleased: false, isSent: false }, work);
}

/** Creates a promise with the functions that settle it. */
export function createDeferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
