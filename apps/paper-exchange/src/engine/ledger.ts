import { VENUE_ERRORS } from '../errors.js';

export interface Balance {
  readonly free: bigint;
  readonly locked: bigint;
}

/** One balance after a change, with amounts in units of 10^-8. */
export type BalanceRow = readonly [account: string, asset: string, free: string, locked: string];

/** The account of the built-in market maker (the house). */
export const HOUSE = 'house';
/** The account that receives the fees. */
export const FEES = 'fees';

const ZERO: Balance = { free: 0n, locked: 0n };

/**
 * Holds the free and the locked balances of all accounts.
 *
 * 1. No balance is ever negative. A change that would make a balance negative throws and has no effect.
 * 2. The balances of an asset sum to the issued amount; only `issue` changes that sum.
 */
export class Ledger {
  private readonly accounts = new Map<string, Map<string, Balance>>();
  private readonly issuedByAsset = new Map<string, bigint>();
  private readonly changed = new Map<string, readonly [account: string, asset: string]>();

  balance(account: string, asset: string): Balance {
    return this.accounts.get(account)?.get(asset) ?? ZERO;
  }

  balances(account: string): ReadonlyMap<string, Balance> {
    return this.accounts.get(account) ?? new Map();
  }

  issued(): ReadonlyMap<string, bigint> {
    return this.issuedByAsset;
  }

  total(asset: string): bigint {
    let sum = 0n;
    for (const balances of this.accounts.values()) {
      const { free, locked } = balances.get(asset) ?? ZERO;
      sum += free + locked;
    }
    return sum;
  }

  issue(account: string, asset: string, amount: bigint): void {
    this.change(account, asset, amount, 0n);
    this.issuedByAsset.set(asset, (this.issuedByAsset.get(asset) ?? 0n) + amount);
  }

  /** @throws VenueError -2010 if less than `amount` is free. */
  lock(account: string, asset: string, amount: bigint): void {
    if (this.balance(account, asset).free < amount) throw VENUE_ERRORS.insufficientBalance();
    this.change(account, asset, -amount, amount);
  }

  unlock(account: string, asset: string, amount: bigint): void {
    this.change(account, asset, amount, -amount);
  }

  /** Pays from the locked balance of `from` to the free balance of `to`. */
  payLocked(from: string, to: string, asset: string, amount: bigint): void {
    this.change(from, asset, 0n, -amount);
    this.change(to, asset, amount, 0n);
  }

  payFree(from: string, to: string, asset: string, amount: bigint): void {
    this.change(from, asset, -amount, 0n);
    this.change(to, asset, amount, 0n);
  }

  /** Returns the balances that changed since the last call. */
  takeChanged(): BalanceRow[] {
    const rows = [...this.changed.values()].map(([account, asset]) => this.row(account, asset));
    this.changed.clear();
    return rows;
  }

  dump(): { balances: BalanceRow[]; issued: [string, string][] } {
    const balances = [...this.accounts].flatMap(([account, assets]) =>
      [...assets.keys()].map((asset) => this.row(account, asset)),
    );
    return { balances, issued: this.dumpIssued() };
  }

  dumpIssued(): [string, string][] {
    return [...this.issuedByAsset].map(([asset, amount]) => [asset, amount.toString()]);
  }

  restore(balances: readonly BalanceRow[], issued: readonly (readonly [string, string])[]): void {
    for (const [account, asset, free, locked] of balances) {
      this.assets(account).set(asset, { free: BigInt(free), locked: BigInt(locked) });
    }
    for (const [asset, amount] of issued) this.issuedByAsset.set(asset, BigInt(amount));
  }

  private row(account: string, asset: string): BalanceRow {
    const { free, locked } = this.balance(account, asset);
    return [account, asset, free.toString(), locked.toString()];
  }

  private assets(account: string): Map<string, Balance> {
    let assets = this.accounts.get(account);
    if (assets === undefined) {
      assets = new Map();
      this.accounts.set(account, assets);
    }
    return assets;
  }

  private change(account: string, asset: string, freeDelta: bigint, lockedDelta: bigint): void {
    const before = this.balance(account, asset);
    const after = { free: before.free + freeDelta, locked: before.locked + lockedDelta };
    if (after.free < 0n || after.locked < 0n) throw new Error(`A balance of ${asset} would become negative.`);
    this.assets(account).set(asset, after);
    this.changed.set(`${account} ${asset}`, [account, asset]);
  }
}
