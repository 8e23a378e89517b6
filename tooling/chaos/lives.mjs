/**
 * Records when each worker was started and killed.
 *
 * @typedef {{ name: string, from: number, to: number }} Life milliseconds since the epoch; `to` is Infinity for a worker
 *   that still runs
 */
export class WorkerLives {
  /**
   * @param {readonly string[]} names the workers that run now
   * @param {() => number} [now] milliseconds since the epoch
   */
  constructor(names, now = Date.now) {
    this.now = now;
    /** @type {Life[]} */
    this.lives = [];
    for (const name of names) this.started(name);
  }

  /** @param {string} name */
  started(name) {
    this.lives.push({ name, from: this.now(), to: Number.POSITIVE_INFINITY });
  }

  /** @param {string} name */
  killed(name) {
    const life = this.lives.findLast((each) => each.name === name);
    if (life !== undefined) life.to = this.now();
  }
}

/**
 * Returns the longest time in milliseconds for which one worker lived without interruption between two instants.
 *
 * @param {readonly Life[]} lives
 * @param {number} from
 * @param {number} to
 */
export function longestLifeWithin(lives, from, to) {
  return lives.reduce(
    (longest, life) => Math.max(longest, Math.min(life.to, to) - Math.max(life.from, from)),
    0,
  );
}
