import { compareDecision, settledOutcome, textDifferences } from './compare.mjs';
import { isReduceOnly } from './exits.mjs';
import { exact, sum } from './fraction.mjs';
import { isPerpetual } from './markets.mjs';
import { oppositeOf } from './signed-plans.mjs';

const CENT = exact('0.01');

/** Compares everything that a step has caused with what the rules demand. */
export class StepComparison {
  /** @param {import('./day.mjs').Day} day */
  constructor(day) {
    this.day = day;
    /** @type {Set<string | undefined>} the trades that the new decisions name */
    this.named = new Set();
    /** @type {any[]} the new decisions */
    this.decisions = [];
  }

  async compare() {
    const { participants, replay, reader } = this.day.parts;
    const decisions = await this.day.newDecisions();
    const accounts = new Map(participants.copiers.map(({ account }) => [account.id, account]));
    const facts = new Map(
      await Promise.all(
        [...accounts.values()].map(
          async (account) => /** @type {const} */ ([account.id, await reader.read(account)]),
        ),
      ),
    );
    for (const strategy of participants.strategies) {
      replay.bookLeader(strategy, await reader.read(strategy.account));
    }
    // The lots of which a new decision names an order.
    const lots = new Set(
      decisions.map(({ copier, decision }) => {
        const trade = facts.get(copier.account.id)?.trades.get(decision.trade_id);
        return `${copier.id} ${trade?.source_trade_id}`;
      }),
    );
    this.decisions = decisions.map(({ decision }) => decision);
    this.named = new Set(this.decisions.map(({ trade_id }) => trade_id));
    for (const [accountId, account] of facts) {
      const fills = replay.newFills(account);
      const byHand = fills.filter(({ owner }) => owner === undefined);
      replay.apply(accountId, byHand);
      this.applyRetries(account, lots);
    }
    await this.compareSignals(decisions, facts);
    for (const [accountId, account] of facts) {
      for (const tradeId of new Set(replay.newFills(account).map((fill) => fill.tradeId))) {
        const trade = account.trades.get(tradeId);
        const own = decisions
          .map(({ decision }) => decision)
          .filter(({ copier_id }) => copier_id === trade?.copier_id);
        this.day.report({ problem: 'an order belongs to no decision', trade, decisions: own.map(summaryOf) });
      }
      replay.apply(accountId, replay.newFills(account));
      replay.bookAccount(accountId, account);
      replay.signed.align(accountId, replay.books);
    }
  }

  /**
   * Applies the orders of exits that waited and were tried again without a new signal.
   *
   * @param {import('./facts.mjs').AccountFacts} account
   * @param {ReadonlySet<string>} lots the lots that new decisions have orders of
   */
  applyRetries(account, lots) {
    const { replay } = this.day.parts;
    for (const { copier, lot, lotId, lotKey } of [...replay.pendingExits.values()]) {
      if (lots.has(lotKey)) continue;
      const own = replay
        .newFills(account)
        .filter(
          ({ owner, side, tradeId }) =>
            owner === copier.id &&
            side === oppositeOf(lot.side) &&
            account.trades.get(tradeId)?.source_trade_id === lotId,
        );
      if (own.length === 0) continue;
      replay.apply(copier.account.id, own, lot);
      replay.settleWaiting(lotKey, sum(own.map(({ amount }) => amount)));
    }
  }

  /**
   * @param {{ copier: import('./participants.mjs').Copier, decision: any }[]} decisions
   * @param {Map<string, import('./facts.mjs').AccountFacts>} facts
   */
  async compareSignals(decisions, facts) {
    const { participants, replay } = this.day.parts;
    for (const strategy of participants.strategies) {
      const own = decisions.filter(({ copier }) => copier.strategy.id === strategy.id);
      const source = replay.sources.get(strategy.id);
      for (const sequence of new Set(own.map(({ decision }) => decision.sequence))) {
        const ofSignal = own.filter(({ decision }) => decision.sequence === sequence);
        const first = ofSignal[0]?.decision;
        const amounts = ofSignal.map(
          ({ decision: { inputs } }) => inputs.leader_amount ?? inputs.exit_amount,
        );
        const known = amounts.find((amount) => amount !== undefined);
        const signal = source?.take({
          kind: first.kind,
          sourceTradeId: first.source_trade_id,
          upTo: known === undefined ? undefined : exact(known),
        });
        if (signal === undefined) {
          this.day.report({ problem: 'no fill of the leader explains the signal', decision: first });
          continue;
        }
        this.day.plannedAt.set(signal.symbol, performance.now());
        const leaderTrade = await participants.api.get(`/v1/trades/${signal.lotId}`);
        for (const { copier, decision } of ofSignal) {
          const orderAmount = exact(leaderTrade.amount).minus(replay.reversedBy(strategy, signal));
          this.compareOne({ copier, decision, signal, orderAmount, facts });
        }
      }
      for (const change of source?.pending ?? []) {
        this.day.report({
          problem: 'no signal covers a fill of the leader',
          lot: change.lotId,
          amount: String(change.amount),
        });
      }
      if (source !== undefined) source.pending = [];
    }
  }

