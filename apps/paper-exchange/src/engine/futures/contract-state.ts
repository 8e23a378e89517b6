import { CONTRACTS, type ContractSpec, markOfTicks } from './contracts.js';

/** The interval of funding. Its times are multiples of it since the epoch, as at the venue. */
export const FUNDING_EVERY_MS = 8 * 3_600_000;
/** The funding rate until an admin call sets another one: 0.01 %, in units of 10^-8. */
export const DEFAULT_FUNDING_RATE = 10_000;

/** What changes about one contract. */
export interface ContractState {
  readonly symbol: string;
  mark: number;
  /** True if an admin call set the mark price, which then no longer follows the last price. */
  isMarkFixed: boolean;
  /** The rate of the next funding in units of 10^-8. Longs pay shorts if it is positive. */
  fundingRate: number;
  nextFundingAt: number;
  /** False after a delisting settlement. */
  isListed: boolean;
}

/** One funding of one contract. */
export interface Funding {
  readonly symbol: string;
  readonly rate: number;
  readonly mark: number;
  readonly at: number;
}

/** The contracts and their past fundings. */
export class ContractStates {
  private readonly bySymbol = new Map<string, ContractState>(
    CONTRACTS.map((spec) => [spec.id, newContractState(spec)]),
  );
  private readonly fundings: Funding[] = [];

  of(symbol: string): ContractState {
    const state = this.bySymbol.get(symbol);
    if (state === undefined) throw new Error(`Contract ${symbol} does not exist.`);
    return state;
  }

  all(): ContractState[] {
    return [...this.bySymbol.values()];
  }

  put(state: ContractState): void {
    if (this.bySymbol.has(state.symbol)) this.bySymbol.set(state.symbol, { ...state });
  }

  /** Adds a funding, unless it was already added. The fundings of a contract have increasing times. */
  addFunding(funding: Funding): void {
    const last = this.fundings.findLast(({ symbol }) => symbol === funding.symbol);
    if (last === undefined || last.at < funding.at) this.fundings.push(funding);
  }

  /** Returns the fundings of a contract, or of all contracts, oldest first. */
  fundingsOf(symbol?: string): Funding[] {
    return this.fundings.filter((funding) => symbol === undefined || funding.symbol === symbol);
  }
}

function newContractState(spec: ContractSpec): ContractState {
  return {
    symbol: spec.id,
    mark: markOfTicks(spec, spec.startTicks),
    isMarkFixed: false,
    fundingRate: DEFAULT_FUNDING_RATE,
    nextFundingAt: 0,
    isListed: true,
  };
}
