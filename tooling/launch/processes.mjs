import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process, named so that it can't be taken for a later one that was given the same number.
 *
 * @typedef {{ pid: number, identity: string }} NamedProcess
 */

/**
 * Identifies a process among all that ever had its number, by its start time and boot.
 *
 * @param {number} pid
 * @returns {string | null} null when no such process runs (a zombie doesn't)
 */
function identityOf(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name is in brackets and may contain anything; the fields begin after the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z' || fields[0] === 'X') return null;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${boot}/${fields[19]}`;
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return started === '' ? null : started;
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @returns {NamedProcess | null}
 */
export function nameProcess(pid) {
  const identity = identityOf(pid);
  return identity === null ? null : { pid, identity };
}

/**
 * @param {unknown} named
 * @returns {named is NamedProcess}
 */
export function isRunning(named) {
  const { pid, identity } = /** @type {Partial<NamedProcess>} */ (named ?? {});
  return typeof pid === 'number' && typeof identity === 'string' && identityOf(pid) === identity;
}

/**
 * Sends a signal to a process, or to its whole group where it leads one. No such process is no error.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalTree(pid, signal) {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
    }
  }
}
