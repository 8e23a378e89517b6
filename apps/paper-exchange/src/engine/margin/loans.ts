import { smaller } from '../decimal.js';

/** What an account owes of one asset, in units of 10^-8. */
export interface Debt {
  readonly principal: bigint;
  readonly interest: bigint;
}

/** One loan or one repayment. The amount is `principal` plus `interest`, which a loan does not have. */
export interface LoanChange {
  readonly id: number;
  readonly accountId: string;
  readonly asset: string;
  readonly type: 'BORROW' | 'REPAY';
  readonly principal: bigint;
  readonly interest: bigint;
  readonly at: number;
}

/** The interest of one hour, or of the first hour when the loan is taken. */
export interface InterestCharge {
  readonly id: number;
  readonly accountId: string;
  readonly asset: string;
  readonly principal: bigint;
  readonly interest: bigint;
  readonly type: 'ON_BORROW' | 'PERIODIC';
  readonly at: number;
}

type Stored<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };

/** The changes of loans in one record of the journal. */
export interface LoansRecord {
  readonly debts?: readonly (readonly [
    account: string,
    asset: string,
    principal: string,
    interest: string,
  ])[];
  readonly changes?: readonly Stored<LoanChange>[];
  readonly charges?: readonly Stored<InterestCharge>[];
  /** The start of the last hour for which interest was charged, in Unix milliseconds. */
  readonly chargedAt?: number;
}

const NO_DEBT: Debt = { principal: 0n, interest: 0n };

/** The debts of margin accounts, with the history of loans, repayments and interest. */
export class Loans {
  chargedAt = 0;
  private nextId = 1;
  private readonly debts = new Map<string, Map<string, Debt>>();
  private readonly changes: LoanChange[] = [];
  private readonly charges: InterestCharge[] = [];
  private changedDebts = new Map<string, readonly [account: string, asset: string]>();
  private newChanges: LoanChange[] = [];
  private newCharges: InterestCharge[] = [];

  debt(accountId: string, asset: string): Debt {
    return this.debts.get(accountId)?.get(asset) ?? NO_DEBT;
  }

  /** Returns the accounts that owe something, with their debts by asset. */
  all(): Iterable<[accountId: string, debts: ReadonlyMap<string, Debt>]> {
    return this.debts;
  }

  changesOf(accountId: string): LoanChange[] {
    return this.changes.filter((change) => change.accountId === accountId);
  }

  chargesOf(accountId: string): InterestCharge[] {
    return this.charges.filter((charge) => charge.accountId === accountId);
  }

  borrow(accountId: string, asset: string, amount: bigint, at: number): LoanChange {
    const { principal, interest } = this.debt(accountId, asset);
    this.setDebt(accountId, asset, { principal: principal + amount, interest });
    return this.addChange({ accountId, asset, type: 'BORROW', principal: amount, interest: 0n, at });
  }

  /** Repays interest first, then principal. The amount must not exceed the debt. */
  repay(accountId: string, asset: string, amount: bigint, at: number): LoanChange {
    const debt = this.debt(accountId, asset);
    const interest = smaller(amount, debt.interest);
    const principal = amount - interest;
    this.setDebt(accountId, asset, {
      principal: debt.principal - principal,
      interest: debt.interest - interest,
    });
    return this.addChange({ accountId, asset, type: 'REPAY', principal, interest, at });
  }

  charge(charge: Omit<InterestCharge, 'id' | 'principal'>): void {
    const { accountId, asset } = charge;
    const { principal, interest } = this.debt(accountId, asset);
    this.setDebt(accountId, asset, { principal, interest: interest + charge.interest });
    const row = { ...charge, principal, id: this.nextId++ };
    this.charges.push(row);
    this.newCharges.push(row);
  }

  /** Returns the changes since the last call; undefined if nothing changed. */
  takeChanged(): LoansRecord | undefined {
    const { changedDebts, newChanges, newCharges } = this;
    if (changedDebts.size + newChanges.length === 0) return undefined;
    this.changedDebts = new Map();
    this.newChanges = [];
    this.newCharges = [];
    return {
      debts: [...changedDebts.values()].map(([account, asset]) => this.row(account, asset)),
      changes: newChanges.map(stored),
      charges: newCharges.map(stored),
      chargedAt: this.chargedAt,
    };
  }

  /** Returns everything; undefined if nothing was ever lent. */
  dump(): LoansRecord | undefined {
    if (this.changes.length === 0) return undefined;
    const debts = [...this.debts].flatMap(([account, assets]) =>
      [...assets.keys()].map((asset) => this.row(account, asset)),
    );
    const [changes, charges] = [this.changes.map(stored), this.charges.map(stored)];
    return { debts, changes, charges, chargedAt: this.chargedAt };
  }

  /** Applies a record. Rows that were already added are left out, by their increasing ids. */
  apply({ debts = [], changes = [], charges = [], chargedAt }: LoansRecord): void {
    for (const [account, asset, principal, interest] of debts)
      this.put(account, asset, { principal: BigInt(principal), interest: BigInt(interest) });
    const nextId = this.nextId;
    for (const change of changes) {
      if (change.id < nextId) continue;
      this.changes.push({
        ...change,
        principal: BigInt(change.principal),
        interest: BigInt(change.interest),
      });
      this.nextId = Math.max(this.nextId, change.id + 1);
    }
    for (const charge of charges) {
      if (charge.id < nextId) continue;
      this.charges.push({
        ...charge,
        principal: BigInt(charge.principal),
        interest: BigInt(charge.interest),
      });
      this.nextId = Math.max(this.nextId, charge.id + 1);
    }
    this.chargedAt = chargedAt ?? this.chargedAt;
  }

  private addChange(change: Omit<LoanChange, 'id'>): LoanChange {
    const row = { ...change, id: this.nextId++ };
    this.changes.push(row);
    this.newChanges.push(row);
    return row;
  }

  private setDebt(accountId: string, asset: string, debt: Debt): void {
    this.put(accountId, asset, debt);
    this.changedDebts.set(`${accountId} ${asset}`, [accountId, asset]);
  }

  private put(accountId: string, asset: string, debt: Debt): void {
    const debts = this.debts.get(accountId) ?? new Map<string, Debt>();
    this.debts.set(accountId, debts.set(asset, debt));
  }

  private row(account: string, asset: string): [string, string, string, string] {
    const { principal, interest } = this.debt(account, asset);
    return [account, asset, principal.toString(), interest.toString()];
  }
}

function stored<T extends { readonly principal: bigint; readonly interest: bigint }>(row: T) {
  return { ...row, principal: row.principal.toString(), interest: row.interest.toString() } as Stored<T>;
}
