import { randomBytes } from 'node:crypto';
import type { Account } from '../engine/order.js';
import { VENUE_ERRORS } from '../errors.js';
import { accountOperation, type Operation } from './operation.js';
import { required } from './params.js';

const VALID_MS = 60 * 60_000;

/**
 * The listen keys of the older user streams, which clients read at `/ws/<listenKey>`. An account has at most one, so the
 * number of keys is at most that of accounts. A key is valid for 60 minutes after its creation or last extension.
 */
export class ListenKeys {
  private readonly byAccount = new Map<string, { readonly key: string; validUntil: number }>();
  private readonly accounts = new Map<string, string>();

  constructor(private readonly now: () => number) {}

  /** Returns the account of a valid key; undefined for any other string. */
  accountIdOf(key: string): string | undefined {
    const accountId = this.accounts.get(key);
    const current = accountId === undefined ? undefined : this.byAccount.get(accountId);
    return current !== undefined && current.key === key && current.validUntil > this.now()
      ? accountId
      : undefined;
  }

  /** Returns the valid key of the account; undefined if it has none. */
  keyOf(accountId: string): string | undefined {
    const current = this.byAccount.get(accountId);
    return current !== undefined && current.validUntil > this.now() ? current.key : undefined;
  }

  /** Returns the key of the account, extended; creates it if the account has none. */
  open(accountId: string): string {
    const current = this.byAccount.get(accountId);
    if (current !== undefined && current.validUntil > this.now()) {
      current.validUntil = this.now() + VALID_MS;
      return current.key;
    }
    this.delete(accountId);
    const key = randomBytes(32).toString('hex');
    this.byAccount.set(accountId, { key, validUntil: this.now() + VALID_MS });
    this.accounts.set(key, accountId);
    return key;
  }

  /** @throws VenueError -1125 if the key is not a valid one of this account */
  extend(accountId: string, key: string): void {
    if (this.accountIdOf(key) !== accountId) throw VENUE_ERRORS.invalidListenKey();
    this.open(accountId);
  }

  /** @throws VenueError -1125 if the key is not a valid one of this account */
  close(accountId: string, key: string): void {
    if (this.accountIdOf(key) !== accountId) throw VENUE_ERRORS.invalidListenKey();
    this.delete(accountId);
  }

  private delete(accountId: string): void {
    const current = this.byAccount.get(accountId);
    if (current !== undefined) this.accounts.delete(current.key);
    this.byAccount.delete(accountId);
  }
}

/** Declares the operations that open, extend and close a listen key. They need an API key, but no signature. */
export function listenKeyOperations(keys: ListenKeys): Operation[] {
  const change = (action: (account: Account, key: string) => void) => {
    return ({ account, params }: { account: Account; params: URLSearchParams }) => {
      action(account, required(params, 'listenKey'));
      return {};
    };
  };
  return [
    accountOperation(
      'POST /api/v3/userDataStream',
      { socketMethod: 'userDataStream.start', access: 'KEY' },
      ({ account }) => ({ listenKey: keys.open(account.id) }),
    ),
    accountOperation(
      'PUT /api/v3/userDataStream',
      { params: ['listenKey'], socketMethod: 'userDataStream.ping', access: 'KEY' },
      change((account, key) => keys.extend(account.id, key)),
    ),
    accountOperation(
      'DELETE /api/v3/userDataStream',
      { params: ['listenKey'], socketMethod: 'userDataStream.stop', access: 'KEY' },
      change((account, key) => keys.close(account.id, key)),
    ),
  ];
}
