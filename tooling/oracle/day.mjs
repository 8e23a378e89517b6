import { setTimeout as wait } from 'node:timers/promises';
import { unsettled } from '../chaos/read-records.mjs';
import { compareDecision } from './compare.mjs';
import { compareAccounts } from './end-of-day.mjs';
import { FactReader } from './facts.mjs';
import { exact, sum } from './fraction.mjs';
import { playStep } from './moves.mjs';
import { Replay } from './replay.mjs';

const pollMs = 60;
const settleMaxMs = 60_000;
/** In this time the product records the equity of new accounts. */
const EQUITY_RECORDED_MS = 10_000;

/**
 * One run of the driver. A step is one move of the leader or a user. After each step the product comes to rest, and then
 * everything that is new is compared.
 *
 * @typedef {import('./participants.mjs').Participants} Participants
 */
export class Day {
  /**
   * @param {{
   *   product: import('../e2e/killable-product.mjs').KillableProduct, venue: import('./venue.mjs').Venue,
   *   random: import('../chaos/random.mjs').Random, report: (difference: object) => void,
   * }} options
   */
  constructor({ product, venue, random, report }) {
    this.product = product;
    this.venue = venue;
    this.random = random;
    this.reportDifference = report;
    /** @type {Map<string, number>} the price around which the book of each pair is */
    this.mids = new Map([
      ['BTC/USDT', 60_000],
      ['ETH/USDT', 3_000],
      ['SOL/USDT', 150],
    ]);
    this.steps = 0;
    this.decisions = 0;
    /** @type {Record<string, number>} */
    this.outcomes = {};
    /** @type {Map<string, import('./replay.mjs').CopierState>} */
    this.states = new Map();
    /** @type {Map<string, number>} the last sequence that was compared, by copier */
    this.compared = new Map();
    /** @type {string} what the step did, for the report of a difference */
    this.move = 'none';
    /** @type {import('./fraction.mjs').Fraction | undefined} the middle of a book that the step has set */
    this.bookMid = undefined;
    /** @type {Set<string | undefined>} the trades that the new decisions name */
    this.named = new Set();
  }

  async open() {
    for (const symbol of this.mids.keys()) await this.moveTo(symbol, this.mids.get(symbol) ?? 0);
  }

  /** @param {string} symbol @param {number} price */
  async moveTo(symbol, price) {
    const text = price.toFixed(2);
    await this.venue.moveTo(symbol, text);
    this.mids.set(symbol, Number(text));
    this.reader?.prices.push({ at: Date.now(), symbol, price: exact(text) });
  }

  /** @param {Participants} participants */
  async begin(participants) {
    this.participants = participants;
    const analytics = await participants.api.get('/v1/trades/analytics');
    // A release without this field says that a fee in a third asset has no known rate.
    const valuesThirdAssets = 'fees_incomplete' in analytics;
    this.reader = new FactReader(participants.api, this.venue, { valuesThirdAssets });
    await this.open();
    // Without a recorded equity, rule 6 skips as STALE_EQUITY.
    await wait(EQUITY_RECORDED_MS);
    this.replay = new Replay(participants, (difference) => this.report(difference));
    for (const copier of participants.copiers) {
      await this.refresh(copier);
      const ledger = await this.venue.ledger(copier.account.credentials);
      const known = this.replay.balances.has(copier.account.id);
      for (const [asset, { free }] of Object.entries(ledger.balances))
        if (!known) this.replay.addBalance(copier.account.id, asset, exact(free));
    }
  }

  /** Reads a copier's settings and status. @param {import('./participants.mjs').Copier} copier */
  async refresh(copier) {
    const record = await this.parts.participants.api.get(`/v1/copiers/${copier.id}`);
    const startedAt = Date.parse(record.started_at ?? '9999-01-01T00:00:00Z');
    this.states.set(copier.id, { record, status: record.status, startedAt });
    return record;
  }