  /**
   * @param {{ copier: import('./participants.mjs').Copier, decision: any, signal: import('./signals.mjs').Signal, orderAmount: import('./fraction.mjs').Fraction, facts: Map<string, import('./facts.mjs').AccountFacts> }} input
   */
  compareOne({ copier, decision: shown, signal, orderAmount, facts }) {
    const { replay } = this.day.parts;
    const now = this.day.stateOf(copier);
    // A loss limit may have stopped the copier before or after this signal was planned.
    const state = shown.code === 'NOT_ACTIVE' ? now : (now.before ?? now);
    const account = facts.get(copier.account.id);
    if (account === undefined) throw new Error(`no facts of ${copier.name}`);
    const market = { mid: this.day.bookMid ?? exact(this.day.mids.get(signal.symbol) ?? 0) };
    const input = { copier, state, signal, decision: shown, orderAmount, market };
    /** @type {Parameters<typeof compareDecision>[1]['plan']} */
    const plan = signal.isEntry
      ? replay.expectedEntry(input)
      : replay.expectedExit({ ...input, nets: this.netsOf({ copier, signal, shown, account }) });
    const decision = plan.outcome === 'PENDING' ? asItWaited(shown, this.decisions) : shown;
    const lot = replay.copiedLot(copier, signal, state.record);
    const fills = this.fillsOf(decision, signal, account);
    const heldBefore = lot.held;
    const netBefore = isPerpetual(signal.symbol)
      ? replay.signed.book(copier.account.id, signal.symbol).net
      : undefined;
    replay.apply(copier.account.id, fills, lot);
    const filled = sum(fills.map(({ amount }) => amount));
    const trade = account.trades.get(decision.trade_id);
    if (netBefore !== undefined && trade !== undefined)
      plan.isRejected = this.isRejected(plan, { copier, trade, signal, net: netBefore, account });
    const cost = sum(fills.map(({ price, amount }) => price.times(amount)));
    if (signal.isEntry && plan.price !== undefined) {
      const most = plan.sent.times(plan.price);
      replay.enteredBy(decision, { copier, lot, bought: lot.held.minus(heldBefore), cost, most });
    }
    const differences = [
      ...compareDecision(decision, { signal, plan, trade, filled, cost }),
      ...(netBefore === undefined || trade === undefined
        ? []
        : this.reduceOnlyDifferences(trade, { signal, net: netBefore, account })),
    ];
    const { outcome } = settledOutcome(plan, signal.isEntry, filled);
    replay.outcomesOf.set(decision.id, { copierId: copier.id, outcome });
    this.day.decisions += 1;
    const name = [decision.outcome, decision.code].filter(Boolean).join(' ');
    this.day.outcomes[name] = (this.day.outcomes[name] ?? 0) + 1;
    this.day.compared.set(copier.id, decision.sequence);
    if (differences.length > 0) {
      const { sizing, limits, below_minimum } = lot.settings;
      const settings = { sizing, limits, below_minimum };
      const equities =
        sizing.mode === 'EQUITY_RATIO' || limits.max_leverage !== undefined
          ? { leader: this.equityOf(copier.strategy.account), copier: this.equityOf(copier.account) }
          : undefined;
      const about = { copier: copier.name, differences, settings, decision, equities };
      this.day.report({ ...about, earlier: [...lot.earlier] });
      replay.follow(decision, { lot, copier, lotId: signal.lotId, filled });
    }
    lot.earlier.push(summaryOf(decision));
  }

  /** Returns the equities that the product may know, for a report. @param {import('./participants.mjs').Account} account */
  equityOf({ id }) {
    const { low, high, newest } = this.day.parts.replay.equities.range(id);
    return [low, newest, high].map((each) => String(each.roundTo(CENT)));
  }

  /**
   * Returns whether the exchange rejects an order because the position would be too large for its leverage. If this depends on other
   * orders of the step, the exchange's own answer counts.
   *
   * @param {{ sent: import('./fraction.mjs').Fraction, price?: import('./fraction.mjs').Fraction }} plan
   * @param {{ copier: import('./participants.mjs').Copier, trade: any, signal: import('./signals.mjs').Signal, net: import('./fraction.mjs').Fraction, account: import('./facts.mjs').AccountFacts }} planned
   */
  isRejected({ sent, price }, { copier, trade, signal, net, account }) {
    if (price === undefined || !sent.isPositive) return false;
    const nets = this.netsAround(net, { trade, signal, account });
    const { symbol, side } = signal;
    const order = { symbol, side, amount: sent, price, nets };
    const { signed } = this.day.parts.replay;
    return signed.isTooLarge(copier.account.id, order) ?? trade.status === 'FAILED';
  }

