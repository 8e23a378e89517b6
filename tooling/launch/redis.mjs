import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { makeFolder } from './files.mjs';
import { commandToInstall, installPackage } from './system-packages.mjs';
import { ensureUnpackedRedis } from './unpacked-redis.mjs';

const programs = ['redis-server', 'valkey-server'];

/** Folders in which package managers install servers, and which are not on every user's PATH. */
const extraFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** @param {string} [path] */
function findRedis(path = process.env.PATH ?? '') {
  const folders = [...path.split(delimiter).filter(Boolean), ...extraFolders];
  for (const program of programs) {
    for (const folder of folders) {
      const candidate = join(folder, program);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // This folder does not contain the program.
      }
    }
  }
  return null;
}

/**
 * Returns a Redis program of this machine. If the PATH has none, it unpacks one under the data folder, or installs one.
 * For an ordinary user it tries to unpack first; for root it tries to install first.
 *
 * @param {(line: string) => void} print
 * @param {{
 *   find?: () => string | null, unpack?: typeof ensureUnpackedRedis, install?: typeof installPackage,
 *   installCommand?: typeof commandToInstall, isRoot?: boolean,
 * }} [machine]
 * @returns {Promise<import('./unpacked-redis.mjs').RedisProgram>}
 */
export async function ensureRedis(
  print,
  {
    find = findRedis,
    unpack = ensureUnpackedRedis,
    install = installPackage,
    installCommand = commandToInstall,
    isRoot = process.getuid?.() === 0,
  } = {},
) {
  const found = find();
  if (found !== null) return { command: found };
  const installIt = () => installRedis(print, { find, install });
  const unpackIt = () => unpack(print);
  const reasons = [];
  for (const provide of isRoot ? [installIt, unpackIt] : [unpackIt, installIt]) {
    const { program, reason } = await provide();
    if (program !== undefined) return program;
    reasons.push(reason);
  }
  const command = await installCommand('redis');
  const advice = command === undefined ? 'Install redis-server or valkey-server' : `Run "${command}"`;
  throw new Error(
    `Redis is missing. ${advice}, or set REDIS_URL to your own server. (${reasons.join('; ')})`,
  );
}

/**
 * @param {(line: string) => void} print
 * @param {{ find: () => string | null, install: typeof installPackage }} machine
 * @returns {Promise<import('./unpacked-redis.mjs').RedisResult>}
 */
async function installRedis(print, { find, install }) {
  const reason = await install('redis', {
    onBegin: (commandLine) =>
      print(`No redis-server or valkey-server on the PATH: installing one (${commandLine})`),
  });
  const installed = find();
  if (installed !== null) return { program: { command: installed } };
  return { reason: reason ?? 'the installed package added no redis-server to the PATH' };
}

/**
 * Prepares a Redis server on the loopback interface. It never evicts keys, because it holds nonces and queues.
 *
 * @param {{
 *   dataDir: string, port: number, logFile: string, print: (line: string) => void, isTemporary?: boolean,
 *   ensure?: typeof ensureRedis,
 * }} options
 * @returns {Promise<import('./servers.mjs').PreparedServer>}
 */
export async function prepareRedis({
  dataDir,
  port,
  logFile,
  print,
  isTemporary = false,
  ensure = ensureRedis,
}) {
  const { command, env } = await ensure(print);
  makeFolder(dataDir, 0o700);
  const persistence = isTemporary
    ? ['--appendonly', 'no']
    : ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--protected-mode', 'yes'];
  const policy = ['--maxmemory-policy', 'noeviction', '--save', '', '--daemonize', 'no'];
  return {
    url: `redis://127.0.0.1:${port}`,
    isReady: () => answersPing(port),
    command: {
      name: 'redis',
      command,
      args: [...address, '--dir', dataDir, ...persistence, ...policy],
      logFile,
      stopSignal: 'SIGTERM',
      env,
    },
  };
}

/**
 * @param {number} port
 * @returns {Promise<boolean>} whether Redis responds to PING; false also while it loads its data
 */
function answersPing(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    /** @param {boolean} hasAnswered */
    const done = (hasAnswered) => {
      socket.destroy();
      resolve(hasAnswered);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => done(data.toString().startsWith('+PONG')));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
    socket.once('close', () => done(false));
  });
}
