import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * A Jest reporter that ends test files which run for too long. Jest's time limits cannot interrupt a synchronous loop,
 * so such a file would hold up the whole run until CI cancels it, and nothing would say which file it was. The workers
 * are killed: Jest then counts their files as failed, and goes on with the others.
 */
export default class EndStuckFiles {
  /** @type {Map<string, number>} when each running file began, in ms */
  #running = new Map();
  #timer;

  /**
   * @param {{ rootDir: string }} config
   * @param {{ limitMs: number }} options
   */
  constructor(config, { limitMs }) {
    this.#timer = setInterval(() => this.#endStuckFiles(config.rootDir, limitMs), limitMs / 60);
    this.#timer.unref();
  }

  /** @param {{ path: string }} test */
  onTestFileStart({ path }) {
    this.#running.set(path, Date.now());
  }

  /** @param {{ path: string }} test */
  onTestFileResult({ path }) {
    this.#running.delete(path);
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  /**
   * @param {string} root
   * @param {number} limitMs
   */
  #endStuckFiles(root, limitMs) {
    const stuck = [...this.#running].filter(([, begunAt]) => Date.now() - begunAt > limitMs);
    if (stuck.length === 0) return;
    const names = stuck.map(([path]) => relative(root, path)).join(', ');
    console.error(`Ended after ${limitMs / 60_000} min: ${names}`);
    for (const worker of workers()) process.kill(worker, 'SIGKILL');
  }
}

/** Returns the process ids of this run's workers. */
function workers() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return (
          parent === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('processChild.js')
        );
      } catch {
        return false;
      }
    });
}
