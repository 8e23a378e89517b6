import type { RateBucket } from '@trading-automation/contracts';
import type { Actor, CommandRunner } from '@trading-automation/core';
import type { IncomingRequest, RequestLimits } from '@trading-automation/core/access';
import type { Loaders } from './loaders.js';

/** What the resolvers of one operation share. */
export interface RequestContext {
  /** Who asks; null where there were no credentials. */
  readonly actor: Actor | null;
  readonly incoming: IncomingRequest;
  readonly requestId: string;
  /** The Idempotency-Key of the request, and the text that makes the request the same as another. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | undefined;
  /** The limits of the caller for an operation with a bucket of its own. */
  readonly limitsOf: (bucket: RateBucket | undefined) => RequestLimits;
  readonly commands: Pick<CommandRunner, 'run'>;
  /** Counts a use of what goes with the next major version. */
  readonly recordDeprecatedUse: (mutation: string) => void;
  readonly loaders: Loaders;
  /** Set once a field was answered by what was kept for its Idempotency-Key. */
  isReplayed: boolean;
}
