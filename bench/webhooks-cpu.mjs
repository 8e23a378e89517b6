/** Returns the processor time that the processes of a run have used so far; only on Linux, from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc, whatever the machine. */
const TICK_MS = 10;
const PARTS = [
  ['dispatcher', /webhook-dispatcher/],
  ['peer', /webhooks-bare/],
  ['receiver', /webhooks-receiver/],
  ['Postgres', /postgres/],
  ['Redis', /redis-server|valkey-server/],
];

const isCpuAvailable = existsSync('/proc/self/stat');

/** @returns {Record<string, number>} milliseconds of each part, among what descends from this process */
function cpuMs() {
  const processes = new Map(
    readdirSync('/proc')
      .filter(isPid)
      .map((pid) => [pid, lookAt(pid)]),
  );
  const isOurs = (pid) => {
    for (let at = pid; processes.get(at) !== undefined; at = processes.get(at).parent)
      if (at === String(process.pid)) return true;
    return false;
  };
  const spent = Object.fromEntries(PARTS.map(([name]) => [name, 0]));
  for (const [pid, seen] of processes) {
    const part = seen && PARTS.find(([, pattern]) => pattern.test(seen.command));
    if (part !== undefined && isOurs(pid)) spent[part[0]] += seen.ms;
  }
  return spent;
}

const isPid = (name) => /^\d+$/.test(name);

/** Undefined where the process ended meanwhile. */
function lookAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it, in parentheses, may hold anything.
    const [, parent, , , , , , , , , , userTicks, systemTicks] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return { parent, command, ms: (Number(userTicks) + Number(systemTicks)) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** Runs it, and returns the processor time that each part used meanwhile. */
export async function withCpu(work) {
  if (!isCpuAvailable) return work();
  const before = cpuMs();
  const result = await work();
  const after = cpuMs();
  return {
    ...result,
    cpu: Object.fromEntries(PARTS.map(([name]) => [name, after[name] - before[name]])),
  };
}
