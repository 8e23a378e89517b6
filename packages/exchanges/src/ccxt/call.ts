/**
 * One call to an exchange, from its start to its end.
 *
 * Whether a failed order may have been accepted depends on facts that the client library doesn't tell: had any byte
 * been sent, and what came back? The transport notes both here. The record travels with the asynchronous context, so
 * that calls of one client may run side by side.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** `write`: it may change something at the exchange. */
export type CallKind = 'read' | 'write';

export interface Call {
  readonly kind: CallKind;
  /** Aborts at the time limit; nothing may be sent from then on. */
  readonly signal: AbortSignal;
  /** Whether the request got as far as the network; before that it waits for its turn in the rate limit. */
  isDispatched: boolean;
  /** Whether any part of a request may have reached the exchange. */
  isSent: boolean;
  /** The last answer, whatever it said. */
  answer?: { readonly status: number; readonly body: string };
}

const calls = new AsyncLocalStorage<Call>();

export function currentCall(): Call {
  const call = calls.getStore();
  if (call === undefined) throw new Error('an exchange is only spoken to within a call');
  return call;
}

/** The time limit of a call came before its end. */
export class TimeLimitReached extends Error {
  override readonly name = 'TimeLimitReached';
}

/**
 * Runs `work` as one call and ends when it does or at the signal, whichever comes first. A failure is told by
 * `translate`, which sees how far the call came.
 */
export async function runCall<T>(
  kind: CallKind,
  signal: AbortSignal,
  work: () => Promise<T>,
  translate: (error: unknown, call: Call) => Error,
): Promise<T> {
  const call: Call = { kind, signal, isDispatched: false, isSent: false };
  try {
    return await calls.run(call, () => beforeSignal(signal, work()));
  } catch (error) {
    throw translate(error, call);
  }
}

/** What `work` gives, or {@link TimeLimitReached} at the signal. `work` may go on: the transport stops it. */
async function beforeSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = pending<never>();
  const onAbort = () => reject(new TimeLimitReached());
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A promise and what settles it. */
export function pending<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
