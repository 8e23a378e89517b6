import { setTimeout as wait } from 'node:timers/promises';
import { unsettled } from '../chaos/read-records.mjs';
import { openVenueAccount, tradeAtVenue } from '../chaos/venue.mjs';
import { StepComparison } from './comparison.mjs';
import { compareAccounts } from './end-of-day.mjs';
import { FactReader } from './facts.mjs';
import { exact, sum } from './fraction.mjs';
import { LossWatch, untilExitsAreTried } from './loss-watch.mjs';
import { MARKETS } from './markets.mjs';
import { Deck } from './moves.mjs';
import { PERPETUAL_MOVES } from './perpetual-moves.mjs';
import { recordMargins } from './perpetual-records.mjs';
import { Replay } from './replay.mjs';

const pollMs = 60;
const settleMaxMs = 60_000;
const THIRD_ASSET_MS = 20_000;
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
   *   random: import('../chaos/random.mjs').Random, report: (difference: object) => void, waitsForEquity: boolean,
   *   tradingType: import('./markets.mjs').TradingType,
   * }} options `waitsForEquity`: at the end, waits until the product has recorded the last equities
   */
  constructor({ product, venue, random, report, waitsForEquity, tradingType }) {
    this.product = product;
    this.waitsForEquity = waitsForEquity;
    this.venue = venue;
    this.random = random;
    this.reportDifference = report;
    /** @type {Map<string, number>} the price around which the book of each pair is */
    this.mids = new Map(MARKETS[tradingType].prices);
    this.tradingType = tradingType;
    this.markets = MARKETS[tradingType];
    this.startedOn = utcDay();
    this.startMids = new Map(this.mids);
    /** @type {Set<string>} the pairs of which the last signal was planned with a book of another shape */
    this.oddBooks = new Set();
    /** @type {import('../chaos/venue.mjs').Credentials | undefined} an account that the product does not know */
    this.stranger = undefined;
    this.thirdAssetAt = Number.NEGATIVE_INFINITY;
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
    /** @type {Map<string, number>} when the last signal of a pair was compared, by `performance.now()` */
    this.plannedAt = new Map();
    /** The number of moves that the product refused, because an account has too little. */
    this.refusals = 0;
    /** The number of copiers that a loss limit has stopped. */
    this.lossStops = 0;
    this.deck = tradingType === 'spot' ? new Deck(random) : new Deck(random, PERPETUAL_MOVES);
    this.comparison = new StepComparison(this);
  }

  async open() {
    for (const [symbol, price] of this.mids) {
      if (symbol === 'SOL/USDT') await this.tradeThirdAsset(price);
      else await this.moveTo(symbol, price);
    }
  }

  /** @param {string} symbol @param {number} price */
  async moveTo(symbol, price) {
    const text = price.toFixed(this.markets.digits[symbol] ?? 2);
    await this.venue.moveTo(symbol, text);
    this.replay?.signed.setMark(symbol, exact(text));
    this.mids.set(symbol, Number(text));
    this.reader?.prices.push({ at: Date.now(), symbol, price: exact(text) });
  }

  /** A price of a third asset counts for 60 s, so it is traded again before. */
  async keepThirdAssetKnown() {
    if (this.tradingType === 'perpetual') return;
    if (performance.now() - this.thirdAssetAt > THIRD_ASSET_MS)
      await this.tradeThirdAsset(this.mids.get('SOL/USDT') ?? 0);
  }

  /** Trades the third asset at a price, so that streams and candles have it. @param {number} price */
  async tradeThirdAsset(price) {
    const text = price.toFixed(2);
    this.stranger ??= await openVenueAccount(this.venue.url, { USDT: '1000000' });
    await this.venue.setBook({
      symbol: 'SOL/USDT',
      bids: [[(price - 0.1).toFixed(2), '1000']],
      asks: [[text, '1000']],
    });
    await tradeAtVenue(this.venue.url, this.stranger, { symbol: 'SOLUSDT', side: 'BUY', quantity: '0.1' });
    this.thirdAssetAt = performance.now();
    this.mids.set('SOL/USDT', Number(text));
    this.reader?.prices.push({ at: Date.now(), symbol: 'SOL/USDT', price: exact(text) });
  }

  /** @param {Participants} participants */
  async begin(participants) {
    this.participants = participants;
    const analytics = await participants.api.get('/v1/trades/analytics');
    // A release without this field says that a fee in a third asset has no known rate.
    const valuesThirdAssets = 'fees_incomplete' in analytics;
    this.reader = new FactReader(participants.api, this.venue, { valuesThirdAssets });
    this.replay = new Replay(participants, (difference) => this.report(difference));
    await this.open();
    for (const [account, pair, leverage] of participants.leverages)
      this.replay.signed.setLeverage(account.id, pair.symbol, exact(leverage));
    await this.readPositionLimits();
    for (const copier of participants.copiers) {
      const ledger = await this.venue.ledger(copier.account.credentials);
      const known = this.replay.balances.has(copier.account.id);
      for (const [asset, { free }] of Object.entries(ledger.balances))
        if (!known) this.replay.addBalance(copier.account.id, asset, exact(free));
    }
    for (const copier of participants.copiers) await this.refresh(copier);
    // Without a recorded equity, rule 6 skips as STALE_EQUITY.
    await wait(EQUITY_RECORDED_MS);
    await this.recordEquities();
    if (this.tradingType === 'spot') this.losses = new LossWatch(this);
  }

  async readPositionLimits() {
    const [strategy] = this.parts.participants.strategies;
    if (this.tradingType === 'spot' || strategy === undefined) return;
    for (const symbol of this.mids.keys()) {
      const tiers = await this.venue.leverageTiers(strategy.account.credentials, symbol);
      this.parts.replay.signed.limits.set(symbol, tiers);
    }
  }

  /** Reads a copier's settings and status. @param {import('./participants.mjs').Copier} copier */
  async refresh(copier) {
    const record = await this.parts.participants.api.get(`/v1/copiers/${copier.id}`);
    const startedAt = Date.parse(record.started_at ?? '9999-01-01T00:00:00Z');
    this.states.set(copier.id, { record, status: record.status, startedAt });
    return record;
  }

  /** @param {import('./participants.mjs').Copier} copier */
  stateOf({ id, name }) {
    const state = this.states.get(id);
    if (state === undefined) throw new Error(`no state of ${name}`);
    return state;
  }

  /** Returns the price that the driver has set last. @param {{ base: string, quote?: string }} pair */
  priceOf({ base }) {
    const suffix = this.tradingType === 'spot' ? '' : ':USDT';
    return exact(this.mids.get(`${base}/USDT${suffix}`) ?? 0);
  }

  /** @param {string} copierId */
  copierOf(copierId) {
    const copier = this.parts.participants.copiers.find(({ id }) => id === copierId);
    if (copier === undefined) throw new Error(`no copier ${copierId}`);
    return copier;
  }

  /** Returns whether it is still the UTC day on which the run began. */
  get isFirstDay() {
    return utcDay() === this.startedOn;
  }

  /**
   * Returns the bounds of the account's equity on its only UTC day; undefined on a later day, and if the run does not wait until
   * the last prices and equities are recorded.
   *
   * @param {import('./participants.mjs').Account} account
   */
  equityOfOnlyDay({ id }) {
    return this.isFirstDay && this.waitsForEquity ? this.parts.replay.equities.bounds.get(id) : undefined;
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
    if (this.tradingType === 'perpetual') {
      await recordMargins(this);
      return;
    }
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
    for (const state of this.states.values()) delete state.before;
    this.move = await this.deck.play(this);
    await this.settleAndCompare();
    if (this.tradingType === 'spot') await this.recordEquities();
  }

  /** Waits until the product is at rest, and compares what is new. */
  async settleAndCompare() {
    await this.settle();
    await this.comparison.compare();
    if (this.tradingType === 'perpetual') await this.recordEquities();
    await this.losses?.check({ isPriceKnown: false });
  }

  /**
   * Waits until the product knows every fill and has planned every signal, and every order and decision has ended, but for exits
   * that wait.
   */
  async settle() {
    const { participants } = this.parts;
    const leaders = participants.strategies.map(({ account }) => account);
    const copiers = [...new Map(participants.copiers.map(({ account }) => [account.id, account])).values()];
    const deadline = performance.now() + settleMaxMs;
    for (;;) {
      const isKnown = await this.areKnown(leaders);
      const { trades, strategies } = await unsettled(this.product.databaseUrl);
      const isAtRest = isKnown && trades === 0 && strategies === 0 && (await this.isDecided());
      // The exchange may have reduced a copier's position, which no order of the product shows.
      if (isAtRest && (this.tradingType === 'spot' || (await this.areKnown(copiers)))) return;
      if (performance.now() > deadline) {
        this.report({ problem: 'not settled', trades, strategies });
        return;
      }
      await wait(pollMs);
    }
  }

  /** @param {readonly import('./participants.mjs').Account[]} accounts */
  async areKnown(accounts) {
    return (await Promise.all(accounts.map((account) => this.isKnown(account)))).every(Boolean);
  }

  /** Returns whether the product has all fills of an account. @param {import('./participants.mjs').Account} account */
  async isKnown(account) {
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
        const path = `/v1/copiers/${copier.id}/decisions?sort=sequence&order=desc`;
        const last = this.compared.get(copier.id) ?? 0;
        const isNew = (/** @type {any} */ { sequence }) => sequence > last;
        let { data } = await api.call('GET', `${path}&limit=20`);
        if (data.every(isNew)) ({ data } = await api.call('GET', `${path}&limit=100`));
        return data.filter(isNew).map((/** @type {any} */ decision) => ({ copier, decision }));
      }),
    );
    return all.flat().sort((a, b) => a.decision.sequence - b.decision.sequence);
  }

  async close() {
    this.move = 'end of the day';
    // The last prices are then exactly known.
    await this.open();
    await untilExitsAreTried(this);
    await this.recordEquities();
    await compareAccounts(this);
  }
}

const utcDay = () => new Date().toISOString().slice(0, 10);
