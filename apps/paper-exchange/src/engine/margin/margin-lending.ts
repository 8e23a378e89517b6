import { MARGIN_ERRORS } from '../../margin-errors.js';
import type { CommitLog } from '../commit-log.js';
import { smaller } from '../decimal.js';
import type { Account, Report, SideEffect } from '../order.js';
import type { State } from '../state.js';
import { ASSETS, findMarket } from '../symbols.js';
import type { LoanChange } from './loans.js';
import { interestOf, marginIdOf, maxBorrowable, maxTransferable } from './margin-account.rules.js';

/** The account that lends to margin accounts and receives their interest. */
export const LENDER = 'lender';
const LENDER_GRANT = 10n ** 20n;
const HOUR_MS = 3_600_000;

export function borrows(effect: SideEffect | undefined): boolean {
  return effect === 'MARGIN_BUY' || effect === 'AUTO_BORROW_REPAY';
}

function repays(effect: SideEffect | undefined): boolean {
  return effect === 'AUTO_REPAY' || effect === 'AUTO_BORROW_REPAY';
}

/**
 * Lends to margin accounts and charges interest: for the first hour when a loan is taken, then at the start of each hour.
 * Interest is rounded up to a unit. All ids of accounts are those of margin accounts.
 */
export class MarginLending {
  constructor(
    private readonly state: State,
    private readonly log: CommitLog,
    private readonly now: () => number,
  ) {
    log.beforeCommit((reports) => this.repayFromFills(reports));
    log.beforeCommit((reports) => this.repayUnusedLoans(reports));
    const funds = state.ledger.balances(LENDER);
    for (const asset of ASSETS) if (!funds.has(asset)) state.ledger.issue(LENDER, asset, LENDER_GRANT);
    if (state.loans.chargedAt === 0) state.loans.chargedAt = this.hour();
  }

  /** @throws VenueError -3006 beyond the maximum, -3045 if the asset has no price */
  borrow(accountId: string, asset: string, amount: bigint): LoanChange {
    this.log.assertNotBroken();
    const change = this.lend(accountId, asset, amount);
    this.log.commit();
    return change;
  }

  /** @throws VenueError -3015 beyond the debt, -3041 beyond the free balance */
  repay(accountId: string, asset: string, amount: bigint): LoanChange {
    this.log.assertNotBroken();
    const { principal, interest } = this.state.loans.debt(accountId, asset);
    if (amount > principal + interest) throw MARGIN_ERRORS.repayExceedsDebt();
    if (amount > this.state.ledger.balance(accountId, asset).free) throw MARGIN_ERRORS.balanceTooSmall();
    const change = this.payBack(accountId, asset, amount);
    this.log.commit();
    return change;
  }

  /** Moves an asset between spot and margin of an account. @throws VenueError -3020 or -3041 if too little can be moved */
  transfer(account: Account, isToMargin: boolean, asset: string, amount: bigint): void {
    this.log.assertNotBroken();
    const { ledger } = this.state;
    const ids = [account.id, marginIdOf(account.id)] as const;
    const [from, to] = isToMargin ? ids : ([ids[1], ids[0]] as const);
    if (amount > ledger.balance(from, asset).free) throw MARGIN_ERRORS.balanceTooSmall();
    if (amount > maxTransferable(this.state, from, asset)) throw MARGIN_ERRORS.transferTooLarge();
    ledger.payFree(from, to, asset, amount);
    this.log.commit([account]);
  }

  /** Lends what an order lacks, without a commit. Returns the amount. @throws VenueError as `borrow` does */
  lendMissing(accountId: string, asset: string, needed: bigint): bigint {
    const missing = needed - this.state.ledger.balance(accountId, asset).free;
    if (missing <= 0n) return 0n;
    this.lend(accountId, asset, missing);
    return missing;
  }

  /** Charges the interest of each hour that has begun since the last charge. */
  chargeDue(): void {
    const { loans } = this.state;
    if (loans.chargedAt >= this.hour()) return;
    while (loans.chargedAt < this.hour()) {
      loans.chargedAt += HOUR_MS;
      this.chargeHour(loans.chargedAt);
    }
    this.log.commit();
  }

  /** Charges the interest of one hour at once. */
  chargeNow(): void {
    this.log.assertNotBroken();
    this.chargeHour(this.now());
    this.log.commit();
  }

  private chargeHour(at: number): void {
    for (const [accountId, debts] of this.state.loans.all()) {
      for (const [asset, { principal }] of debts) {
        if (principal === 0n) continue;
        this.state.loans.charge({ accountId, asset, interest: interestOf(principal), type: 'PERIODIC', at });
      }
    }
  }

  private lend(accountId: string, asset: string, amount: bigint): LoanChange {
    if (amount > maxBorrowable(this.state, accountId, asset)) throw MARGIN_ERRORS.borrowTooLarge();
    const at = this.now();
    this.state.ledger.payFree(LENDER, accountId, asset, amount);
    const change = this.state.loans.borrow(accountId, asset, amount, at);
    this.state.loans.charge({ accountId, asset, interest: interestOf(amount), type: 'ON_BORROW', at });
    return change;
  }

  private payBack(accountId: string, asset: string, amount: bigint): LoanChange {
    this.state.ledger.payFree(accountId, LENDER, asset, amount);
    return this.state.loans.repay(accountId, asset, amount, this.now());
  }

  /** Repays debts with what orders received, as far as it is free. */
  private repayFromFills(reports: readonly Report[]): void {
    for (const { order, fill } of reports) {
      if (fill === undefined || !repays(order.sideEffect)) continue;
      const market = findMarket(order.symbol);
      if (market === undefined) continue;
      const asset = order.side === 'BUY' ? market.base : market.quote;
      this.payBackUpTo(order.accountId, asset, this.state.ledger.balance(order.accountId, asset).free);
    }
  }

  /** Repays what orders borrowed for lots that they did not trade before they ended. The interest stays due. */
  private repayUnusedLoans(reports: readonly Report[]): void {
    for (const { order, released = 0n } of reports) {
      const market = findMarket(order.symbol);
      if (order.loan === undefined || market === undefined) continue;
      const asset = order.side === 'BUY' ? market.quote : market.base;
      this.payBackUpTo(order.accountId, asset, smaller(order.loan, released));
    }
  }

  /** Repays as much of an amount as is owed and free. */
  private payBackUpTo(accountId: string, asset: string, amount: bigint): void {
    const { principal, interest } = this.state.loans.debt(accountId, asset);
    const { free } = this.state.ledger.balance(accountId, asset);
    const payable = smaller(amount, smaller(principal + interest, free));
    if (payable > 0n) this.payBack(accountId, asset, payable);
  }

  private hour(): number {
    return Math.floor(this.now() / HOUR_MS) * HOUR_MS;
  }
}
