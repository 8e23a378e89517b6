/**
 * Reconciles an account with its exchange: reads the account's balances and, where something is open or changed, its
 * open orders and the fills since the last reconciliation. Stores everything that differs from the database.
 *
 * 1. At an exchange where open orders lock balances, the balances show whether anything else has to be read. Without
 *    locked balances there is no open order, and each order of an open trade is looked up by its id, which costs less than
 *    the list. A pair can have new fills only if the totals of both of its assets changed.
 * 2. On margin, a balance counts less what was borrowed of it: an order that borrows changes the loan alone. Interest makes
 *    balances fall short of the lots, so it is read before a shortfall is stored.
 * 3. Of an account with perpetuals, the positions are compared with the lots, too; where they differ, the pair's fills are
 *    read. The leverage is read last.
 * 4. What the exchange does not list is not read: one delisted pair would fail the whole run. Open trades of such a pair end
 *    (`end-delisted.ts`) unless the exchange still reports their orders.
 * 5. The pairs of the last run's changes are read once more, because an exchange may list fills later than balances.
 */
import {
  type AccountHoldings,
  type Loans,
  netOfLoans,
  type OwnedAccount,
  totalBalances,
} from '@trading-automation/core/exchange-accounts';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import {
  type AccountExposure,
  type AccountState,
  fillKey,
  type KnownTrade,
  type ReconcileAction,
  type Reconciliation,
  type ReportedPosition,
  reconcile,
} from '@trading-automation/core/trades';
import type {
  BalanceReport,
  ExchangeClient,
  PositionReport,
  VenueFill,
  VenueOrder,
} from '@trading-automation/exchanges';
import type { BalanceStore } from '../exchange/balance-store.js';
import type { ReconcileActions } from './reconcile-actions.js';

export interface ReconcileSummary {
  /** The keys of new fills, by `fillKey`. */
  readonly fills: readonly string[];
  /** The number of trades that changed, not counting probes. */
  readonly trades: number;
  /** The pairs that changed. The next run reads their fills again. */
  readonly changedSymbols: readonly string[];
  /** Whether balances and fills do not agree, so that the account has to be compared again soon. */
  readonly isDoubtful: boolean;
}

type Totals = ReturnType<typeof totalBalances>;
type Action = ReconcileAction<VenueOrder, VenueFill>;

/** What an exchange reports about an account. */
interface VenueState {
  readonly report: BalanceReport;
  /** What the account owes; undefined without loans. */
  readonly loans: Loans | undefined;
  /** The database's time before the balances were requested. */
  readonly takenAt: string;
  readonly openOrders: readonly VenueOrder[];
  /** Null if the account has no positions. */
  readonly positions: PositionReport | null;
}

export class AccountReconciler {
  constructor(
    private readonly reconciliation: Reconciliation,
    private readonly balances: BalanceStore,
    private readonly pairs: PairCatalogue,
    private readonly actions: ReconcileActions,
  ) {}

  exposureOf({ accountId }: OwnedAccount): Promise<AccountExposure> {
    return this.reconciliation.exposureOf(accountId);
  }

  /**
   * @param recheck pairs whose fills are read even if nothing changed
   * @throws {ExchangeError} if a read fails; nothing is stored then
   */
  async run(
    account: OwnedAccount,
    client: ExchangeClient,
    recheck: readonly string[] = [],
  ): Promise<ReconcileSummary> {
    const { reconciliation } = this;
    const { accountId } = account;
    const stored = await reconciliation.state(accountId);
    const { report, loans, takenAt, openOrders, positions } = await this.readVenue(client);
    const state = { ...stored, trades: await reconciliation.tradesWith(accountId, stored, openOrders) };
    const totals = netTotals({ balances: report.balances, loans: loans ?? null });
    const changed = await this.changedSymbols(account, state.reconciledTotals, totals);
    const store = () => this.balances.storeSnapshot({ accountId, ...report, loans, takenAt });
    // Copies are sized by recent balances, also while the fills wait for the call budget. Until an account was reconciled
    // once, the stored balances show which pairs have new fills.
    if (state.reconciledTotals !== null) await store();
    const netPositions = positions === null ? null : netPositionsOf(positions);
    const symbols = await this.pairs.listedAmong(accountId, [
      ...watchedSymbols(client, state),
      ...differingSymbols(state, netPositions ?? []),
      ...openOrders.map(({ symbol }) => symbol),
      ...changed,
      ...recheck,
    ]);
    const fills = await fillsOf(client, symbols, state.fillsSince);
    const unsupportedSymbols = unsupportedSymbolsOf(positions);
    const venue = { openOrders, fills, totalsByAsset: totals, positions: netPositions, unsupportedSymbols };
    const compared = { ...state, ...venue };
    const explained = await this.explained(account, reconcile(compared), (interest) =>
      reconcile({ ...compared, interest }),
    );
    const actions = explained.filter((action) => isPossible(action, { state, openOrders, listed: symbols }));
    const changedTrades = await reconciliation.apply(
      accountId,
      { at: state.at, reconciledAt: state.reconciledAt, totals },
      await this.actions.resolve(client, actions),
    );
    await this.actions.probe(client, actions);
    if (state.reconciledTotals === null) await store();
    // The fills that led to the positions are stored by now, so the results in the positions' events contain them.
    await this.actions.completePositions(accountId, client, positions);
    return {
      fills: newFillKeys(state, fills),
      trades: changedTrades.size,
      changedSymbols: changed,
      isDoubtful: isUnconfirmed(actions) || hasUnexplainedChange(state, totals, fills),
    };
  }

