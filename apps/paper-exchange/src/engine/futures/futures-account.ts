import { HOUSE } from '../ledger.js';

/**
 * A position of one account in one contract, in one-way mode. Lots and cost are positive for a long position and
 * negative for a short one.
 */
export interface Position {
  lots: number;
  /** What the open lots were bought or sold for, in units of 10^-8 USDT. Cost ÷ lots is the average entry price. */
  cost: bigint;
  /** The margin that an isolated position holds apart from the cross wallet. */
  isolated: bigint;
  /** Fees minus realised profit since the position was last flat. They move its break-even price. */
  expenses: bigint;
  /** All profits that were ever realised in this contract, before fees. */
  realized: bigint;
  updatedAt: number;
}

export interface ContractSettings {
  readonly leverage: number;
  readonly isIsolated: boolean;
}

/** The futures side of an account. Its wallet balance is `cross` plus the isolated margins of its positions. */
export interface FuturesAccount {
  readonly id: string;
  /** The wallet outside isolated positions, in units of 10^-8 USDT. It may be negative until it is liquidated. */
  cross: bigint;
  /** Set only by an admin call: positions have two sides, which the engine refuses to trade. */
  isHedged: boolean;
  readonly settings: Map<string, ContractSettings>;
  readonly positions: Map<string, Position>;
}

/** An account as stored in the journal. */
export interface StoredFuturesAccount {
  readonly id: string;
  readonly cross: string;
  readonly isHedged: boolean;
  readonly settings: readonly (readonly [symbol: string, settings: ContractSettings])[];
  readonly positions: readonly (readonly [symbol: string, position: StoredPosition])[];
}

interface StoredPosition {
  readonly lots: number;
  readonly cost: string;
  readonly isolated: string;
  readonly expenses: string;
  readonly realized: string;
  readonly updatedAt: number;
}

export const INSURANCE = 'insurance';
/** Receives what rounding leaves of funding payments. */
export const FUNDING_RESIDUAL = 'funding';
export const FUTURES_FEES = 'fees';
/** The accounts of the exchange itself. They have no margin requirements and pay no fees. */
const SYSTEM: ReadonlySet<string> = new Set([HOUSE, INSURANCE, FUNDING_RESIDUAL, FUTURES_FEES]);

const DEFAULT_SETTINGS: ContractSettings = { leverage: 20, isIsolated: false };

export function isSystem(accountId: string): boolean {
  return SYSTEM.has(accountId);
}

export function newFuturesAccount(id: string): FuturesAccount {
  return { id, cross: 0n, isHedged: false, settings: new Map(), positions: new Map() };
}

export function settingsOf(account: FuturesAccount, symbol: string): ContractSettings {
  return account.settings.get(symbol) ?? DEFAULT_SETTINGS;
}

const FLAT: Readonly<Position> = {
  lots: 0,
  cost: 0n,
  isolated: 0n,
  expenses: 0n,
  realized: 0n,
  updatedAt: 0,
};

/** Returns the position in a contract for reading; a flat one if it does not exist. */
export function positionIn(account: FuturesAccount, symbol: string): Readonly<Position> {
  return account.positions.get(symbol) ?? FLAT;
}

/** Returns the position in a contract for changing. A flat position is created at the first call. */
export function positionOf(account: FuturesAccount, symbol: string): Position {
  let position = account.positions.get(symbol);
  if (position === undefined) {
    position = { lots: 0, cost: 0n, isolated: 0n, expenses: 0n, realized: 0n, updatedAt: 0 };
    account.positions.set(symbol, position);
  }
  return position;
}

export function walletOf(account: FuturesAccount): bigint {
  let wallet = account.cross;
  for (const { isolated } of account.positions.values()) wallet += isolated;
  return wallet;
}

export function storeFuturesAccount(account: FuturesAccount): StoredFuturesAccount {
  return {
    id: account.id,
    cross: account.cross.toString(),
    isHedged: account.isHedged,
    settings: [...account.settings],
    positions: [...account.positions].map(
      ([symbol, { lots, cost, isolated, expenses, realized, updatedAt }]) => [
        symbol,
        {
          lots,
          cost: cost.toString(),
          isolated: isolated.toString(),
          expenses: expenses.toString(),
          realized: realized.toString(),
          updatedAt,
        },
      ],
    ),
  };
}

export function readFuturesAccount(stored: StoredFuturesAccount): FuturesAccount {
  return {
    id: stored.id,
    cross: BigInt(stored.cross),
    isHedged: stored.isHedged,
    settings: new Map(stored.settings),
    positions: new Map(
      stored.positions.map(([symbol, { lots, cost, isolated, expenses, realized, updatedAt }]) => [
        symbol,
        {
          lots,
          cost: BigInt(cost),
          isolated: BigInt(isolated),
          expenses: BigInt(expenses),
          realized: BigInt(realized),
          updatedAt,
        },
      ]),
    ),
  };
}
