import {
  buy,
  buyInParts,
  buyInPartsAndSellAll,
  buyOffMarket,
  buyThin,
  sellAll,
  sellAtVenue,
  sellPart,
  sellTwice,
  untilBookIsRead,
} from './leader-moves.mjs';
import { untilExitsAreTried } from './loss-watch.mjs';
import { moveMarket, moveThirdAsset } from './market-moves.mjs';
import {
  closeLot,
  deposit,
  editCopier,
  restart,
  sellByHand,
  startCopier,
  stopCopier,
} from './user-moves.mjs';

/**
 * Draws the moves. Each returns what it did, in words for the report of a difference.
 *
 * @typedef {import('./day.mjs').Day} Day
 * @typedef {import('./participants.mjs').Strategy} Strategy
 * @typedef {(day: Day, strategy: Strategy, symbol: string) => Promise<string>} Move
 */

/** @type {readonly [number, Move][]} how often a deck contains each move; a deck causes fewer than 200 decisions */
const MOVES = [
  [4, buy],
  [1, buyInParts],
  [1, buyInPartsAndSellAll],
  [1, sellPart],
  [1, sellTwice],
  [1, sellAll],
  [1, sellAtVenue],
  [1, buyThin],
  [1, buyOffMarket],
  [1, stopCopier],
  [1, startCopier],
  [1, editCopier],
  [1, deposit],
  [1, sellByHand],
  [1, closeLot],
  [1, moveMarket],
  [1, moveThirdAsset],
];
/** A killed process costs seconds, so not every deck has one. */
const RESTART_CHANCE = 0.4;

/** On perpetuals, a leader may have too little margin for what is drawn. @param {Day} day @param {unknown} error */
function refusalOf(day, error) {
  if (day.tradingType === 'spot' || !String(error).includes('insufficient_balance')) throw error;
  day.refusals += 1;
  return `refused: ${error}`;
}

/** All moves in random order, again and again, so that a short day has all of them. */
export class Deck {
  /** @param {import('../chaos/random.mjs').Random} random @param {readonly [number, Move][]} [moves] */
  constructor(random, moves = MOVES) {
    this.random = random;
    this.moves = moves;
    /** @type {Move[]} */
    this.cards = [];
    /** The number of decks so far. */
    this.number = 0;
  }

  /** The number of decks of which every move was drawn. */
  get finished() {
    return this.cards.length === 0 ? this.number : this.number - 1;
  }

  /** Plays one move. @param {Day} day */
  async play(day) {
    const { random } = this;
    const strategy = random.pick(day.parts.participants.strategies);
    const symbol = random.pick(day.markets.symbols);
    const move = this.draw();
    for (const each of new Set(day.markets.symbols)) {
      await day.moveTo(each, (day.mids.get(each) ?? 0) * random.between(0.9988, 1.0012));
    }
    await day.keepThirdAssetKnown();
    await day.losses?.check({ isPriceKnown: true });
    await untilExitsAreTried(day);
    await day.recordEquities();
    await day.venue.admin('PUT', 'weather', random.happens(0.3) ? { partial_fill_rate: 0.5 } : {});
    if (day.oddBooks.delete(symbol)) await untilBookIsRead(day, symbol);
    return await move(day, strategy, symbol).catch((error) => refusalOf(day, error));
  }

  /** @returns {Move} */
  draw() {
    if (this.cards.length === 0) this.cards = this.shuffled();
    return this.cards.pop() ?? this.moves[0]?.[1] ?? buy;
  }

  shuffled() {
    this.number += 1;
    const cards = this.moves.flatMap(([count, move]) => Array.from({ length: count }, () => move));
    if (this.random.happens(RESTART_CHANCE)) cards.push(restart);
    const ranked = cards.map((move) => ({ move, rank: this.random.next() }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ move }) => move);
  }
}
