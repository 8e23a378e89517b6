/**
 * Keeps the rights of a new credential within those of the credential that creates it, its parent. The functions are
 * pure.
 *
 * A stolen credential that expires, or that works only from some addresses, must not create another one that does not
 * end with it or works from elsewhere.
 */
import { DomainError, type ErrorDetail, type Permission, permits } from '@trading-automation/contracts';
import { isRangeWithin } from './address-allowlist.rules.js';

/** What a credential may do, until when, and from where. */
export interface CredentialRights {
  readonly permissions: readonly Permission[];
  /** Null if it does not expire. */
  readonly expiresAt: Date | null;
  /** IP addresses and CIDR ranges. An empty list allows every address. */
  readonly ipAllowlist: readonly string[];
}

/** The rights requested for a new credential. An omitted expiry or allow-list is taken from the parent. */
export interface RequestedRights {
  readonly permissions: readonly Permission[];
  readonly expiresAt?: Date | null | undefined;
  readonly ipAllowlist?: readonly string[] | undefined;
}

/**
 * Returns the rights of a child credential.
 *
 * @throws {DomainError} `permission_denied` if the child would have a permission, a time or an address that its parent
 *   lacks
 */
export function childRights(parent: CredentialRights, requested: RequestedRights): CredentialRights {
  const { permissions, expiresAt = parent.expiresAt, ipAllowlist = parent.ipAllowlist } = requested;
  const details = [
    ...permissions.flatMap((permission) => lacking(parent, permission)),
    ...expiryBeyond(parent, expiresAt),
    ...addressesBeyond(parent, ipAllowlist),
  ];
  if (details.length > 0) throw beyondParent(details);
  return { permissions: [...new Set(permissions)], expiresAt, ipAllowlist };
}

/**
 * Asserts that a credential may create one that neither expires nor is limited to addresses, such as a public key.
 *
 * @throws {DomainError} `permission_denied` if the parent expires or has an allow-list
 */
export function assertUnlimited(parent: CredentialRights): void {
  childRights(parent, { permissions: ['ADMIN'], expiresAt: null, ipAllowlist: [] });
}

function lacking({ permissions }: CredentialRights, permission: Permission): ErrorDetail[] {
  if (permits(permissions, permission)) return [];
  const message = `This needs the permission ${permission}.`;
  return [{ code: 'permission_needed', message, permission }];
}

function expiryBeyond({ expiresAt: limit }: CredentialRights, expiresAt: Date | null): ErrorDetail[] {
  if (limit === null || (expiresAt !== null && expiresAt <= limit)) return [];
  const until = limit.toISOString();
  const message = `The credential of this request expires at ${until}; one that it creates must expire then or earlier, got ${expiresAt?.toISOString() ?? 'no expiry'}.`;
  return [{ field: 'expires_at', code: 'beyond_parent', message, limit: until }];
}

function addressesBeyond({ ipAllowlist: ranges }: CredentialRights, list: readonly string[]): ErrorDetail[] {
  if (ranges.length === 0) return [];
  const outside = list.filter((entry) => !ranges.some((range) => isRangeWithin(entry, range)));
  if (list.length > 0 && outside.length === 0) return [];
  const got = list.length === 0 ? 'every address' : outside.join(', ');
  const message = `The credential of this request is limited to ${ranges.join(', ')}; one that it creates must be limited to these addresses, got ${got}.`;
  return [{ field: 'ip_allowlist', code: 'beyond_parent', message, limit: [...ranges] }];
}

function beyondParent(details: ErrorDetail[]): DomainError {
  const isPermission = details.some(({ code }) => code === 'permission_needed');
  const message = isPermission
    ? undefined
    : 'A credential cannot create or rotate one that expires later or is allowed from more addresses. Use a credential without these limits.';
  return new DomainError('permission_denied', message, details);
}
