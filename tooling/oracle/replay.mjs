import { enter, newCopiedLot, reduce } from './copied-lots.mjs';
import { planEntry } from './entries.mjs';
import { Equities } from './equities.mjs';
import { isReduceOnly, planExit } from './exits.mjs';
import { exact, greatest, least, ONE, sum, ZERO } from './fraction.mjs';
import { LotBook } from './lots.mjs';
import { isPerpetual } from './markets.mjs';
import { SignalSource } from './signals.mjs';
import { oppositeOf, SignedPlans } from './signed-plans.mjs';

/** A plan is made from what the database contained at most this long before its decision is stored. */
const PLANNING_MAX_MS = 500;

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
 * @typedef {{ record: any, status: string, startedAt: number, before?: CopierState }} CopierState `record`: as the API last
 *   showed it; `before`: the state before a stop that may have come before or after the step's signals
 * @typedef {{ mid: Fraction }} Market the middle of the book when the signal was planned
 * @typedef {{ lotKey: string, lot: CopiedLot, target: Fraction, decisionId: string, copier: Copier, lotId: string }} WaitingExit
 * @typedef {{ copierId: string, lot: CopiedLot, finalAt: number, bought: Fraction, unspent: Fraction }} EnteredOrder `bought`: what
 *   the lot got of it; `unspent`: what it would have cost at its limit price, less what it cost
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
    /** On perpetuals: the lots and margins of which the plans know. */
    this.signed = new SignedPlans(participants.copiers, this.equities, (symbol) => this.pair(symbol));
    /** @type {Map<string, CopiedLot>} by copier and lot of the leader */
    this.copiedLots = new Map();
    /** @type {Map<string, Map<string, Fraction>>} total balances by account and asset */
    this.balances = new Map();
    /** @type {Map<string, WaitingExit>} exits that wait, by decision */
    this.pendingExits = new Map();
    /** @type {(WaitingExit & { filled: Fraction })[]} exits that a later order of the lot has sold */
    this.carriedExits = [];
    /** @type {(WaitingExit & { code: string })[]} exits that ended without an order */
    this.endedExits = [];
    /** @type {Map<string, { key: string, open: Fraction }>} the lot that an order by hand closes, by trade: its copied lot, and what is open */
    this.closedCopies = new Map();
    /** @type {Map<string, { copierId: string, outcome: string }>} what the rules demand, by decision */
    this.outcomesOf = new Map();
    /** @type {EnteredOrder[]} the orders of entries that were not final at the end of their step, or shortly before */
    this.entered = [];
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
   * hand reduces the lots of the account, oldest first. Such an account has no lots but those of its copiers.
   *
   * @param {string} accountId
   * @param {readonly Fill[]} fills
   * @param {CopiedLot} [lot]
   */
  apply(accountId, fills, lot) {
    for (const fill of fills) {
      this.appliedFills.add(keyOf(fill));
      if (isPerpetual(fill.symbol)) {
        this.signed.apply(accountId, fill, this.copiedLots);
        continue;
      }
      const [base = '', quote = ''] = fill.symbol.split('/');
      const sign = exact(fill.side === 'BUY' ? '1' : '-1');
      this.addBalance(accountId, base, fill.amount.times(sign));
      this.addBalance(accountId, quote, ZERO.minus(fill.price.times(fill.amount).times(sign)));
      this.addBalance(accountId, fill.fee.currency, ZERO.minus(fill.fee.amount));
      const lots = lot === undefined ? this.lotsOn(accountId, fill) : [lot];
      if (fill.side === 'BUY') enter(lot, fill, base);
      else reduce(lots, this.closedAmountOf(fill), this.pair(fill.symbol).step);
    }
    // Rule 32: an exit ends when its lot is gone.
    if (lot === undefined) this.endExits((exit) => exit.lot.held.isZero, 'NOT_HELD');
  }

  /** Rule 32: a copier that is paused gives its exits that wait up. @param {string} copierId */
  pause(copierId) {
    this.endExits(({ copier }) => copier.id === copierId, 'NOT_ACTIVE');
  }

  /** @param {(exit: WaitingExit) => boolean} isEnded @param {string} code */
  endExits(isEnded, code) {
    for (const exit of [...this.pendingExits.values()].filter(isEnded)) {
      this.pendingExits.delete(exit.decisionId);
      this.endedExits.push({ ...exit, code });
    }
  }

  /**
   * Returns the copied lots that a sale by hand reduces, in this order: the lot that it names, then the oldest ones.
   *
   * @param {string} accountId
   * @param {Fill} fill
   */
  lotsOn(accountId, { symbol, tradeId }) {
    const copierIds = this.participants.copiers
      .filter(({ account }) => account.id === accountId)
      .map(({ id }) => id);
    const lots = [...this.copiedLots.values()].filter(
      (lot) => copierIds.includes(lot.copierId) && lot.symbol === symbol,
    );
    const named = this.copiedLots.get(this.closedCopies.get(tradeId)?.key ?? '');
    return named === undefined ? lots : [named, ...lots.filter((lot) => lot !== named)];
  }

  /** Returns what a sale closes: also the rest of the lot that it names, if no order can sell it. @param {Fill} sale */
  closedAmountOf({ symbol, tradeId, amount }) {
    const named = this.closedCopies.get(tradeId);
    if (named === undefined) return amount;
    named.open = greatest(ZERO, named.open.minus(amount));
    return named.open.isBelow(this.pair(symbol).step) ? amount.plus(named.open) : amount;
  }

  /** Returns what the order of a signal closed before it opened a lot: rule 5. @param {Strategy} strategy @param {{ symbol: string, lotId: string }} signal */
  reversedBy({ account }, { symbol, lotId }) {
    const { closures, isSigned } = this.book(account.id, symbol);
    if (!isSigned) return ZERO;
    return sum(closures.filter(({ fill }) => fill.tradeId === lotId).map(({ amount }) => amount));
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
   * @param {{ lotId: string, symbol: string, isEntry: boolean, side: 'BUY' | 'SELL' }} signal
   * @param {any} settings those that hold if the lot is new
   */
  copiedLot(copier, { lotId, symbol, isEntry, side }, settings) {
    const key = `${copier.id} ${lotId}`;
    const lotSide = isEntry ? side : oppositeOf(side);
    const found = this.copiedLots.get(key) ?? newCopiedLot(copier.id, symbol, settings, lotSide);
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
    const { sizing } = lot.settings;
    const sent = exact(decision.sent_amount);
    const equity = this.equities.of({ copier, sizing, ratio: decision.inputs.ratio });
    const entry = {
      pair: this.pair(signal.symbol),
      isActive: state.status === 'ACTIVE',
      isWatched: signal.at > state.startedAt,
      cumulative: signal.cumulative,
      orderAmount,
      reference: signal.price,
      mid: market.mid,
      held: lot.held,
      certain: lot.held,
      openLots: this.openLotsOf(copier).length,
      exposure: sum(this.openLotsOf(copier).map(({ cost }) => cost)),
      freeQuote: this.freeQuoteOf(copier, signal.symbol),
      equity,
      ...this.signed.termsOf(copier, signal),
    };
    const variants = [
      entry,
      ...this.beforeOpenOrders(entry, { copier, lot, decision }),
      ...this.signed.afterOneLevel(entry),
      ...this.signed.beforeMarginIsRead(entry, copier),
      ...this.signed.withOtherAmounts(entry, { copier, limits: lot.settings.limits, sent }),
    ];
    const planned = variants.map((each) => {
      const after = { ...lot };
      return { plan: planEntry({ ...each, lot: after }), after };
    });
    const [afterOrders] = planned;
    if (afterOrders === undefined) throw new Error('an entry was not planned');
    const possible = planned.filter(({ plan }) => String(plan.sent) === decision.sent_amount);
    const made = possible.find(({ plan }) => plan.code === decision.code) ?? possible[0];
    const { plan, after } = made ?? afterOrders;
    Object.assign(lot, after);
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

  /** What the account can pay or, on perpetuals, use as margin. @param {Copier} copier @param {string} symbol */
  freeQuoteOf({ account }, symbol) {
    return isPerpetual(symbol)
      ? this.signed.availableOf(account.id, symbol)
      : this.balance(account.id, this.pair(symbol).quote);
  }

  /** The amount of the base currency that an exit may sell. @param {Copier} copier @param {CopiedLot} lot */
  freeBaseOf({ account }, { symbol, held }) {
    return isPerpetual(symbol) ? held : this.balance(account.id, this.pair(symbol).base);
  }

  /**
   * Rule 8: an order that is still open is not held, and rule 9: it counts with its limit price. Orders of the copier that became
   * final after the decision was made may have been open then. Returns the entry as it was in that case.
   *
   * @template {{ certain: Fraction, exposure: Fraction, freeQuote: Fraction }} Entry
   * @param {Entry} entry
   * @param {{ copier: Copier, lot: CopiedLot, decision: any }} of
   * @returns {Entry[]}
   */
  beforeOpenOrders(entry, { copier, lot, decision }) {
    const madeAt = Date.parse(decision.created_at) - PLANNING_MAX_MS;
    const open = this.entered.filter(({ copierId, finalAt }) => copierId === copier.id && finalAt >= madeAt);
    if (open.length === 0) return [];
    const bought = sum(open.filter((each) => each.lot === lot).map((each) => each.bought));
    const unspent = sum(open.map((each) => each.unspent));
    return [
      {
        ...entry,
        certain: greatest(ZERO, entry.certain.minus(bought)),
        exposure: entry.exposure.plus(unspent),
        freeQuote: entry.freeQuote.minus(unspent),
      },
    ];
  }

  /**
   * Remembers the order of an entry for the entries that follow at once.
   *
   * @param {any} decision
   * @param {{ copier: Copier, lot: CopiedLot, bought: Fraction, cost: Fraction, most: Fraction }} order `most`: its cost at its
   *   limit price
   */
  enteredBy(decision, { copier, lot, bought, cost, most }) {
    const finalAt = Date.parse(decision.settled_at);
    this.entered.push({ copierId: copier.id, lot, finalAt, bought, unspent: most.minus(cost) });
    if (this.entered.length > ENTERED_MAX) this.entered.shift();
  }

  /**
   * @param {{
   *   copier: Copier, state: CopierState, signal: import('./signals.mjs').Signal, decision: any, nets?: readonly Fraction[] | undefined,
   * }} input `nets`: on a perpetual, the net positions that the exit may have been planned with
   */
  expectedExit({ copier, state, signal, decision, nets = [] }) {
    const lot = this.copiedLot(copier, signal, state.record);
    const lotKey = `${copier.id} ${signal.lotId}`;
    const waiting = [...this.pendingExits.values()].filter((exit) => exit.lotKey === lotKey);
    const owed = sum(waiting.map(({ target }) => target));
    const cases = nets.map((net) => this.canReduceOnly(lot, net));
    // If it depends on other orders of the step, the product's own choice counts.
    const canReduceOnly = cases.every(Boolean) || (cases.some(Boolean) && decision.code !== 'BELOW_MINIMUM');
    const plan = planExit({
      pair: this.pair(signal.symbol),
      isCopying: state.status !== 'PAUSED',
      isFinal: signal.isFinal,
      exit: signal.amount,
      leaderLot: signal.before,
      held: lot.held,
      owed,
      rest: lot.rest,
      freeBase: this.freeBaseOf(copier, lot),
      price: signal.price,
      canReduceOnly: nets.length > 0 && canReduceOnly,
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
        this.carriedExits.push({ ...exit, filled: exit.target });
      }
      lot.rest = greatest(ZERO, plan.target.plus(owed).minus(plan.amount));
    }
    return plan;
  }

  /**
   * Books an order that sold exits that wait. Its amount belongs to the oldest first; the step may leave a part of the last.
   * The last one also has what the order sold beyond the targets, because the rest of the lot could not be sold.
   *
   * @param {string} lotKey
   * @param {Fraction} sold
   */
  settleWaiting(lotKey, sold) {
    let left = sold;
    const waiting = [...this.pendingExits.values()].filter((each) => each.lotKey === lotKey);
    for (const exit of waiting) {
      if (!left.isPositive) break;
      const filled = exit === waiting.at(-1) ? left : least(exit.target, left);
      left = left.minus(filled);
      this.pendingExits.delete(exit.decisionId);
      this.carriedExits.push({ ...exit, filled });
      exit.lot.rest = greatest(ZERO, exit.target.minus(filled));
    }
  }

  /** Returns whether an exit that waits, with others of its lot, can be sold at this price. @param {WaitingExit} exit @param {Fraction} price */
  isSellable({ lot, lotKey, copier }, price) {
    const pair = this.pair(lot.symbol);
    const waiting = [...this.pendingExits.values()].filter((exit) => exit.lotKey === lotKey);
    const plan = planExit({
      pair,
      isCopying: true,
      isFinal: false,
      exit: ZERO,
      leaderLot: ONE,
      held: lot.held,
      owed: sum(waiting.map(({ target }) => target)),
      rest: ZERO,
      freeBase: this.freeBaseOf(copier, lot),
      price,
      canReduceOnly:
        isPerpetual(lot.symbol) &&
        this.canReduceOnly(lot, this.signed.book(copier.account.id, lot.symbol).net),
    });
    return plan.outcome === 'COPIED';
  }

  /** Returns whether a reduce-only order can close all of a lot. @param {CopiedLot} lot @param {Fraction} net */
  canReduceOnly({ symbol, side, held }, net) {
    return isReduceOnly(net, oppositeOf(side), held.floorTo(this.pair(symbol).marketStep));
  }

  /**
   * Returns how many signals a copier copied in whole or in part, skipped and failed to copy. Decisions that wait count nowhere.
   *
   * @param {string} copierId
   */
  countsOf(copierId) {
    const final = new Map([...this.outcomesOf].filter(([, each]) => each.copierId === copierId));
    for (const { decisionId } of this.carriedExits)
      if (final.has(decisionId)) final.set(decisionId, { copierId, outcome: 'COPIED' });
    for (const { decisionId } of this.endedExits)
      if (final.has(decisionId)) final.set(decisionId, { copierId, outcome: 'SKIPPED' });
    const count = (/** @type {string[]} */ ...names) =>
      [...final.values()].filter(({ outcome }) => names.includes(outcome)).length;
    return { copied: count('COPIED', 'CLAMPED'), skipped: count('SKIPPED'), failed: 0 };
  }

  /**
   * After a difference: takes over the ratio and the amounts of an entry, so that the lot causes no further differences.
   *
   * @param {any} decision
   * @param {CopiedLot} lot
   */
  followEntry({ inputs, outcome, target_amount, sent_amount }, lot) {
    if (inputs.ratio === undefined || inputs.sent_before === undefined) {
      // Excluded: what the leader opened so far is not copied later.
      const isEntered = lot.earlier.some((each) => exact(/** @type {any} */ (each).sent_amount).isPositive);
      if (isEntered || inputs.leader_amount === undefined) return;
      Object.assign(lot, {
        sent: ZERO,
        forgone: ZERO,
        ratio: undefined,
        skipped: exact(inputs.leader_amount),
      });
      return;
    }
    const [target, sent] = [exact(target_amount), exact(sent_amount)];
    lot.sent = exact(inputs.sent_before).plus(sent);
    const isGivenUp = outcome === 'CLAMPED' || outcome === 'SKIPPED';
    lot.forgone = exact(inputs.forgone_before).plus(isGivenUp ? greatest(ZERO, target.minus(sent)) : ZERO);
    lot.ratio = lot.sent.isPositive ? exact(inputs.ratio) : undefined;
  }

  /**
   * After a difference: takes over that the product still has to sell a part of an exit.
   *
   * @param {any} decision
   * @param {{ lot: CopiedLot, copier: Copier, lotId: string, filled: Fraction }} facts
   */
  follow(decision, { lot, copier, lotId, filled }) {
    if (decision.kind === 'OPEN' || decision.kind === 'INCREASE') this.followEntry(decision, lot);
    if (decision.outcome !== 'PENDING' || this.pendingExits.has(decision.id)) return;
    const target = exact(decision.target_amount).minus(filled);
    const lotKey = `${copier.id} ${lotId}`;
    this.pendingExits.set(decision.id, { lotKey, lot, target, decisionId: decision.id, copier, lotId });
    lot.rest = ZERO;
  }
}

/** More entries than the copiers make at once. */
const ENTERED_MAX = 1_000;

/** @param {Fill} fill */
const keyOf = ({ id, tradeId }) => `${id} ${tradeId}`;

/** @param {Set<string>} known @param {AccountFacts} facts */
const unknownTo = (known, { fills }) => fills.filter((fill) => !known.has(keyOf(fill)));
