import { planEntry } from './entries.mjs';
import { Equities } from './equities.mjs';
import { planExit } from './exits.mjs';
import { exact, greatest, sum, ZERO } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { SignalSource } from './signals.mjs';

/**
 * Repeats the day from the facts: decides for each copier and signal what the rules say, and compares it with what the
 * product decided and ordered.
 *
 * @typedef {import('./fraction.mjs').Fraction} Fraction
 * @typedef {import('./facts.mjs').AccountFacts} AccountFacts
 * @typedef {import('./lots.mjs').Fill & { symbol: string }} Fill
 * @typedef {import('./participants.mjs').Copier} Copier
 * @typedef {import('./participants.mjs').Strategy} Strategy
 * @typedef {import('./entries.mjs').CopiedLot} CopiedLot
 * @typedef {{ record: any, status: string, startedAt: number }} CopierState `record`: as the API last showed it
 * @typedef {{ mid: Fraction }} Market the middle of the book when the signal was planned
 * @typedef {{ lotKey: string, target: Fraction, decisionId: string, copier: Copier }} WaitingExit
 */
export class Replay {
  /**
   * @param {import('./participants.mjs').Participants} participants
   * @param {(difference: object) => void} report
   */
  constructor(participants, report) {
    this.participants = participants;
    this.report = report;
    this.equities = new Equities();
    /** @type {Map<string, LotBook>} by account and symbol */
    this.books = new Map();
    /** @type {Map<string, CopiedLot>} by copier and lot of the leader */
    this.copiedLots = new Map();
    /** @type {Map<string, Map<string, Fraction>>} total balances by account and asset */
    this.balances = new Map();
    /** @type {Map<string, WaitingExit>} exits that wait, by decision */
    this.pendingExits = new Map();
    /** @type {WaitingExit[]} exits that a later exit of the lot has sold */
    this.carriedExits = [];
    this.sources = new Map(participants.strategies.map(({ id }) => [id, new SignalSource(id)]));
    this.bookedFills = new Set();
    this.decisions = 0;
    /** @type {Record<string, number>} */
    this.outcomes = {};
  }

  /** @param {string} accountId @param {string} symbol */
  book(accountId, symbol) {
    const key = `${accountId} ${symbol}`;
    const found = this.books.get(key) ?? new LotBook(this.pair(symbol));
    this.books.set(key, found);
    return found;
  }

  /** @param {string} symbol */
  pair(symbol) {
    const pair = this.participants.pairs.find((each) => each.symbol === symbol);
    if (pair === undefined) throw new Error(`no pair ${symbol}`);
    return pair;
  }

  /** Books new fills of a leader's account. @param {Strategy} strategy @param {AccountFacts} facts */
  bookLeader(strategy, facts) {
    const source = /** @type {SignalSource} */ (this.sources.get(strategy.id));
    for (const fill of this.newFills(facts)) {
      this.bookedFills.add(fill.id + fill.tradeId);
      source.book(this.book(strategy.account.id, fill.symbol), fill);
    }
  }

  /** Books fills of a copier's account. @param {string} accountId @param {readonly Fill[]} fills */
  bookFills(accountId, fills) {
    for (const fill of fills) {
      this.bookedFills.add(fill.id + fill.tradeId);
      this.book(accountId, fill.symbol).book(fill);
      const [base, quote] = fill.symbol.split('/');
      const sign = exact(fill.side === 'BUY' ? '1' : '-1');
      this.addBalance(accountId, String(base), fill.amount.times(sign));
      this.addBalance(accountId, String(quote), ZERO.minus(fill.price.times(fill.amount).times(sign)));
      this.addBalance(accountId, fill.fee.currency, ZERO.minus(fill.fee.amount));
    }
  }

  /** @param {AccountFacts} facts */
  newFills(facts) {
    return facts.fills.filter((fill) => !this.bookedFills.has(fill.id + fill.tradeId));
  }

  /** @param {string} accountId @param {string} asset @param {Fraction} amount */
  addBalance(accountId, asset, amount) {
    const balances = this.balances.get(accountId) ?? new Map();
    balances.set(asset, (balances.get(asset) ?? ZERO).plus(amount));
    this.balances.set(accountId, balances);
  }

  /** @param {string} accountId @param {string} asset */
  balance(accountId, asset) {
    return this.balances.get(accountId)?.get(asset) ?? ZERO;
  }

