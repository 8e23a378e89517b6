import { signalTree } from '../launch/processes.mjs';
import { startServerSupervisor } from '../launch/servers.mjs';

/** Longer than a server needs to write its data and to roll back open transactions. */
const END_DEADLINE_MS = 30_000;

/**
 * Runs a prepared server until `end` or `kill`; after that, the server stays down. It also ends when this process ends.
 * Each start uses a new server supervisor, because a supervisor restarts a server that ends.
 *
 * @param {import('../launch/servers.mjs').PreparedServer} prepared
 */
export async function startServer(prepared) {
  /** @type {number | undefined} */
  let pid;
  let onEnded = () => {};
  const supervisor = startServerSupervisor((_name, event) => {
    if (event.type === 'started') pid = event.pid;
    else onEnded();
  });
  try {
    await supervisor.start(prepared);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  /** The pid changes if the server crashed and was restarted. */
  const currentPid = () => {
    if (pid === undefined) throw new Error(`${prepared.command.name} responds but was never started`);
    return pid;
  };

  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    // Only the main process of the server gets the signal; its children must react as in production.
    let resolveEnded = () => {};
    const ended = new Promise((resolve) => {
      resolveEnded = () => resolve(undefined);
    });
    onEnded = () => resolveEnded();
    process.kill(currentPid(), signal);
    const late = setTimeout(() => signalTree(currentPid(), 'SIGKILL'), END_DEADLINE_MS);
    await ended;
    clearTimeout(late);
    // The supervisor would restart the server after a quarter of a second.
    await supervisor.stop();
  }
  return {
    get pid() {
      return currentPid();
    },
    kill: () => end('SIGKILL'),
    end,
  };
}

/** @typedef {Awaited<ReturnType<typeof startServer>>} ServerProcess */
