import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { makeFolder } from './files.mjs';
import { commandToInstall, installPackage } from './system-packages.mjs';
import { ensureUnpackedRedis } from './unpacked-redis.mjs';

const programs = ['redis-server', 'valkey-server'];

/** Places where package managers put servers, which are not on every user's PATH. */
const morePlaces = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** @param {string} [path] */
function findRedis(path = process.env.PATH ?? '') {
  const folders = [...path.split(delimiter).filter(Boolean), ...morePlaces];
  for (const program of programs) {
    for (const folder of folders) {
      const candidate = join(folder, program);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // Not here.
      }
    }
  }
  return null;
}

/**
 * Returns a Redis server of this machine, and provides one if the PATH has no server. An ordinary user gets one
 * unpacked under the data folder before anything is installed; root gets one installed.
 *
 * @param {(line: string) => void} say
 * @param {{
 *   find?: () => string | null, unpack?: typeof ensureUnpackedRedis, install?: typeof installPackage,
 *   byHand?: typeof commandToInstall, isRoot?: boolean,
 * }} [machine]
 * @returns {Promise<import('./unpacked-redis.mjs').RedisProgram>}
 */
export async function ensureRedis(
  say,
  {
    find = findRedis,
    unpack = ensureUnpackedRedis,
    install = installPackage,
    byHand = commandToInstall,
    isRoot = process.getuid?.() === 0,
  } = {},
) {
  const found = find();
  if (found !== null) return { command: found };
  const installIt = () => installRedis(say, { find, install });
  const unpackIt = () => unpack(say);
  const refusals = [];
  for (const provide of isRoot ? [installIt, unpackIt] : [unpackIt, installIt]) {
    const { program, refusal } = await provide();
    if (program !== undefined) return program;
    refusals.push(refusal);
  }
  const command = await byHand('redis');
  const fix = command === undefined ? 'Install redis-server or valkey-server' : `Run "${command}"`;
  throw new Error(
    `Redis is missing. ${fix}, or set REDIS_URL to a server of your own. (${refusals.join('; ')})`,
  );
}

/**
 * @param {(line: string) => void} say
 * @param {{ find: () => string | null, install: typeof installPackage }} machine
 * @returns {Promise<import('./unpacked-redis.mjs').RedisAnswer>}
 */
async function installRedis(say, { find, install }) {
  const refusal = await install('redis', {
    onBegin: (commandLine) =>
      say(`No redis-server or valkey-server on the PATH: installing one (${commandLine})`),
  });
  const installed = find();
  if (installed !== null) return { program: { command: installed } };
  return { refusal: refusal ?? 'the installed package put no redis-server on the PATH' };
}

/**
 * A Redis on the loopback alone. It never evicts: nonces and queues live in it.
 *
 * @param {{
 *   dataDir: string, port: number, logFile: string, say: (line: string) => void, throwAway?: boolean,
 *   ensure?: typeof ensureRedis,
 * }} options
 * @returns {Promise<import('./servers.mjs').PreparedServer>}
 */
export async function prepareRedis({ dataDir, port, logFile, say, throwAway = false, ensure = ensureRedis }) {
  const { command, env } = await ensure(say);
  makeFolder(dataDir, 0o700);
  const keeping = throwAway ? ['--appendonly', 'no'] : ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--protected-mode', 'yes'];
  const policy = ['--maxmemory-policy', 'noeviction', '--save', '', '--daemonize', 'no'];
  return {
    url: `redis://127.0.0.1:${port}`,
    isReady: () => answersPing(port),
    command: {
      name: 'redis',
      command,
      args: [...address, '--dir', dataDir, ...keeping, ...policy],
      logFile,
      stopSignal: 'SIGTERM',
      env,
    },
  };
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} false while it is loading its data, too
 */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    /** @param {boolean} answer */
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => done(data.toString().startsWith('+PONG')));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
    socket.once('close', () => done(false));
  });
}
