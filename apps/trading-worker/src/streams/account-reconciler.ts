/**
 * Reconciles an account with its exchange: reads the account's open orders and balances, and its fills since the last
 * reconciliation. Stores everything that differs from the database.
 */

import { type OwnedAccount, totalBalances } from '@trading-automation/core/exchange-accounts';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { type AccountState, fillKey, type Reconciliation, reconcile } from '@trading-automation/core/trades';
import type { ExchangeClient, VenueFill } from '@trading-automation/exchanges';
import type { BalanceStore } from '../exchange/balance-store.js';
import type { ReconcileActions } from './reconcile-actions.js';

export interface ReconcileSummary {
  /** The keys of new fills, by `fillKey`. */
  readonly fills: readonly string[];
  /** The number of trades that changed, not counting probes. */
  readonly trades: number;
}

type Totals = ReturnType<typeof totalBalances>;

export class AccountReconciler {
  constructor(
    private readonly reconciliation: Reconciliation,
    private readonly balances: BalanceStore,
    private readonly pairs: PairCatalogue,
    private readonly actions: ReconcileActions,
  ) {}

  /** @throws {ExchangeError} if a read fails; nothing is stored then */
  async run(account: OwnedAccount, client: ExchangeClient): Promise<ReconcileSummary> {
    const { reconciliation } = this;
    const { accountId } = account;
    const state = await reconciliation.state(accountId);
    const openOrders = await client.fetchOpenOrders();
    const takenAt = await this.balances.databaseTime();
    const report = await client.fetchBalances();
    const totals = totalBalances(report.balances);
    const changed = await this.changedSymbols(account, state.reconciledTotals, totals);
    const symbols = new Set([...state.symbols, ...openOrders.map(({ symbol }) => symbol), ...changed]);
    const fills = await fillsOf(client, symbols, state.fillsSince);
    const actions = reconcile({ ...state, openOrders, fills, totalsByAsset: totals });
    const changedTrades = await reconciliation.apply(
      accountId,
      { at: state.at, totals },
      await this.actions.resolve(client, actions),
    );
    await this.actions.probe(client, actions);
    await this.balances.storeSnapshot({ accountId, ...report, takenAt });
    return { fills: newFillKeys(state, fills), trades: changedTrades.size };
  }

  /**
   * Returns the pairs whose assets all changed since the last reconciliation, because an external order may have traded
   * a pair that is new to the account. The stored balances are compared only before the first reconciliation: later, a
   * stream or a balance sync may have updated them.
   */
  private async changedSymbols(
    { accountId, exchange }: OwnedAccount,
    reconciled: Totals | null,
    current: Totals,
  ): Promise<string[]> {
    const before = reconciled ?? (await this.storedTotals(accountId));
    if (before === null) return [];
    const changed = new Set(
      [...Object.keys(before), ...Object.keys(current)].filter((asset) => before[asset] !== current[asset]),
    );
    if (changed.size < 2) return [];
    const symbols = await this.pairs.activeSymbols(exchange);
    return symbols.filter((symbol) => assetsOf(symbol).every((asset) => changed.has(asset)));
  }

  private async storedTotals(accountId: string): Promise<Totals | null> {
    const stored = await this.balances.balancesOf(accountId);
    return stored === null ? null : totalBalances(stored);
  }
}

async function fillsOf(
  client: ExchangeClient,
  symbols: ReadonlySet<string>,
  since: Date,
): Promise<readonly VenueFill[]> {
  const fills: VenueFill[] = [];
  for (const symbol of symbols) fills.push(...(await client.fetchFillsSince({ symbol, since })));
  return fills;
}

function newFillKeys({ knownFills }: AccountState, fills: readonly VenueFill[]): string[] {
  return fills.map(fillKey).filter((key) => !knownFills.has(key));
}

/** The assets of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