  /**
   * Returns the least and the greatest position that an order may meet, whatever other orders of the step were filled before it.
   *
   * @param {import('./fraction.mjs').Fraction} net
   * @param {{ trade: any, signal: import('./signals.mjs').Signal, account: import('./facts.mjs').AccountFacts }} planned
   */
  netsAround(net, { trade, signal, account }) {
    const amounts = this.stepFills(account, signal.symbol)
      .filter(({ tradeId }) => tradeId !== trade.id)
      .map(({ amount }) => amount);
    return [net.minus(sum(amounts)), net.plus(sum(amounts))];
  }

  /**
   * Returns the least and the greatest net position that an exit may have been planned with; undefined on spot.
   *
   * @param {{ copier: import('./participants.mjs').Copier, signal: import('./signals.mjs').Signal, shown: any, account: import('./facts.mjs').AccountFacts }} exit
   */
  netsOf({ copier, signal, shown, account }) {
    if (!isPerpetual(signal.symbol)) return undefined;
    const { net } = this.day.parts.replay.signed.book(copier.account.id, signal.symbol);
    return this.netsAround(net, { trade: { id: shown.trade_id }, signal, account });
  }

  /**
   * An exit is reduce-only if the net position allows it. Other orders of the step may have been filled before or after it was
   * planned, so only what is true in each case is compared.
   *
   * @param {any} trade
   * @param {{ signal: import('./signals.mjs').Signal, net: import('./fraction.mjs').Fraction, account: import('./facts.mjs').AccountFacts }} planned
   */
  reduceOnlyDifferences(trade, { signal, net, account }) {
    if (signal.isEntry) return textDifferences(trade, { reduce_only: false });
    const amount = exact(trade.amount);
    const cases = this.netsAround(net, { trade, signal, account }).map((each) =>
      isReduceOnly(each, signal.side, amount),
    );
    if (cases[0] !== cases[1]) return [];
    return textDifferences(trade, { reduce_only: cases[0] });
  }

  /** Returns the fills of the step on an account and pair. @param {import('./facts.mjs').AccountFacts} account @param {string} symbol */
  stepFills({ fills }, symbol) {
    const { bookedFills } = this.day.parts.replay;
    return fills.filter((fill) => fill.symbol === symbol && !bookedFills.has(`${fill.id} ${fill.tradeId}`));
  }

  /**
   * Returns the new fills of a decision. A copy names the leader's trade that opened its lot. An exit may need
   * several orders, of which the decision names the last one.
   *
   * @param {any} decision
   * @param {import('./signals.mjs').Signal} signal
   * @param {import('./facts.mjs').AccountFacts} account
   */
  fillsOf(decision, signal, account) {
    const orders = [...account.trades.values()].filter(
      ({ id, copier_id, source_trade_id, side }) =>
        copier_id === decision.copier_id &&
        source_trade_id === signal.lotId &&
        side === signal.side &&
        (id === decision.trade_id || !this.named.has(id)),
    );
    const fresh = this.day.parts.replay.newFills(account);
    return fresh.filter(({ tradeId }) => orders.some(({ id }) => id === tradeId));
  }
}

/**
 * Returns an exit that a later signal of the same step sold, with its own order, as it was before: it waited, and the end of the
 * day compares what it became. Returns any other decision as it is.
 *
 * @param {any} decision
 * @param {readonly any[]} decisions the decisions of the step
 */
export function asItWaited(decision, decisions) {
  const isCarried = decisions.some(
    ({ copier_id, sequence, trade_id }) =>
      copier_id === decision.copier_id && sequence > decision.sequence && trade_id === decision.trade_id,
  );
  if (!isCarried || decision.trade_id === undefined) return decision;
  const { trade_id: _, ...rest } = decision;
  return { ...rest, outcome: 'PENDING', code: 'BELOW_MINIMUM', sent_amount: '0', filled_amount: '0' };
}

/** Returns what a later difference of the same lot needs of a decision. @param {any} decision */
const summaryOf = ({
  sequence,
  source_trade_id,
  trade_id,
  kind,
  outcome,
  code,
  target_amount,
  sent_amount,
  filled_amount,
  inputs,
}) => ({
  sequence,
  source_trade_id,
  trade_id,
  kind,
  outcome,
  code,
  target_amount,
  sent_amount,
  filled_amount,
  inputs,
});
