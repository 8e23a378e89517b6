/**
 * Reconciles an account with its exchange: reads its open orders, its fills since the last reconciliation and then its
 * balances, and stores every difference from the ledger.
 */

import type { Batcher } from '@trading-automation/core';
import {
  type AccountSyncService,
  type BalanceSnapshot,
  type OwnedAccount,
  totalBalances,
} from '@trading-automation/core/exchange-accounts';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import {
  type AccountState,
  fillKey,
  type ReconcileAction,
  type Reconciliation,
  reconcile,
} from '@trading-automation/core/trades';
import {
  type Balances,
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { OrderReconciler } from '../exchange/order-reconciler.js';

type Action = ReconcileAction<VenueOrder, VenueFill>;

export interface AccountReconcilerDependencies {
  readonly reconciliation: Pick<Reconciliation, 'state' | 'apply'>;
  readonly accountSync: Pick<AccountSyncService, 'databaseTime' | 'balancesOf'>;
  readonly snapshots: Pick<Batcher<BalanceSnapshot>, 'add'>;
  readonly pairs: Pick<PairCatalogue, 'activeSymbols'>;
  readonly orderReconciler: Pick<OrderReconciler, 'probe'>;
  readonly logger: Logger;
}

export interface ReconcileSummary {
  /** The keys of new fills, by `fillKey`. */
  readonly fills: readonly string[];
  /** The number of trades that changed, without probes. */
  readonly trades: number;
}

export class AccountReconciler {
  constructor(private readonly parts: AccountReconcilerDependencies) {}

  /** @throws {ExchangeError} if a read fails; nothing is stored then */
  async run(account: OwnedAccount, client: ExchangeClient): Promise<ReconcileSummary> {
    const { reconciliation, accountSync, snapshots, orderReconciler } = this.parts;
    const { accountId } = account;
    const state = await reconciliation.state(accountId);
    const openOrders = await client.fetchOpenOrders();
    const takenAt = await accountSync.databaseTime();
    const balances = await client.fetchBalances();
    const changed = await this.changedSymbols(account, balances);
    const symbols = new Set([...state.symbols, ...openOrders.map(({ symbol }) => symbol), ...changed]);
    const fills = await fillsOf(client, symbols, state.fillsSince);
    const actions = reconcile({ ...state, openOrders, fills, totalsByAsset: totalBalances(balances) });
    const changedTrades = await reconciliation.apply(accountId, state, await this.resolve(client, actions));
    for (const action of actions)
      if (action.kind === 'probe') await orderReconciler.probe(client, action.tradeId);
    await snapshots.add({ accountId, balances, takenAt });
    return { fills: newFillKeys(state, fills), trades: changedTrades.size };
  }

  /** Returns the pairs with changes in both assets: an external order may have traded a new pair of the account. */
  private async changedSymbols({ accountId, exchange }: OwnedAccount, now: Balances): Promise<string[]> {
    const before = await this.parts.accountSync.balancesOf(accountId);
    if (before === null) return [];
    const changed = new Set(
      [...Object.keys(before), ...Object.keys(now)].filter(
        (asset) => totalBalances(before)[asset] !== totalBalances(now)[asset],
      ),
    );
    if (changed.size < 2) return [];
    const symbols = await this.parts.pairs.activeSymbols(exchange);
    return symbols.filter((symbol) => assetsOf(symbol).every((asset) => changed.has(asset)));
  }

  /** Reads the orders and fills that the comparison lacks, and cancels orders that must not continue. */
  private async resolve(client: ExchangeClient, actions: readonly Action[]): Promise<readonly Action[]> {
    const resolved: Action[] = [];
    for (const action of actions) {
      if (action.kind === 'identify') {
        const { symbol, exchangeOrderId } = action;
        const order = await client.findOrderByExchangeId({ symbol, exchangeOrderId });
        if (order === null)
          this.parts.logger.error(
            { event: 'fill.unmatched', symbol, exchange_order_id: exchangeOrderId },
            'The exchange reported a fill but does not find its order.',
          );
        else resolved.push(await withAllFills(client, order, action.fills));
      } else if (action.kind === 'adopt') {
        resolved.push(await withAllFills(client, action.order, action.fills));
      } else {
        if (action.kind === 'cancel') await cancel(client, action.order);
        resolved.push(action);
      }
    }
    return resolved;
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

/** Adds the fills from before the reconciled period: an order may have been partially filled earlier. */
async function withAllFills(
  client: ExchangeClient,
  order: VenueOrder,
  known: readonly VenueFill[],
): Promise<Action> {
  const { symbol, exchangeOrderId } = order;
  const fills = order.filledAmount === '0' ? known : await client.fetchFills({ symbol, exchangeOrderId });
  return { kind: 'adopt', order, fills };
}

async function cancel(client: ExchangeClient, { symbol, venueClientOrderId }: VenueOrder): Promise<void> {
  try {
    await client.cancelOrder({ symbol, venueClientOrderId });
  } catch (error) {
    // The order has already ended.
    if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
  }
}

function newFillKeys({ knownFills }: AccountState, fills: readonly VenueFill[]): string[] {
  return fills.map(fillKey).filter((key) => !knownFills.has(key));
}

/** The assets of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