  /** What `begin` sets. */
  get parts() {
    const { participants, replay, reader } = this;
    if (participants === undefined || replay === undefined || reader === undefined)
      throw new Error('the day has not begun');
    return { participants, replay, reader };
  }

  /** @param {object} difference */
  report(difference) {
    this.reportDifference({ step: this.steps, move: this.move, ...difference });
  }

  /** Records the equity of every account. */
  async recordEquities() {
    const { participants, replay } = this.parts;
    const prices = new Map(
      [...this.mids].map(([symbol, price]) => [String(symbol.split('/')[0]), exact(price)]),
    );
    const value = (/** @type {[string, import('./fraction.mjs').Fraction][]} */ balances) =>
      sum(balances.map(([asset, amount]) => amount.times(prices.get(asset) ?? exact('1'))));
    for (const { account } of participants.copiers) {
      replay.equities.record(account.id, value([...(replay.balances.get(account.id) ?? [])]));
    }
    for (const { account } of participants.strategies) {
      const { balances } = await this.venue.ledger(account.credentials);
      const totals = Object.entries(balances).map(([asset, { free, locked }]) => [
        asset,
        exact(free).plus(exact(locked)),
      ]);
      replay.equities.record(account.id, value(/** @type {any} */ (totals)));
    }
  }

  async step() {
    this.steps += 1;
    this.bookMid = undefined;
    this.move = await playStep(this);
    await this.settle();
    await this.compare();
    await this.recordEquities();
  }

  /** Waits until the product has planned every signal, and every order and decision has ended, but for exits that wait. */
  async settle() {
    const { participants } = this.parts;
    const deadline = performance.now() + settleMaxMs;
    for (;;) {
      const isKnown = await Promise.all(participants.strategies.map((each) => this.isLeaderKnown(each)));
      const { trades, strategies } = await unsettled(this.product.databaseUrl);
      if (isKnown.every(Boolean) && trades === 0 && strategies === 0 && (await this.isDecided())) return;
      if (performance.now() > deadline) {
        this.report({ problem: 'not settled', trades, strategies });
        return;
      }
      await wait(pollMs);
    }
  }

  /** Returns whether the product has all fills of a leader. @param {import('./participants.mjs').Strategy} strategy */
  async isLeaderKnown({ account }) {
    const { trades, ledger } = await this.parts.reader.read(account);
    const filled = (/** @type {any[]} */ records) =>
      sum(records.map(({ filled_amount }) => exact(filled_amount)));
    return filled(ledger.orders).compare(filled([...trades.values()])) === 0;
  }

  async isDecided() {
    const decisions = await this.newDecisions();
    return decisions.every(
      ({ decision }) => decision.settled_at !== undefined || decision.code === 'BELOW_MINIMUM',
    );
  }

  /** Returns the decisions that were not compared yet, in the order of the signals. */
  async newDecisions() {
    const { api, copiers } = this.parts.participants;
    const all = await Promise.all(
      copiers.map(async (copier) => {
        const path = `/v1/copiers/${copier.id}/decisions?sort=sequence&order=desc&limit=20`;
        const { data } = await api.call('GET', path);
        const last = this.compared.get(copier.id) ?? 0;
        return data
          .filter((/** @type {any} */ { sequence }) => sequence > last)
          .map((/** @type {any} */ decision) => ({ copier, decision }));
      }),
    );
    return all.flat().sort((a, b) => a.decision.sequence - b.decision.sequence);
  }

