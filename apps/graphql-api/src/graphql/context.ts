import type { RateBucket } from '@trading-automation/contracts';
import type { Actor, CommandRunner } from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Loaders } from './loaders.js';

/** State that the resolvers of one operation share. */
export interface RequestContext {
  /** The caller; null if the request has no credentials. */
  readonly actor: Actor | null;
  readonly incoming: IncomingRequest;
  readonly requestId: string;
  /** Returns a signal that is aborted if the client disconnects; undefined on a socket. */
  readonly disconnected: (() => AbortSignal) | undefined;
  /** The Idempotency-Key of the request, and the hash that identifies equal requests. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | undefined;
  /** Returns the rate limits of this request in the given bucket; `undefined` means the general bucket. */
  readonly limitsOf: (bucket: RateBucket | undefined) => RequestLimits;
  readonly commands: Pick<CommandRunner, 'run' | 'share'>;
  /** Counts a use of a mutation that the next major version removes. */
  readonly recordDeprecatedUse: (mutation: string) => void;
  readonly loaders: Loaders;
  /** True if a field returned the stored response of its Idempotency-Key. */
  isReplayed: boolean;
}
