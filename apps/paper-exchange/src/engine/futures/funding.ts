import { FUNDING_EVERY_MS, type Funding } from './contract-state.js';
import { CONTRACTS, type ContractSpec, valueAt } from './contracts.js';
import {
  FUNDING_RESIDUAL,
  type FuturesAccount,
  isSystem,
  type Position,
  settingsOf,
} from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import type { FuturesState } from './futures-state.js';

/** One unit of a funding rate is 10^-8 of the notional. */
const RATE_UNIT = 10n ** 8n;

/** Exchanges funding payments between the positions of a contract. */
export class FundingPayments {
  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
  ) {}

  /**
   * Pays the fundings that are due by the clock of the exchange, unless they are only to be moved to their next time.
   * Returns whether one was paid.
   */
  payDue(isPaid: boolean): boolean {
    const { state } = this;
    const now = this.log.now();
    let hasPaid = false;
    for (const spec of CONTRACTS) {
      const contract = state.contracts.of(spec.id);
      const isDue =
        isPaid && contract.nextFundingAt > 0 && now >= contract.nextFundingAt && contract.isListed;
      if (isDue) this.pay(spec, contract.fundingRate);
      hasPaid ||= isDue;
      if (now >= contract.nextFundingAt)
        contract.nextFundingAt = (Math.floor(now / FUNDING_EVERY_MS) + 1) * FUNDING_EVERY_MS;
    }
    return hasPaid;
  }

  /**
   * Pays value at the mark price × rate: longs to shorts if the rate is positive. Payments round toward zero. What
   * rounding leaves goes to an account of the exchange.
   */
  pay(spec: ContractSpec, rate: number): Funding {
    const { state, log } = this;
    const { mark } = state.contracts.of(spec.id);
    const last = state.contracts.fundingsOf(spec.id).at(-1);
    // The fundings of a contract have increasing times.
    const funding = { symbol: spec.id, rate, mark, at: Math.max(log.now(), (last?.at ?? 0) + 1) };
    const residual = state.account(FUNDING_RESIDUAL);
    for (const account of [...state.allAccounts()]) {
      const position = account.positions.get(spec.id);
      if (position === undefined || position.lots === 0) continue;
      const payment = (valueAt(mark, position.lots) * BigInt(rate)) / RATE_UNIT;
      residual.cross += payment;
      this.charge(account, spec, position, payment);
    }
    log.touch(residual);
    log.addFunding(funding);
    return funding;
  }

  private charge(account: FuturesAccount, spec: ContractSpec, position: Position, payment: bigint): void {
    const { log } = this;
    const isIsolated = !isSystem(account.id) && settingsOf(account, spec.id).isIsolated;
    if (isIsolated) position.isolated -= payment;
    else account.cross -= payment;
    log.addIncome({ accountId: account.id, symbol: spec.id, type: 'FUNDING_FEE', amount: -payment });
    log.addAccount(account, 'FUNDING_FEE', isIsolated ? [spec.id] : [], -payment);
  }
}
