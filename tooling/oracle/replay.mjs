import { planEntry } from './entries.mjs';
import { Equities } from './equities.mjs';
import { planExit } from './exits.mjs';
import { exact, greatest, least, sum, ZERO } from './fraction.mjs';
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
 * @typedef {{ lotKey: string, lot: CopiedLot, target: Fraction, decisionId: string, copier: Copier, lotId: string }} WaitingExit
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
    /** @type {Set<string>} the fills whose amounts the plans know */
    this.appliedFills = new Set();
    /** @type {Set<string>} the fills that are in the lot books, in the order of their execution */
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
    for (const fill of unknownTo(this.bookedFills, facts)) {
      this.bookedFills.add(keyOf(fill));
      source.book(this.book(strategy.account.id, fill.symbol), fill);
    }
  }

  /** Books new fills of a copier's account, in the order of their execution. @param {string} accountId @param {AccountFacts} facts */
  bookAccount(accountId, facts) {
    for (const fill of unknownTo(this.bookedFills, facts)) {
      this.bookedFills.add(keyOf(fill));
      this.book(accountId, fill.symbol).book(fill);
    }
  }

  /**
   * Applies fills of a copier's account to its balances, and to the copied lot to which they belong. Without a lot, a sale by
   * hand reduces the lots of the account, oldest first.
   *
   * @param {string} accountId
   * @param {readonly Fill[]} fills
   * @param {CopiedLot} [lot]
   */
  apply(accountId, fills, lot) {
    for (const fill of fills) {
      this.appliedFills.add(keyOf(fill));
      const [base = '', quote = ''] = fill.symbol.split('/');
      const sign = exact(fill.side === 'BUY' ? '1' : '-1');
      this.addBalance(accountId, base, fill.amount.times(sign));
      this.addBalance(accountId, quote, ZERO.minus(fill.price.times(fill.amount).times(sign)));
      this.addBalance(accountId, fill.fee.currency, ZERO.minus(fill.fee.amount));
      const lots = lot === undefined ? this.lotsOn(accountId, fill.symbol) : [lot];
      if (fill.side === 'BUY') enter(lot, fill, base);
      else reduce(lots, fill.amount, this.pair(fill.symbol).step);
    }
  }

  /** Returns the copied lots that an account holds of a pair, oldest first. @param {string} accountId @param {string} symbol */
  lotsOn(accountId, symbol) {
    const copierIds = this.participants.copiers
      .filter(({ account }) => account.id === accountId)
      .map(({ id }) => id);
    return [...this.copiedLots.values()].filter(
      (lot) => copierIds.includes(lot.copierId) && lot.symbol === symbol,
    );
  }

  /** @param {AccountFacts} facts */
  newFills(facts) {
    return unknownTo(this.appliedFills, facts);
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

  /**
   * @param {Copier} copier
   * @param {{ lotId: string, symbol: string }} signal
   * @param {any} settings those that hold if the lot is new
   */
  copiedLot(copier, { lotId, symbol }, settings) {
    const key = `${copier.id} ${lotId}`;
    const found = this.copiedLots.get(key) ?? newCopiedLot(copier.id, symbol, settings);
    this.copiedLots.set(key, found);
    return found;
  }

  /** Returns the lots that the copier holds, one for each lot of the leader. @param {Copier} copier */
  openLotsOf(copier) {
    return [...this.copiedLots.values()].filter(
      ({ copierId, held }) => copierId === copier.id && held.isPositive,
    );
  }

  /**
   * @param {{ copier: Copier, state: CopierState, signal: import('./signals.mjs').Signal, decision: any, orderAmount: Fraction, market: Market }} input
   */
  expectedEntry({ copier, state, signal, decision, orderAmount, market }) {
    const lot = this.copiedLot(copier, signal, state.record);
    const plan = planEntry({
      pair: this.pair(signal.symbol),
      lot,
      isActive: state.status === 'ACTIVE',
      isWatched: signal.at > state.startedAt,
      cumulative: signal.cumulative,
      orderAmount,
      reference: signal.price,
      mid: market.mid,
      held: lot.held,
      openLots: this.openLotsOf(copier).length,
      exposure: sum(this.openLotsOf(copier).map(({ cost }) => cost)),
      freeQuote: this.balance(copier.account.id, this.pair(signal.symbol).quote),
      equity: this.equities.of({ copier, sizing: lot.settings.sizing, ratio: decision.inputs.ratio }),
    });
    const isEntered = lot.sent.plus(plan.sent).isPositive;
    if (isEntered) {
      lot.sent = lot.sent.plus(plan.sent);
      lot.forgone = lot.forgone.plus(plan.forgone);
    } else if (plan.forgone.isPositive) lot.skipped = signal.cumulative;
    const { ratio } = lot;
    // The ratio is frozen by the order that opens the copier's own lot.
    if (!isEntered) lot.ratio = undefined;
    return { ...plan, ratio };
  }

  /**
   * @param {{ copier: Copier, state: CopierState, signal: import('./signals.mjs').Signal, decision: any }} input
   */
  expectedExit({ copier, state, signal, decision }) {
    const lot = this.copiedLot(copier, signal, state.record);
    const lotKey = `${copier.id} ${signal.lotId}`;
    const waiting = [...this.pendingExits.values()].filter((exit) => exit.lotKey === lotKey);
    const owed = sum(waiting.map(({ target }) => target));
    const plan = planExit({
      pair: this.pair(signal.symbol),
      isCopying: state.status !== 'PAUSED',
      isFinal: signal.isFinal,
      exit: signal.amount,
      leaderLot: signal.before,
      held: lot.held,
      owed,
      rest: lot.rest,
      freeBase: this.balance(copier.account.id, this.pair(signal.symbol).base),
      price: signal.price,
    });
    if (plan.outcome === 'PENDING') {
      this.pendingExits.set(decision.id, {
        lotKey,
        lot,
        target: plan.target,
        decisionId: decision.id,
        copier,
        lotId: signal.lotId,
      });
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

  /**
   * After a difference: takes over that the product still has to sell a part of an exit.
   *
   * @param {any} decision
   * @param {{ lot: CopiedLot, copier: Copier, lotId: string, filled: Fraction }} facts
   */
  follow(decision, { lot, copier, lotId, filled }) {
    if (decision.outcome !== 'PENDING' || this.pendingExits.has(decision.id)) return;
    const target = exact(decision.target_amount).minus(filled);
    const lotKey = `${copier.id} ${lotId}`;
    this.pendingExits.set(decision.id, { lotKey, lot, target, decisionId: decision.id, copier, lotId });
    lot.rest = ZERO;
  }
}

/** @param {Fill} fill */
const keyOf = ({ id, tradeId }) => `${id} ${tradeId}`;

/** @param {Set<string>} known @param {AccountFacts} facts */
const unknownTo = (known, { fills }) => fills.filter((fill) => !known.has(keyOf(fill)));

/** @param {string} copierId @param {string} symbol @param {any} settings @returns {CopiedLot} */
function newCopiedLot(copierId, symbol, settings) {
  const amounts = { sent: ZERO, forgone: ZERO, skipped: ZERO, rest: ZERO, held: ZERO, cost: ZERO };
  return { ...amounts, copierId, symbol, settings, ratio: undefined, earlier: [] };
}

/** @param {CopiedLot | undefined} lot @param {Fill} fill @param {string} base */
function enter(lot, fill, base) {
  if (lot === undefined) return;
  const isFeeInBase = fill.fee.currency === base;
  lot.held = lot.held.plus(isFeeInBase ? fill.amount.minus(fill.fee.amount) : fill.amount);
  const cost = fill.price.times(fill.amount);
  lot.cost = lot.cost.plus(isFeeInBase ? cost : cost.plus(fill.fee.value));
}

/** Reduces lots, oldest first. A rest below a step is closed with its lot. @param {readonly CopiedLot[]} lots @param {Fraction} amount @param {Fraction} step */
function reduce(lots, amount, step) {
  let left = amount;
  for (const lot of lots) {
    if (!left.isPositive || !lot.held.isPositive) continue;
    const sold = least(lot.held, left);
    left = left.minus(sold);
    const kept = lot.held.minus(sold).isBelow(step) ? ZERO : lot.held.minus(sold);
    lot.cost = lot.cost.times(kept).over(lot.held);
    lot.held = kept;
  }
}
