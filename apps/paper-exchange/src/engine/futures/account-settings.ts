import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { CONTRACTS, type ContractSpec, maxLeverageOf, maxNotionalAt } from './contracts.js';
import { type FuturesAccount, positionIn, positionOf, settingsOf } from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import type { AlgoOrder } from './futures-order.js';
import type { FuturesState } from './futures-state.js';
import { reachableNotional } from './margin.rules.js';
import type { Margins } from './margins.js';

/** Changes the wallets and the settings of accounts. */
export class AccountSettings {
  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
    private readonly margins: Margins,
    /** Ends a change: follows its consequences and commits. */
    private readonly finish: () => void,
  ) {}

  /** Adds to a wallet, like a transfer from outside. */
  deposit(account: FuturesAccount, amount: bigint): void {
    this.log.assertNotBroken();
    account.cross += amount;
    this.state.deposited += amount;
    this.log.addIncome({ accountId: account.id, symbol: '', type: 'TRANSFER', amount });
    this.log.addAccount(account, 'DEPOSIT', [], amount);
    this.finish();
  }

  /**
   * @throws VenueError -4028 if it is outside the brackets, -2027 or -2028 if positions and orders do not allow it, -4161
   * if it lowers the leverage of an isolated position
   */
  setLeverage(account: FuturesAccount, spec: ContractSpec, leverage: number): void {
    this.log.assertNotBroken();
    if (leverage < 1 || leverage > maxLeverageOf(spec)) throw FUTURES_ERRORS.badLeverage(leverage);
    const settings = settingsOf(account, spec.id);
    const { position, notional, open, initial } = this.margins.contract(account, spec.id);
    if (settings.isIsolated && position.lots !== 0 && leverage < settings.leverage)
      throw FUTURES_ERRORS.isolatedLeverage();
    const reachable = reachableNotional(notional, open);
    if (reachable > maxNotionalAt(spec, leverage)) throw FUTURES_ERRORS.maxPosition();
    const more = reachable / BigInt(leverage) - initial;
    const { available, availableIsolated } = this.margins.of(account);
    if (more > 0n && more > (settings.isIsolated ? availableIsolated : available))
      throw FUTURES_ERRORS.leverageTooSmall();
    account.settings.set(spec.id, { ...settings, leverage });
    this.log.touch(account);
    this.log.addEvent({ kind: 'leverage', accountId: account.id, symbol: spec.id, leverage });
    this.finish();
  }

  /** @throws VenueError -4046 if nothing changes, -4047 with open orders, -4048 with a position */
  setIsolated(account: FuturesAccount, spec: ContractSpec, isIsolated: boolean): void {
    this.log.assertNotBroken();
    const settings = settingsOf(account, spec.id);
    if (settings.isIsolated === isIsolated) throw FUTURES_ERRORS.sameMarginType();
    if (this.hasOrders(account, spec.id)) throw FUTURES_ERRORS.marginTypeWithOrders();
    if (positionIn(account, spec.id).lots !== 0) throw FUTURES_ERRORS.marginTypeWithPosition();
    account.settings.set(spec.id, { ...settings, isIsolated });
    this.log.addAccount(account, 'MARGIN_TYPE_CHANGE', [spec.id]);
    this.finish();
  }

  /**
   * Moves margin between the cross wallet and an isolated position; a negative amount moves it back.
   *
   * @throws VenueError -4049 without isolated margin, -4054 without a position, -4050 or -4051 if too little can be moved
   */
  moveMargin(account: FuturesAccount, spec: ContractSpec, amount: bigint): void {
    this.log.assertNotBroken();
    if (!settingsOf(account, spec.id).isIsolated) throw FUTURES_ERRORS.marginNotIsolated();
    const { unrealized, positionInitial } = this.margins.contract(account, spec.id);
    if (positionIn(account, spec.id).lots === 0) throw FUTURES_ERRORS.marginWithoutPosition();
    const position = positionOf(account, spec.id);
    if (amount > 0n && amount > this.margins.of(account).availableIsolated)
      throw FUTURES_ERRORS.crossTooSmall();
    const left = position.isolated + amount;
    if (amount < 0n && (left < positionInitial || left + unrealized < positionInitial))
      throw FUTURES_ERRORS.isolatedTooSmall();
    account.cross -= amount;
    position.isolated = left;
    this.log.addAccount(account, 'MARGIN_TRANSFER', [spec.id]);
    this.finish();
  }

  /** Changes the position mode without a check. The exchange does not trade for an account in hedge mode. */
  setHedged(account: FuturesAccount, isHedged: boolean): void {
    this.log.assertNotBroken();
    account.isHedged = isHedged;
    this.log.touch(account);
    this.finish();
  }

  /**
   * Changes the position mode on behalf of the user.
   *
   * @throws VenueError -4059 if nothing changes, -4067 with open orders, -4068 with a position, -1020 for hedge mode,
   * which is not simulated
   */
  changeHedged(account: FuturesAccount, isHedged: boolean): void {
    if (account.isHedged === isHedged) throw FUTURES_ERRORS.samePositionMode();
    if (isHedged) throw VENUE_ERRORS.unsupported();
    if (CONTRACTS.some(({ id }) => this.hasOrders(account, id)))
      throw FUTURES_ERRORS.positionModeWithOrders();
    if ([...account.positions.values()].some(({ lots }) => lots !== 0))
      throw FUTURES_ERRORS.positionModeWithPosition();
    this.setHedged(account, false);
  }

  private hasOrders({ id }: FuturesAccount, symbol: string): boolean {
    const isWaiting = (algo: AlgoOrder) => algo.symbol === symbol && algo.status === 'NEW';
    return this.state.openOrdersOf(id, symbol).length > 0 || this.state.algoOrdersOf(id).some(isWaiting);
  }
}