  /** @param {Copier} copier @param {string} lotId @param {any} settings */
  copiedLot(copier, lotId, settings) {
    const key = `${copier.id} ${lotId}`;
    const found = this.copiedLots.get(key) ?? {
      settings,
      ratio: undefined,
      sent: ZERO,
      forgone: ZERO,
      skipped: ZERO,
      rest: ZERO,
      /** @type {string[]} */
      tradeIds: [],
      /** @type {object[]} */
      earlier: [],
    };
    this.copiedLots.set(key, found);
    return found;
  }

  /** @param {Copier} copier @param {CopiedLot} lot @param {string} symbol */
  heldOf(copier, lot, symbol) {
    return this.book(copier.account.id, symbol).openAmountOf(lot.tradeIds);
  }

  /** Returns the open lots that the copier holds, one for each lot of the leader, in all pairs. @param {Copier} copier */
  openLotsOf(copier) {
    return [...this.copiedLots]
      .filter(([key]) => key.startsWith(`${copier.id} `))
      .flatMap(([, lot]) =>
        this.participants.pairs
          .map(({ symbol }) => ({ symbol, held: this.heldOf(copier, lot, symbol), lot }))
          .filter(({ held }) => held.isPositive),
      );
  }

  /** @param {Copier} copier */
  exposureOf(copier) {
    return sum(
      this.participants.pairs.flatMap(({ symbol }) =>
        this.book(copier.account.id, symbol)
          .lots.filter(({ owner, open }) => owner === copier.id && open.isPositive)
          .map(({ cost, open, opened }) => cost.times(open).over(opened)),
      ),
    );
  }

  /**
   * @param {{ copier: Copier, state: CopierState, signal: import('./signals.mjs').Signal, decision: any, orderAmount: Fraction, market: Market }} input
   */
  expectedEntry({ copier, state, signal, decision, orderAmount, market }) {
    const lot = this.copiedLot(copier, signal.lotId, state.record);
    const plan = planEntry({
      pair: this.pair(signal.symbol),
      lot,
      isActive: state.status === 'ACTIVE',
      isWatched: signal.at > state.startedAt,
      cumulative: signal.cumulative,
      orderAmount,
      reference: signal.price,
      mid: market.mid,
      held: this.heldOf(copier, lot, signal.symbol),
      openLots: this.openLotsOf(copier).length,
      exposure: this.exposureOf(copier),
      freeQuote: this.balance(copier.account.id, this.pair(signal.symbol).quote),
      equity: this.equities.of({ copier, sizing: lot.settings.sizing, ratio: decision.inputs.ratio }),
    });
    const isEntered = lot.sent.plus(plan.sent).isPositive;
    if (isEntered) {
      lot.sent = lot.sent.plus(plan.sent);
      lot.forgone = lot.forgone.plus(plan.forgone);
    } else if (plan.forgone.isPositive) lot.skipped = signal.cumulative;
    if (decision.trade_id !== undefined) lot.tradeIds.push(decision.trade_id);
    const { ratio } = lot;
    // The ratio is frozen by the order that opens the copier's own lot.
    if (!isEntered) lot.ratio = undefined;
    return { ...plan, ratio };
  }

  /**
   * @param {{ copier: Copier, state: CopierState, signal: import('./signals.mjs').Signal, decision: any }} input
   */
  expectedExit({ copier, state, signal, decision }) {
    const lot = this.copiedLot(copier, signal.lotId, state.record);
    const lotKey = `${copier.id} ${signal.lotId}`;
    const waiting = [...this.pendingExits.values()].filter((exit) => exit.lotKey === lotKey);
    const owed = sum(waiting.map(({ target }) => target));
    const plan = planExit({
      pair: this.pair(signal.symbol),
      isCopying: state.status !== 'PAUSED',
      isFinal: signal.isFinal,
      exit: signal.amount,
      leaderLot: signal.before,
      held: this.heldOf(copier, lot, signal.symbol),
      owed,
      rest: lot.rest,
      freeBase: this.balance(copier.account.id, this.pair(signal.symbol).base),
      price: signal.price,
    });
    if (plan.outcome === 'PENDING') {
      this.pendingExits.set(decision.id, { lotKey, target: plan.target, decisionId: decision.id, copier });
      lot.rest = ZERO;
    } else if (plan.sent.isPositive) {
      for (const exit of waiting) {
        this.pendingExits.delete(exit.decisionId);
        this.carriedExits.push(exit);
      }
      lot.rest = greatest(ZERO, plan.target.plus(owed).minus(plan.amount));
    }
    return plan;
  }
}
