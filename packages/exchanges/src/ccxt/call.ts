/**
 * One call to an exchange, from its start to its end.
 *
 * Whether a failed order may have been accepted depends on facts that the client library doesn't tell: had any byte
 * been sent, and what came back? The transport notes both here. The record travels with the asynchronous context, so
 * that calls may run side by side: it is also how one client of the library, which takes long to make and much memory
 * to keep, speaks for every account of an exchange with that account's credentials.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExchangeCredentials } from '../port.js';

/** `write`: it may change something at the exchange. */
export type CallKind = 'read' | 'write';

/** For whom a call is made. */
export interface CallAccount {
  readonly credentials: ExchangeCredentials;
  /** By which a budget knows the account. */
  readonly key: string;
}

export interface CallRequest {
  readonly kind: CallKind;
  /** Nobody where only public data is asked for. */
  readonly account?: CallAccount | undefined;
  /** Whether it counts as a new order. */
  readonly isOrder?: boolean;
  readonly isExit?: boolean | undefined;
}

export interface Call extends CallRequest {
  /** Aborts at the time limit; nothing may be sent from then on. */
  readonly signal: AbortSignal;
  /** The same limit by the monotonic clock: timers come late to a process that stood still. */
  readonly endsAtMs: number;
  /** Whether the request got as far as the network; before that it waits for its turn in the rate limit. */
  isDispatched: boolean;
  /** Whether any part of a request may have reached the exchange. */
  isSent: boolean;
  /** The last answer, whatever it said. */
  response?: { readonly status: number; readonly body: string };
}

/** Whether nothing may be sent any more. */
export const isOver = ({ signal, endsAtMs }: Call): boolean =>
  signal.aborted || performance.now() >= endsAtMs;

/** How long a call may take. */
export type Deadline = Pick<Call, 'signal' | 'endsAtMs'>;

/** Of what is never sent. */
export const noDeadline = (): Deadline => ({
  signal: new AbortController().signal,
  endsAtMs: Number.POSITIVE_INFINITY,
});

const calls = new AsyncLocalStorage<Call>();

/** The credentials to speak with at this moment; none outside of a call and for public data. */
export function currentCredentials(): ExchangeCredentials | undefined {
  return calls.getStore()?.account?.credentials;
}

export function currentCall(): Call {
  const call = calls.getStore();
  if (call === undefined) throw new Error('an exchange is only spoken to within a call');
  return call;
}

/** The time limit of a call came before its end. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs `work` as one call and ends when it does or at the signal, whichever comes first. A failure is told by
 * `translate`, which sees how far the call came.
 */
export async function runCall<T>(
  request: CallRequest,
  limit: Deadline,
  work: () => Promise<T>,
  translate: (error: unknown, call: Call) => Error,
): Promise<T> {
  const call: Call = { ...request, ...limit, isDispatched: false, isSent: false };
  try {
    return await calls.run(call, () => beforeSignal(limit.signal, work()));
  } catch (error) {
    throw translate(error, call);
  }
}

/** What `work` gives, or {@link DeadlineExceeded} at the signal. `work` may go on: the transport stops it. */
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

/** Runs `work`, which is synchronous and sends nothing, with the credentials of an account. */
export function runAsAccount<T>(account: CallAccount, work: () => T): T {
  return calls.run({ kind: 'read', account, ...noDeadline(), isDispatched: false, isSent: false }, work);
}

/** A promise and what settles it. */
export function createDeferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
