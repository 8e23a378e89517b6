import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The value that the given part of all values does not exceed.
 *
 * @param {readonly number[]} values
 * @param {number} part 0 to 1
 */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? Number.NaN;
}

/**
 * How many fall into the fullest second, wherever it begins.
 *
 * @param {readonly number[]} instants in milliseconds
 */
export function fullestSecond(instants) {
  const sorted = instants.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  sorted.forEach((at, index) => {
    while (at - /** @type {number} */ (sorted[first]) >= 1_000) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

const sampleMs = 250;

/**
 * The memory that a process keeps in RAM, sampled: by how much it grows over what it is now.
 *
 * @param {number} pid
 */
export function watchMemory(pid) {
  const from = residentMb(pid);
  let most = from;
  const look = () => {
    most = Math.max(most, residentMb(pid));
  };
  const timer = setInterval(look, sampleMs);
  return {
    /** Ends the watch. @returns in MiB */
    stop() {
      clearInterval(timer);
      look();
      return { fromMb: Math.round(from), growthMb: Math.round(most - from) };
    },
  };
}

/** @param {number} pid */
function residentMb(pid) {
  try {
    const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Acts `count` times at a steady rate, whether or not the acts before have ended; resolves when all have.
 *
 * @template T
 * @param {{ perSecond: number, count: number }} pace
 * @param {(index: number) => Promise<T>} act
 * @returns {Promise<T[]>}
 */
export async function atRate({ perSecond, count }, act) {
  const startedAt = performance.now();
  const acts = [];
  for (let index = 0; index < count; index++) {
    const aheadMs = startedAt + (index * 1_000) / perSecond - performance.now();
    if (aheadMs > 1) await sleep(aheadMs);
    const one = act(index);
    // The error surfaces when all of them are awaited.
    one.catch(() => undefined);
    acts.push(one);
  }
  return Promise.all(acts);
}
