import type { ContractState, Funding } from './contract-state.js';
import type { StoredFuturesAccount } from './futures-account.js';
import type { AlgoOrder, FuturesFill, FuturesOrder, Income } from './futures-order.js';

/**
 * The result of one committed change of the futures, as stored in the journal. It contains new values and no
 * differences, so applying a record twice has the same effect as applying it once. Bigints are stored as strings.
 */
export interface FuturesRecord {
  readonly accounts?: readonly StoredFuturesAccount[];
  readonly orders?: readonly StoredFuturesOrder[];
  readonly algoOrders?: readonly AlgoOrder[];
  readonly fills?: readonly StoredFuturesFill[];
  readonly incomes?: readonly StoredIncome[];
  readonly contracts?: readonly ContractState[];
  readonly fundings?: readonly Funding[];
  readonly lastTicks?: Readonly<Record<string, number>>;
  /** Everything that was ever deposited, by users and for the accounts of the exchange. */
  readonly deposited?: string;
  /** All ids from these on are unused. A restart continues from them. */
  readonly nextIds?: FuturesIds;
}

interface FuturesIds {
  readonly order: number;
  readonly trade: number;
  readonly algo: number;
  readonly income: number;
}

type Stored<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] };
export type StoredFuturesOrder = Stored<FuturesOrder>;
export type StoredFuturesFill = Stored<FuturesFill>;
export type StoredIncome = Stored<Income>;

export function storeFuturesOrder(order: FuturesOrder): StoredFuturesOrder {
  return { ...order, executedQuote: order.executedQuote.toString() };
}

export function readFuturesOrder(stored: StoredFuturesOrder): FuturesOrder {
  return { ...stored, executedQuote: BigInt(stored.executedQuote) };
}

export function storeFuturesFill(fill: FuturesFill): StoredFuturesFill {
  return {
    ...fill,
    quote: fill.quote.toString(),
    fee: fill.fee.toString(),
    realized: fill.realized.toString(),
  };
}

export function readFuturesFill(stored: StoredFuturesFill): FuturesFill {
  return {
    ...stored,
    quote: BigInt(stored.quote),
    fee: BigInt(stored.fee),
    realized: BigInt(stored.realized),
  };
}

export function storeIncome(income: Income): StoredIncome {
  return { ...income, amount: income.amount.toString() };
}

export function readIncome(stored: StoredIncome): Income {
  return { ...stored, amount: BigInt(stored.amount) };
}
