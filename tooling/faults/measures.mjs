import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the smallest value that is at least as large as the given part of all values.
 *
 * @param {readonly number[]} values
 * @param {number} part from 0 to 1; 0.99 for p99
 */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? Number.NaN;
}

/**
 * Returns the highest number of instants within any one second.
 *
 * @param {readonly number[]} instants in milliseconds
 */
export function busiestSecond(instants) {
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
 * Samples the resident memory of a process, to measure how much it grows.
 *
 * @param {number} pid
 */
export function watchMemory(pid) {
  const from = residentMb(pid);
  let most = from;
  const sample = () => {
    most = Math.max(most, residentMb(pid));
  };
  const timer = setInterval(sample, sampleMs);
  return {
    /** Stops sampling. @returns the first sample and the growth up to the highest one, in MiB */
    stop() {
      clearInterval(timer);
      sample();
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
 * Calls `act` `count` times at a steady rate, without waiting for earlier calls. Resolves when all calls have ended.
 *
 * @template T
 * @param {{ perSecond: number, count: number }} pace
 * @param {(index: number) => Promise<T>} act
 * @returns {Promise<T[]>}
 */
export async function atRate({ perSecond, count }, act) {
  const startedAt = performance.now();
  const calls = [];
  for (let index = 0; index < count; index++) {
    const aheadMs = startedAt + (index * 1_000) / perSecond - performance.now();
    if (aheadMs > 1) await sleep(aheadMs);
    const call = act(index);
    // Promise.all below reports the error. Until then it must not count as unhandled.
    call.catch(() => undefined);
    calls.push(call);
  }
  return Promise.all(calls);
}
