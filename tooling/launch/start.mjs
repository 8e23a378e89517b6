import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endCommands } from './commands.mjs';
import { endGuard, startGuard, watchNpm } from './guard.mjs';
import { createLifecycle } from './lifecycle.mjs';
import { takeLock } from './lock.mjs';
import { dataPaths } from './paths.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm start [-- --fresh] [--data <folder>] [--free-ports] [--inspect <service>]`: sets up a fresh clone and runs all
 * services in the foreground. Ctrl-C stops everything. `--fresh` deletes the data first; `--data` uses another folder
 * than `.data`; `--free-ports` uses any free ports instead of the usual ones; `--inspect <service>[:<port>]` opens the
 * debugger of one service, by default on port 9229. `npm run dev` adds `--watch`, which applies edits of apps and
 * packages to the running services.
 *
 * Before the set-up has run, this file must not import installed packages.
 */

const USAGE = `Usage: npm start [-- <options>]

  --fresh                    delete the data first
  --data <folder>            use another folder than .data
  --free-ports               use any free ports instead of the usual ones
  --watch                    apply edits of apps and packages to the running services
  --inspect <service[:port]> open the debugger of a service, by default on port 9229
  --help                     print this text`;

function readOptions() {
  try {
    return parseArgs({
      options: {
        fresh: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        data: { type: 'string' },
        inspect: { type: 'string' },
        'free-ports': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function lockData() {
  try {
    return takeLock(paths.lock);
  } catch (error) {
    console.error(
      `The data folder ${paths.dataDir} cannot be used: ${/** @type {Error} */ (error).message}.\n` +
        'Check its permissions and the free space, or choose another folder with --data.',
    );
    process.exit(2);
  }
}

const options = readOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
/** @param {string} line */
const print = (line) => console.log(line);

const lock = lockData();
if (!lock.taken) {
  print(`Already running as process ${lock.holderPid}. Its addresses are in ${paths.devStateFile}.`);
  process.exit(1);
}

startGuard();
watchNpm(() => {
  // The guard ends everything within seconds; an orderly stop could take longer.
  rmSync(paths.devStateFile, { force: true });
  lock.release();
  process.kill(process.pid, 'SIGKILL');
});

const lifecycle = createLifecycle();
await lifecycle.defer(lock.release);
await lifecycle.defer(endGuard);
await lifecycle.defer(endCommands);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, async () => {
    if (lifecycle.stopping) return;
    print('Stopping');
    const failures = await lifecycle.stop();
    for (const failure of failures) console.error(failure);
    process.exit(failures.length === 0 ? 0 : 1);
  });
}

try {
  if (options.fresh) {
    if (process.env.DATABASE_URL || process.env.REDIS_URL)
      print('DATABASE_URL or REDIS_URL is set: --fresh does not delete the data of those servers.');
    const { postgres, redis, paperExchange, keys, demo, mail } = paths;
    for (const path of [postgres, redis, paperExchange, keys, demo, mail])
      rmSync(path, { recursive: true, force: true });
  }
  await setUp(print);
  const { startServices } = await import('./services.mjs');
  if (!lifecycle.stopping) {
    const platform = await startServices(paths, lifecycle, print, {
      usesFreePorts: options['free-ports'],
      inspect: options.inspect,
    });
    if (options.watch) {
      const { applyEdits } = await import('./watch/apply-edits.mjs');
      const watching = applyEdits({ ...platform, print });
      await lifecycle.defer(watching.stop);
      print('Watching: an edit of an app or package is compiled, and the services that use it restart.');
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await lifecycle.stop();
  process.exit(1);
}
