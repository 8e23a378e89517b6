import { contractOf, valueAt } from './contracts.js';
import { type FuturesAccount, positionIn, settingsOf, walletOf } from './futures-account.js';
import type { AlgoOrder, FuturesReport } from './futures-order.js';
import type { FuturesState } from './futures-state.js';
import { maintenanceOf, unrealizedOf } from './margin.rules.js';

/** Why a wallet or a position changed. These are the venue's names. */
export type AccountReason =
  | 'DEPOSIT'
  | 'ORDER'
  | 'FUNDING_FEE'
  | 'MARGIN_TRANSFER'
  | 'MARGIN_TYPE_CHANGE'
  | 'INSURANCE_CLEAR'
  | 'ADJUSTMENT';

/** A position at the time of an event. */
export interface PositionSnapshot {
  readonly symbol: string;
  readonly lots: number;
  readonly cost: bigint;
  readonly isolated: bigint;
  readonly expenses: bigint;
  readonly realized: bigint;
  readonly isIsolated: boolean;
  readonly mark: number;
  readonly unrealized: bigint;
  readonly maintenance: bigint;
}

export interface AccountEvent {
  readonly kind: 'account';
  readonly accountId: string;
  readonly reason: AccountReason;
  readonly wallet: bigint;
  readonly cross: bigint;
  /** The change of the wallet, but for profits and fees of trades. */
  readonly change: bigint;
  readonly isHedged: boolean;
  readonly positions: readonly PositionSnapshot[];
}

export type FuturesEvent =
  | AccountEvent
  | { readonly kind: 'order'; readonly accountId: string; readonly report: FuturesReport }
  | { readonly kind: 'algo'; readonly accountId: string; readonly order: AlgoOrder }
  | {
      readonly kind: 'leverage';
      readonly accountId: string;
      readonly symbol: string;
      readonly leverage: number;
    }
  | {
      readonly kind: 'margin-call';
      readonly accountId: string;
      readonly cross: bigint;
      readonly isHedged: boolean;
      readonly positions: readonly PositionSnapshot[];
    };

export function snapshotOf(state: FuturesState, account: FuturesAccount, symbol: string): PositionSnapshot {
  const { lots, cost, isolated, expenses, realized } = positionIn(account, symbol);
  const { mark } = state.contracts.of(symbol);
  const { isIsolated } = settingsOf(account, symbol);
  return {
    symbol,
    lots,
    cost,
    isolated,
    expenses,
    realized,
    isIsolated,
    mark,
    unrealized: unrealizedOf({ lots, cost }, mark),
    maintenance: maintenanceOf(contractOf(symbol), valueAt(mark, lots)),
  };
}

/** Returns the event of a changed account, with a copy of what it holds now. */
export function accountEvent(
  state: FuturesState,
  account: FuturesAccount,
  change: { readonly reason: AccountReason; readonly symbols: readonly string[]; readonly change: bigint },
): AccountEvent {
  return {
    kind: 'account',
    accountId: account.id,
    reason: change.reason,
    wallet: walletOf(account),
    cross: account.cross,
    change: change.change,
    isHedged: account.isHedged,
    positions: change.symbols.map((symbol) => snapshotOf(state, account, symbol)),
  };
}
