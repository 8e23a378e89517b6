/** The permissions of a credential. TRADE and WITHDRAW include READ; ADMIN includes all. */
import { wordsOf } from '../format/words';

export type Permission = 'READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN';

/** Returns whether the permissions that a credential holds include one. */
export function includesPermission(held: readonly string[], permission: Permission): boolean {
  return held.includes('ADMIN') || held.includes(permission) || (permission === 'READ' && held.length > 0);
}

/** Names what a credential may do: all, or the permissions that it holds. */
export function permissionWords(held: readonly string[]): string {
  if (held.includes('ADMIN')) return 'all permissions';
  const names = held.map(wordsOf).join(', ');
  return held.length === 1 ? `the permission ${names}` : `the permissions ${names}`;
}
