import { type Closer, ticksAgainst } from './closer.js';
import { bracketOf, type ContractSpec, contractOf, markOfTicks, valueAt } from './contracts.js';
import { type FuturesAccount, INSURANCE, isSystem } from './futures-account.js';
import { snapshotOf } from './futures-events.js';
import type { FuturesLog } from './futures-log.js';
import type { FuturesState } from './futures-state.js';
import { type AccountMargin, absolute, type ContractMargin, maintenanceOf } from './margin.rules.js';
import type { Margins } from './margins.js';
import { closingSide } from './position.rules.js';

/** A margin call is sent below this share of the maintenance margin. */
const CALL_BELOW_PERCENT = 125n;
/** A further margin call is sent only after the margin balance was above this share. */
const CALL_AGAIN_ABOVE_PERCENT = 150n;

/** A margin balance and the maintenance margin that it covers. `symbol` is set for an isolated position. */
interface Covered {
  readonly symbol?: string;
  readonly balance: bigint;
  readonly maintenance: bigint;
}

/**
 * Liquidates accounts whose margin balance is below their maintenance margin.
 *
 * 1. The open orders go first, because they may hold back margin.
 * 2. A position above the first bracket is reduced to the bracket below, then judged again. In the first bracket it is
 *    closed.
 * 3. The insurance fund takes the position over at the mark price. It receives the liquidation fee, as far as the margin
 *    reaches without a further liquidation, and pays a loss that exceeds the margin.
 */
export class Liquidator {
  /** The accounts and isolated positions that had a margin call. */
  private readonly called = new Set<string>();

  constructor(
    private readonly state: FuturesState,
    private readonly log: FuturesLog,
    private readonly margins: Margins,
    private readonly closer: Closer,
  ) {}

  /** Judges every account that has a position or owes money. */
  checkAll(): void {
    for (const account of [...this.state.allAccounts()]) {
      if (isSystem(account.id)) continue;
      if (hasPosition(account) || account.cross < 0n) this.check(account);
    }
  }

  check(account: FuturesAccount): void {
    const { contracts } = this.margins.ofPositions(account);
    for (const contract of contracts) if (contract.isIsolated) this.checkIsolated(account, contract);
    this.checkCross(account);
  }

  private checkIsolated(account: FuturesAccount, contract: ContractMargin): void {
    const { symbol } = contract;
    if (isCovered(isolatedOf(contract))) {
      this.call(account, isolatedOf(contract));
      return;
    }
    const covered = (): Covered => isolatedOf(this.margins.contract(account, symbol));
    this.closer.cancelAll(account.id, symbol);
    while (!isCovered(covered())) this.reduce(account, this.margins.contract(account, symbol));
  }

  private checkCross(account: FuturesAccount): void {
    const covered = crossOf(account, this.margins.ofPositions(account));
    if (isCovered(covered)) this.call(account, covered);
    else this.liquidateCross(account);
    const isFlat = crossContracts(this.margins.ofPositions(account)).length === 0;
    if (isFlat) this.closer.coverDebt(account);
  }

  private liquidateCross(account: FuturesAccount): void {
    const margin = () => this.margins.of(account);
    const covered = () => crossOf(account, margin());
    for (const { symbol } of crossContracts(margin())) this.closer.cancelAll(account.id, symbol);
    while (!isCovered(covered())) {
      const [largest] = crossContracts(margin()).sort((a, b) => (a.maintenance < b.maintenance ? 1 : -1));
      if (largest === undefined || largest.notional === 0n) break;
      this.reduce(account, largest);
    }
  }

  /** Closes the part of a position that exceeds the bracket below its own, or all of it. */
  private reduce(account: FuturesAccount, { symbol, position, notional }: ContractMargin): void {
    const spec = contractOf(symbol);
    const { mark } = this.state.contracts.of(symbol);
    const { floor } = bracketOf(spec, absolute(notional));
    const size = Math.abs(position.lots);
    const kept = floor === 0n ? 0 : Number(floor / BigInt(mark));
    const lots = Math.min(size, Math.max(1, size - kept));
    const ticks = ticksAgainst(spec, mark, closingSide(position.lots));
    this.chargeFee(account, spec, { lots, ticks, kept: size - lots });
    this.closer.close(account, spec, { lots, ticks, reason: 'LIQUIDATION', counterparty: INSURANCE });
  }

  /** Takes the liquidation fee, but no more than leaves the maintenance margin of what is kept. */
  private chargeFee(
    account: FuturesAccount,
    spec: ContractSpec,
    { lots, ticks, kept }: { readonly lots: number; readonly ticks: number; readonly kept: number },
  ): void {
    const { margins } = this;
    const price = markOfTicks(spec, ticks);
    const margin = margins.of(account);
    const contract = margins.contract(account, spec.id);
    const { balance, maintenance } = contract.isIsolated ? isolatedOf(contract) : crossOf(account, margin);
    // Only the closed lots lose by the rounding of the price.
    const { mark } = this.state.contracts.of(spec.id);
    const loss = valueAt(Math.abs(price - mark), lots);
    const keptMaintenance = maintenanceOf(spec, valueAt(mark, kept));
    const spare = balance - loss - (maintenance - contract.maintenance) - keptMaintenance;
    const fullFee = (BigInt(price) * BigInt(lots) * spec.liquidationFeePpm) / 1_000_000n;
    const fee = clamp(fullFee, spare);
    if (fee > 0n) this.closer.chargeFee(account, spec.id, fee);
  }

  /** Sends a margin call when a margin balance comes close to the maintenance margin. */
  private call(account: FuturesAccount, { symbol, balance, maintenance }: Covered): void {
    const key = `${account.id} ${symbol ?? ''}`;
    if (balance * 100n > maintenance * CALL_AGAIN_ABOVE_PERCENT) this.called.delete(key);
    if (maintenance === 0n || balance * 100n >= maintenance * CALL_BELOW_PERCENT || this.called.has(key))
      return;
    this.called.add(key);
    const { margins, state, log } = this;
    const symbols =
      symbol === undefined
        ? crossContracts(margins.of(account))
            .filter(({ notional }) => notional !== 0n)
            .map((contract) => contract.symbol)
        : [symbol];
    log.addEvent({
      kind: 'margin-call',
      accountId: account.id,
      cross: account.cross,
      isHedged: account.isHedged,
      positions: symbols.map((one) => snapshotOf(state, account, one)),
    });
  }
}

function hasPosition({ positions }: FuturesAccount): boolean {
  for (const { lots } of positions.values()) if (lots !== 0) return true;
  return false;
}

function isCovered({ balance, maintenance }: Covered): boolean {
  return maintenance === 0n || balance >= maintenance;
}

function isolatedOf({ symbol, position, unrealized, maintenance }: ContractMargin): Covered {
  return { symbol, balance: position.isolated + unrealized, maintenance };
}

function crossOf({ cross }: FuturesAccount, { crossUnrealized, crossMaintenance }: AccountMargin): Covered {
  return { balance: cross + crossUnrealized, maintenance: crossMaintenance };
}

function crossContracts({ contracts }: AccountMargin): ContractMargin[] {
  return contracts.filter(({ isIsolated }) => !isIsolated);
}

function clamp(amount: bigint, most: bigint): bigint {
  if (most <= 0n) return 0n;
  return amount < most ? amount : most;
}