  private async readVenue(client: ExchangeClient): Promise<VenueState> {
    const listed = client.openOrdersLockBalances ? undefined : await client.fetchOpenOrders();
    const takenAt = await this.balances.databaseTime();
    const report = await client.fetchBalances();
    const loans = await client.loans?.fetchLoans();
    const hasLocked = Object.values(report.balances).some(({ locked }) => Number(locked) !== 0);
    const openOrders = listed ?? (hasLocked ? await client.fetchOpenOrders() : []);
    // Read before the fills: a fill that is not in the positions is then read as a new one.
    const positions = (await client.positions?.fetchPositions()) ?? null;
    return { report, loans, takenAt, openOrders, positions };
  }

  /** If a margin account lacks assets, reads its interest and compares again, because interest is no shortfall. */
  private async explained(
    { accountId, tradingType }: OwnedAccount,
    actions: readonly Action[],
    compareAgain: (interest: Totals) => readonly Action[],
  ): Promise<readonly Action[]> {
    if (tradingType !== 'margin' || !isMissing(actions)) return actions;
    await this.actions.readInterest(accountId);
    return compareAgain(await this.reconciliation.interestOf(accountId));
  }

  /**
   * Returns the pairs whose assets all changed since the last reconciliation, because an external order may have traded
   * a pair that is new to the account. The stored balances are compared only before the first reconciliation: later, a
   * stream or a balance sync may have updated them.
   */
  private async changedSymbols(
    { accountId }: OwnedAccount,
    reconciled: Totals | null,
    current: Totals,
  ): Promise<string[]> {
    const before = reconciled ?? (await this.storedTotals(accountId));
    if (before === null) return [];
    const changed = new Set(changedAssets(before, current));
    if (changed.size < 2) return [];
    const symbols = await this.pairs.symbolsOf(accountId);
    return symbols.filter((symbol) => assetsOf(symbol).every((asset) => changed.has(asset)));
  }

  private async storedTotals(accountId: string): Promise<Totals | null> {
    const stored = await this.balances.holdingsOf(accountId);
    return stored === null ? null : netTotals(stored);
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

/**
 * Whether an action can be carried out. The client can neither read nor cancel an order of a pair that the exchange does not list. It may
 * report such an order under the exchange's name of the market, so the order of a trade counts as open by its id alone.
 */
function isPossible(
  action: Action,
  {
    state,
    openOrders,
    listed,
  }: {
    readonly state: AccountState;
    readonly openOrders: readonly VenueOrder[];
    readonly listed: ReadonlySet<string>;
  },
): boolean {
  if (action.kind === 'adopt' || action.kind === 'cancel') return listed.has(action.order.symbol);
  if (action.kind !== 'probe') return true;
  const trade = state.trades.find(({ id }) => id === action.tradeId);
  if (trade === undefined || listed.has(trade.symbol)) return true;
  return !openOrders.some(({ exchangeOrderId }) => exchangeOrderId === trade.exchangeOrderId);
}

const unsupportedSymbolsOf = (report: PositionReport | null): string[] =>
  (report?.positions ?? []).filter(({ isSupported }) => !isSupported).map(({ symbol }) => symbol);

/** Returns the supported positions. */
function netPositionsOf({ positions }: PositionReport): ReportedPosition[] {
  return positions
    .filter(({ isSupported }) => isSupported)
    .map(({ symbol, side, amount, markPrice }) => ({
      symbol,
      net: side === 'LONG' || amount === '0' ? amount : `-${amount}`,
      markPrice: markPrice ?? null,
    }));
}

/** The pairs whose position differs from the lots. Fills that the product lacks may explain it. */
function differingSymbols(
  { netLots }: AccountState,
  positions: readonly ReportedPosition[],
): readonly string[] {
  const lots = new Map(netLots.map(({ symbol, net }) => [symbol, net]));
  return positions.filter(({ symbol, net }) => net !== (lots.get(symbol) ?? '0')).map(({ symbol }) => symbol);
}

/** Whether the exchange may have an open order of the trade. */
const isAtVenue = ({ isOpen, isSubmitted }: KnownTrade) => isOpen && isSubmitted;

/** The pairs whose fills are read even if the balances show no change. */
function watchedSymbols(client: ExchangeClient, state: AccountState): readonly string[] {
  if (!client.openOrdersLockBalances || state.reconciledTotals === null) return state.symbols;
  return state.trades.filter(isAtVenue).map(({ symbol }) => symbol);
}

const isUnconfirmed = (actions: readonly Action[]) =>
  actions.some(({ kind }) => kind === 'record_shortfalls');

const isMissing = (actions: readonly Action[]) =>
  actions.some(({ kind }) => kind === 'record_shortfalls' || kind === 'write_off');

/** Free plus locked by asset, less what was borrowed. */
const netTotals = ({ balances, loans }: AccountHoldings): Totals =>
  netOfLoans(totalBalances(balances), loans ?? {});

/** Whether the total of an asset changed since the last reconciliation without a fill that explains it. */
function hasUnexplainedChange(
  { reconciledTotals, knownFills }: AccountState,
  totals: Totals,
  fills: readonly VenueFill[],
): boolean {
  if (reconciledTotals === null) return false;
  const traded = new Set([
    ...fills.flatMap(({ symbol, fee }) => [...assetsOf(symbol), fee.currency]),
    ...[...knownFills].flatMap((key) => assetsOf(key.split(' ', 1)[0] ?? '')),
  ]);
  return changedAssets(reconciledTotals, totals).some((asset) => !traded.has(asset));
}

const changedAssets = (before: Totals, after: Totals) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (asset) => before[asset] !== after[asset],
  );

function newFillKeys({ knownFills }: AccountState, fills: readonly VenueFill[]): string[] {
  return fills.map(fillKey).filter((key) => !knownFills.has(key));
}

/** The assets of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