  async compare() {
    const { participants, replay, reader } = this.parts;
    const decisions = await this.newDecisions();
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
    this.named = new Set(decisions.map(({ decision }) => decision.trade_id));
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
        this.report({ problem: 'an order belongs to no decision', trade, decisions: own.map(summaryOf) });
      }
      replay.apply(accountId, replay.newFills(account));
      replay.bookAccount(accountId, account);
    }
  }

  /**
   * Applies the orders of exits that waited and were tried again without a new signal.
   *
   * @param {import('./facts.mjs').AccountFacts} account
   * @param {ReadonlySet<string>} lots the lots that new decisions have orders of
   */
  applyRetries(account, lots) {
    const { replay } = this.parts;
    for (const exit of [...replay.pendingExits.values()]) {
      const { copier, lot, lotId, lotKey } = exit;
      if (lots.has(lotKey)) continue;
      const own = replay
        .newFills(account)
        .filter(
          ({ owner, side, tradeId }) =>
            owner === copier.id && side === 'SELL' && account.trades.get(tradeId)?.source_trade_id === lotId,
        );
      if (own.length === 0) continue;
      replay.apply(copier.account.id, own, lot);
      replay.pendingExits.delete(exit.decisionId);
      replay.carriedExits.push(exit);
    }
  }

  /**
   * @param {{ copier: import('./participants.mjs').Copier, decision: any }[]} decisions
   * @param {Map<string, import('./facts.mjs').AccountFacts>} facts
   */
  async compareSignals(decisions, facts) {
    const { participants, replay } = this.parts;
    for (const strategy of participants.strategies) {
      const own = decisions.filter(({ copier }) => copier.strategy.id === strategy.id);
      const source = replay.sources.get(strategy.id);
      for (const sequence of new Set(own.map(({ decision }) => decision.sequence))) {
        const ofSignal = own.filter(({ decision }) => decision.sequence === sequence);
        const first = ofSignal[0]?.decision;
        const amounts = ofSignal.map(({ decision }) => decision.inputs.leader_amount);
        const known = amounts.find((amount) => amount !== undefined);
        const signal = source?.take({
          kind: first.kind,
          sourceTradeId: first.source_trade_id,
          cumulative: known === undefined ? undefined : exact(known),
        });
        if (signal === undefined) {
          this.report({ problem: 'no fill of the leader explains the signal', decision: first });
          continue;
        }
        const leaderTrade = await participants.api.get(`/v1/trades/${signal.lotId}`);
        for (const { copier, decision } of ofSignal) {
          this.compareOne({ copier, decision, signal, orderAmount: exact(leaderTrade.amount), facts });
        }
      }
      for (const change of source?.pending ?? []) {
        this.report({
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
  compareOne({ copier, decision, signal, orderAmount, facts }) {
    const { replay } = this.parts;
    const state = this.states.get(copier.id);
    const account = facts.get(copier.account.id);
    if (state === undefined || account === undefined) throw new Error(`no state of ${copier.name}`);
    const market = { mid: this.bookMid ?? exact(this.mids.get(signal.symbol) ?? 0) };
    const input = { copier, state, signal, decision, orderAmount, market };
    /** @type {Parameters<typeof compareDecision>[1]['plan']} */
    const plan = signal.isEntry ? replay.expectedEntry(input) : replay.expectedExit(input);
    const lot = replay.copiedLot(copier, signal, state.record);
    const fills = this.fillsOf(decision, signal, account);
    replay.apply(copier.account.id, fills, lot);
    const filled = sum(fills.map(({ amount }) => amount));
    const trade = account.trades.get(decision.trade_id);
    const differences = compareDecision(decision, { signal, plan, trade, filled });
    this.decisions += 1;
    const name = [decision.outcome, decision.code].filter(Boolean).join(' ');
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
    this.compared.set(copier.id, decision.sequence);
    if (differences.length > 0) {
      const { sizing, limits, below_minimum } = lot.settings;
      const settings = { sizing, limits, below_minimum };
      this.report({ copier: copier.name, differences, settings, decision, earlier: [...lot.earlier] });
      replay.follow(decision, { lot, copier, lotId: signal.lotId, filled });
    }
    lot.earlier.push(summaryOf(decision));
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
        side === (signal.isEntry ? 'BUY' : 'SELL') &&
        (id === decision.trade_id || !this.named.has(id)),
    );
    const fresh = this.parts.replay.newFills(account);
    return fresh.filter(({ tradeId }) => orders.some(({ id }) => id === tradeId));
  }

  async close() {
    this.move = 'end of the day';
    await compareAccounts(this);
  }
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
