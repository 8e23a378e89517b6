import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endCommands } from './commands.mjs';
import { createLifecycle } from './lifecycle.mjs';
import { takeLock } from './lock.mjs';
import { dataPaths } from './paths.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm start [-- --fresh] [--data <folder>]`: from a bare clone to running services in the foreground. Ctrl-C ends
 * all of it. `--data` keeps everything in another folder than `.data`; `--free-ports` leaves the usual ports to
 * others; `--inspect <service>[:<port>]` opens a debugger's port, 9229 unless given, on one service. `npm run dev` adds
 * `--watch`: edits of apps and packages become live.
 *
 * Nothing here may import an installed package before the set-up has run.
 */

const { values: options } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    data: { type: 'string' },
    inspect: { type: 'string' },
    'free-ports': { type: 'boolean', default: false },
  },
});
const paths = dataPaths(options.data === undefined ? undefined : resolve(options.data));
/** @param {string} line */
const say = (line) => console.log(line);

const lock = takeLock(paths.lock);
if (!lock.taken) {
  say(`Already running here, as process ${lock.holderPid}. Its addresses are in ${paths.devState}.`);
  process.exit(1);
}

const lifecycle = createLifecycle();
await lifecycle.defer(lock.release);
await lifecycle.defer(endCommands);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, async () => {
    if (lifecycle.stopping) return;
    say('Stopping');
    const failures = await lifecycle.stop();
    for (const failure of failures) console.error(failure);
    process.exit(failures.length === 0 ? 0 : 1);
  });
}

try {
  if (options.fresh) {
    if (process.env.DATABASE_URL || process.env.REDIS_URL)
      say('DATABASE_URL and REDIS_URL name servers of yours: what they hold is left as it is.');
    const { postgres, redis, paperExchange, keys, demo, mail } = paths;
    for (const path of [postgres, redis, paperExchange, keys, demo, mail])
      rmSync(path, { recursive: true, force: true });
  }
  await setUp(say);
  const { startServices } = await import('./services.mjs');
  if (!lifecycle.stopping) {
    const platform = await startServices(paths, lifecycle, say, {
      hasFreePorts: options['free-ports'],
      inspect: options.inspect,
    });
    if (options.watch) {
      const { keepLive } = await import('./watch/keep-live.mjs');
      const live = keepLive({ ...platform, say });
      await lifecycle.defer(live.stop);
      say('Watching: an edit of an app or package is compiled, and the services that use it restart.');
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await lifecycle.stop();
  process.exit(1);
}
