import { FUTURES_ERRORS } from '../../futures-errors.js';
import type { OrderSide } from '../book.js';
import { CONTRACTS, type ContractSpec, maxNotionalAt, valueAt } from './contracts.js';
import { type FuturesAccount, positionIn } from './futures-account.js';
import type { FuturesOrder } from './futures-order.js';
import type { FuturesState } from './futures-state.js';
import {
  type AccountMargin,
  accountMargin,
  type ContractMargin,
  contractMargin,
  type OpenNotional,
  openNotionalOf,
  reachableNotional,
  withOrder,
} from './margin.rules.js';
import { closableLots, signOf } from './position.rules.js';

/** An order whose margin is checked. `quote` is what it costs or brings in at the price that it may trade at. */
export interface PlannedOrder {
  readonly side: OrderSide;
  readonly lots: number;
  readonly quote: bigint;
}

const NO_ORDERS: OpenNotional = { bids: 0n, asks: 0n };

/** Computes the margins of accounts from the state. */
export class Margins {
  constructor(private readonly state: FuturesState) {}

  /** Returns the margins of all contracts of the account. `without` is an open order that is left out. */
  of(account: FuturesAccount, without?: FuturesOrder): AccountMargin {
    const open = this.state.openOrdersOf(account.id).filter((order) => order.id !== without?.id);
    return accountMargin(
      account,
      CONTRACTS.map((spec) =>
        contractMargin(account, spec.id, this.state.contracts.of(spec.id).mark, openNotionalOf(spec, open)),
      ),
    );
  }

  /** Returns the margins of the positions alone, which is much cheaper. It does not know what orders need. */
  ofPositions(account: FuturesAccount): AccountMargin {
    const contracts: ContractMargin[] = [];
    for (const [symbol, { lots }] of account.positions) {
      if (lots !== 0)
        contracts.push(contractMargin(account, symbol, this.state.contracts.of(symbol).mark, NO_ORDERS));
    }
    return accountMargin(account, contracts);
  }

  contract(account: FuturesAccount, symbol: string): ContractMargin {
    return contractIn(this.of(account), symbol);
  }

  /**
   * Checks that the account can pay for an order. An order that needs no more margin than before always passes.
   *
   * @throws VenueError -2027 if the position could exceed the limit of its leverage, -2019 if the margin is insufficient
   */
  assertAffordable(
    account: FuturesAccount,
    spec: ContractSpec,
    planned: PlannedOrder,
    without?: FuturesOrder,
  ): void {
    const margin = this.of(account, without);
    const { notional, open, initial, leverage, isIsolated } = contractIn(margin, spec.id);
    const reachable = reachableNotional(notional, withOrder(open, planned.side, planned.quote));
    const isLarger = reachable > reachableNotional(notional, open);
    if (isLarger && reachable > maxNotionalAt(spec, leverage)) throw FUTURES_ERRORS.maxPosition();
    const needed = reachable / BigInt(leverage) - initial + this.openLoss(account, spec, planned);
    const available = isIsolated ? margin.availableIsolated : margin.available;
    if (needed > 0n && needed > available) throw FUTURES_ERRORS.marginInsufficient();
  }

  /** Returns the loss at the mark price that opening the position at the price of the order brings. */
  private openLoss(account: FuturesAccount, spec: ContractSpec, { side, lots, quote }: PlannedOrder): bigint {
    const openedLots = lots - Math.min(lots, closableLots(positionIn(account, spec.id), side));
    if (openedLots === 0) return 0n;
    const value = valueAt(this.state.contracts.of(spec.id).mark, lots);
    const loss = (BigInt(signOf(side)) * (quote - value) * BigInt(openedLots)) / BigInt(lots);
    return loss > 0n ? loss : 0n;
  }
}

function contractIn(margin: AccountMargin, symbol: string): ContractMargin {
  const contract = margin.contracts.find((one) => one.symbol === symbol);
  if (contract === undefined) throw new Error(`Contract ${symbol} does not exist.`);
  return contract;
}
