import { setTimeout as wait } from 'node:timers/promises';
import { exact } from './fraction.mjs';
import { LossLimits, resultOf } from './results.mjs';

/**
 * Expects that a copier is stopped if, and only if, a loss limit of it is reached: rule 16 of docs/trading/rules.md.
 *
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Copier} Copier
 */

/** In this time the product notices a loss. */
const NOTICED_MAX_MS = 45_000;
/** Orders move the last price by less than this until the driver sets it again. */
const SPREAD = exact('0.006');
const ONE = exact('1');

export class LossWatch {
  /** @param {Day} day */
  constructor(day) {
    this.day = day;
    this.limits = new Map(
      day.parts.participants.copiers.map(({ id, account }) => [
        id,
        new LossLimits(day.parts.replay.equities.range(account.id).newest),
      ]),
    );
  }

  /**
   * Compares the status of each copier with a loss limit. Waits for stops that are certain.
   *
   * @param {{ isPriceKnown: boolean }} options whether no order has moved a price since the driver set it
   */
  async check(options) {
    for (const copier of this.day.parts.participants.copiers) {
      const state = this.day.states.get(copier.id);
      const limits = state?.record.limits ?? {};
      if (limits.max_daily_loss_quote === undefined && limits.max_drawdown_percent === undefined) continue;
      await this.checkOne(copier, limits, options);
    }
  }

  /** @param {Copier} copier @param {Record<string, any>} limits @param {{ isPriceKnown: boolean }} options */
  async checkOne(copier, limits, { isPriceKnown }) {
    const { day } = this;
    const before = day.states.get(copier.id);
    const expected = this.expectation(copier, limits, isPriceKnown);
    const verdicts = Object.values(expected);
    // A user has already stopped it, so the rule may do nothing.
    if (before === undefined || before.status !== 'ACTIVE') return;
    const record = verdicts.includes('certain') ? await this.untilStopped(copier) : await day.refresh(copier);
    if (record.status === 'ACTIVE') {
      if (verdicts.includes('certain'))
        day.report({ copier: copier.name, problem: 'a loss limit did not stop it', expected, limits });
      return;
    }
    const status = record.on_breach === 'PAUSE' ? 'PAUSED' : 'CLOSE_ONLY';
    const reasons = { DAILY_LOSS: expected.daily, DRAWDOWN: expected.drawdown };
    const verdict = reasons[/** @type {keyof typeof reasons} */ (record.status_reason)] ?? 'impossible';
    if (record.status !== status || verdict === 'impossible') {
      const { status_reason, on_breach } = record;
      const product = { status: record.status, status_reason, on_breach };
      day.report({ copier: copier.name, problem: 'a loss limit stopped it', product, expected, limits });
    }
    // Signals of this step may have been planned before the stop.
    if (verdict === 'possible') day.states.set(copier.id, { ...day.stateOf(copier), before });
    if (status === 'PAUSED') day.parts.replay.pause(copier.id);
    day.lossStops += 1;
  }

  /** @param {Copier} copier @param {Record<string, any>} limits @param {boolean} isPriceKnown */
  expectation(copier, limits, isPriceKnown) {
    const { id, account } = copier;
    const { participants, replay } = this.day.parts;
    const books = participants.pairs.map(({ symbol }) => replay.book(account.id, symbol));
    const totalAt = (/** @type {import('./fraction.mjs').Fraction} */ factor) => {
      const { realized, open } = resultOf(books, id, ({ pair }) => this.day.priceOf(pair).times(factor));
      return realized.plus(open);
    };
    return /** @type {LossLimits} */ (this.limits.get(id)).check({
      limits,
      capital: this.day.stateOf(copier).record.sizing.capital,
      low: totalAt(ONE.minus(SPREAD)),
      total: totalAt(isPriceKnown ? ONE : ONE.plus(SPREAD)),
      high: totalAt(ONE.plus(SPREAD)),
      equity: replay.equities.range(account.id).newest,
      isFirstDay: this.day.isFirstDay,
    });
  }

  /** @param {Copier} copier */
  async untilStopped(copier) {
    const deadline = performance.now() + NOTICED_MAX_MS;
    for (;;) {
      const record = await this.day.refresh(copier);
      if (record.status !== 'ACTIVE' || performance.now() > deadline) return record;
      await wait(250);
    }
  }
}

/** The product tries exits that wait again within a minute. */
const TRIED_MAX_MS = 90_000;

/**
 * Waits until the product has sold every exit that waits and that the last price allows, so that no later signal of the
 * lot meets it half-way: rule 32.
 *
 * @param {Day} day
 */
export async function untilExitsAreTried(day) {
  const { replay, participants } = day.parts;
  const due = [...replay.pendingExits.values()].filter((exit) =>
    replay.isSellable(exit, day.priceOf(replay.pair(exit.lot.symbol))),
  );
  if (due.length === 0) return;
  const deadline = performance.now() + TRIED_MAX_MS;
  for (const exit of due) {
    const path = `/v1/copiers/${exit.copier.id}/decisions?sort=sequence`;
    for (;;) {
      const decision = (await participants.api.list(path)).find(({ id }) => id === exit.decisionId);
      if (decision?.settled_at !== undefined) break;
      if (performance.now() > deadline) {
        day.report({ copier: exit.copier.name, problem: 'an exit that can be sold still waits', decision });
        break;
      }
      await wait(250);
    }
  }
  await day.settleAndCompare();
}
