import {
  type CredentialKind,
  DomainError,
  encodeId,
  type IdPrefix,
  type Permission,
  permits,
} from '@trading-automation/contracts';
import type { IdempotencyContext } from './command-runner.js';

/** The authenticated caller, which is the first argument of every use-case. */
export interface Actor {
  /** A uuid. */
  readonly userId: string;
  readonly credential: {
    readonly kind: CredentialKind;
    /** A uuid. */
    readonly id: string;
    readonly permissions: readonly Permission[];
  };
  /** Set if the request has an Idempotency-Key. */
  readonly idempotency?: IdempotencyContext | undefined;
  /** Set for an operation that only computes its response. Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** Asserts that the actor's credential has a permission. @throws {DomainError} `permission_denied`, naming it */
export function authorise(actor: Actor, needed: Permission): void {
  if (permits(actor.credential.permissions, needed)) return;
  throw new DomainError('permission_denied', undefined, [
    { code: 'permission_needed', message: `This needs the permission ${needed}.`, permission: needed },
  ]);
}

/** Asserts that the actor's credential may call an operation. @throws {DomainError} `permission_denied` */
export function authoriseOperation(
  actor: Actor,
  {
    access,
    sessionAccess = access,
  }: { readonly access: Permission; readonly sessionAccess?: Permission | undefined },
): void {
  authorise(actor, actor.credential.kind === 'browser_session' ? sessionAccess : access);
}

/** The prefix of the public id of each kind of credential. */
export const CREDENTIAL_PREFIXES = {
  api_key: 'key',
  public_key: 'pbk',
  session: 'ses',
  browser_session: 'pbk',
} as const satisfies Record<CredentialKind, IdPrefix>;

/** Returns the public id of the credential. */
export function credentialId({ credential }: Actor): string {
  return encodeId(CREDENTIAL_PREFIXES[credential.kind], credential.id);
}
