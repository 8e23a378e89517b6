/**
 * Records from when each worker was ready, and when it was killed. How long a worker boots depends on the machine.
 *
 * @typedef {{ name: string, from: number, to: number }} Life milliseconds since the epoch; `to` is Infinity for a worker
 *   that still runs
 */
export class WorkerLives {
  /**
   * @param {readonly string[]} names the workers that are ready now
   * @param {() => number} [now] milliseconds since the epoch
   */
  constructor(names, now = Date.now) {
    this.now = now;
    /** @type {Life[]} */
    this.lives = [];
    /** The longest time in milliseconds from a kill until the worker was ready again. */
    this.longestBootMs = 0;
    for (const name of names) this.ready(name);
  }

  /** @param {string} name */
  ready(name) {
    const killedAt = this.lives.findLast((each) => each.name === name)?.to;
    if (killedAt !== undefined) this.longestBootMs = Math.max(this.longestBootMs, this.now() - killedAt);
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

/**
 * Returns whether a log line reports a crash. A process that cannot start while Postgres is unavailable exits and is started
 * again; that is not a crash.
 *
 * @param {string} line
 */
export function isCrash(line) {
  return / event=process\.crashed | ended \(SIG(?!KILL)/.test(line);
}

/**
 * Returns the id of the trade whose order the exchange left unanswered, if a log line reports that.
 *
 * @param {string} line
 */
export function unansweredTradeOf(line) {
  return / event=order\.unconfirmed trade_id=(\S+) outcome=unknown /.exec(line)?.[1];
}
