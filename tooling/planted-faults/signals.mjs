import { endCommands } from '../launch/commands.mjs';

/** @type {Set<() => Promise<void>>} */
const cleanUps = new Set();

/** When a signal ends this process, first ends all commands, then runs what `addCleanUp` was given. */
export function endOnSignals() {
  for (const [signal, exitCode] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])) {
    process.once(signal, async () => {
      await endCommands();
      for (const cleanUp of cleanUps) await cleanUp();
      process.exit(exitCode);
    });
  }
}

/** @param {() => Promise<void>} cleanUp */
export function addCleanUp(cleanUp) {
  cleanUps.add(cleanUp);
}
