import { DomainError, encodeId, type Permission, permits } from '@trading-automation/contracts';
import type { OnceRequest } from '../commands.js';

/** Who asks: the first argument of every use-case. */
export interface Actor {
  /** A uuid. */
  readonly userId: string;
  readonly credential: {
    readonly kind: 'api_key' | 'public_key';
    /** A uuid. */
    readonly id: string;
    readonly permissions: readonly Permission[];
  };
  /** Set where the request carries an Idempotency-Key. */
  readonly once?: OnceRequest | undefined;
}

/** @throws {DomainError} `permission_denied`, naming the permission that is needed */
export function authorise(actor: Actor, needed: Permission): void {
  if (permits(actor.credential.permissions, needed)) return;
  throw new DomainError('permission_denied', undefined, [
    { code: 'permission_needed', message: `This needs the permission ${needed}.`, permission: needed },
  ]);
}

/** The public id of the credential. */
export function credentialId({ credential }: Actor): string {
  return encodeId(credential.kind === 'api_key' ? 'key' : 'pbk', credential.id);
}
