/**
 * Makes up for what was not heard of an account: its open orders, its fills since the last comparison, and then its
 * balances, are read and compared with the ledger.
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
  /** Fills that were news, by `fillKey`. */
  readonly fills: readonly string[];
  /** Trades that changed by it, probes not counted. */
  readonly trades: number;
}

export class AccountReconciler {
  constructor(private readonly parts: AccountReconcilerDependencies) {}

  /** @throws {ExchangeError} where the exchange can't be asked; nothing is concluded then */
  async run(account: OwnedAccount, client: ExchangeClient): Promise<ReconcileSummary> {
    const { reconciliation, accountSync, snapshots, orderReconciler } = this.parts;
    const { accountId } = account;
    const state = await reconciliation.state(accountId);
    const openOrders = await client.fetchOpenOrders();
    const takenAt = await accountSync.databaseTime();
    const balances = await client.fetchBalances();
    const moved = await this.changedSymbols(account, balances);
    const symbols = new Set([...state.symbols, ...openOrders.map(({ symbol }) => symbol), ...moved]);
    const fills = await fillsOf(client, symbols, state.fillsSince);
    const actions = reconcile({ ...state, openOrders, fills, totalsByAsset: totalBalances(balances) });
    const changed = await reconciliation.apply(accountId, state, await this.resolve(client, actions));
    for (const action of actions)
      if (action.kind === 'probe') await orderReconciler.probe(client, action.tradeId);
    await snapshots.add({ accountId, balances, takenAt });
    return { fills: newFillKeys(state, fills), trades: changed.size };
  }

  /** Pairs of which both assets are not as they were: somebody may have traded there who never did before. */
  private async changedSymbols({ accountId, exchange }: OwnedAccount, now: Balances): Promise<string[]> {
    const before = await this.parts.accountSync.balancesOf(accountId);
    if (before === null) return [];
    const moved = new Set(
      [...Object.keys(before), ...Object.keys(now)].filter(
        (asset) => totalBalances(before)[asset] !== totalBalances(now)[asset],
      ),
    );
    if (moved.size < 2) return [];
    const symbols = await this.parts.pairs.activeSymbols(exchange);
    return symbols.filter((symbol) => assetsOf(symbol).every((asset) => moved.has(asset)));
  }

  /** Reads what the comparison could not know, and ends what must not go on. */
  private async resolve(client: ExchangeClient, actions: readonly Action[]): Promise<readonly Action[]> {
    const resolved: Action[] = [];
    for (const action of actions) {
      if (action.kind === 'identify') {
        const { symbol, exchangeOrderId } = action;
        const order = await client.findOrderByExchangeId({ symbol, exchangeOrderId });
        if (order === null)
          this.parts.logger.error({ symbol, exchangeOrderId }, 'a fill of an unknown order');
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

/** An order may have been filled in part before what was read of the fills. */
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
    // It has ended by itself.
    if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
  }
}

function newFillKeys({ knownFills }: AccountState, fills: readonly VenueFill[]): string[] {
  return fills.map(fillKey).filter((key) => !knownFills.has(key));
}

/** Of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
