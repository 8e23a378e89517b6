import { signalTree } from '../launch/processes.mjs';
import { startKeeper } from '../launch/servers.mjs';

/** Longer than a server takes to write down what it has and to roll back what is open. */
const END_DEADLINE_MS = 30_000;

/**
 * Runs a prepared server until it is ended on purpose, and then leaves it ended; it also ends with this process. A
 * keeper of its own for each life, because a keeper begins again whatever ends.
 *
 * @param {import('../launch/servers.mjs').PreparedServer} prepared
 */
export async function startServer(prepared) {
  /** @type {number | undefined} */
  let pid;
  let onEnded = () => {};
  const keeper = startKeeper((_name, event) => {
    if (event.type === 'started') pid = event.pid;
    else onEnded();
  });
  try {
    await keeper.start(prepared);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
  /** A server that crashed was restarted, and has another one. */
  const pidNow = () => {
    if (pid === undefined) throw new Error(`${prepared.command.name} answers and was never begun`);
    return pid;
  };

  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    // The server's leader alone: its children learn of its end in the way they would anywhere.
    let tellEnded = () => {};
    const ended = new Promise((resolve) => {
      tellEnded = () => resolve(undefined);
    });
    onEnded = () => tellEnded();
    process.kill(pidNow(), signal);
    const late = setTimeout(() => signalTree(pidNow(), 'SIGKILL'), END_DEADLINE_MS);
    await ended;
    clearTimeout(late);
    // Sent on before the keeper begins it again, a quarter of a second from now.
    await keeper.stop();
  }
  return {
    get pid() {
      return pidNow();
    },
    kill: () => end('SIGKILL'),
    end,
  };
}

/** @typedef {Awaited<ReturnType<typeof startServer>>} ServerProcess */
