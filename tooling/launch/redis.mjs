import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { makeFolder } from './files.mjs';
import { installPackage } from './system-packages.mjs';

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
 * @param {(line: string) => void} say
 * @param {{ find?: () => string | null, install?: typeof installPackage }} [machine]
 * @returns {Promise<string>} a server program of this machine
 */
async function ensureRedis(say, { find = findRedis, install = installPackage } = {}) {
  const found = find();
  if (found !== null) return found;
  say('No redis-server or valkey-server on the PATH: installing one');
  const refusal = await install('redis');
  const installed = find();
  if (installed !== null) return installed;
  throw new Error(
    `Redis is missing: install redis-server (or valkey-server), or set REDIS_URL.${refusal ? ` (${refusal})` : ''}`,
  );
}

/**
 * A Redis on the loopback alone. It never evicts: nonces and queues live in it.
 *
 * @param {{
 *   dataDir: string, port: number, logFile: string, say: (line: string) => void, throwAway?: boolean,
 * }} options
 * @returns {Promise<import('./servers.mjs').PreparedServer>}
 */
export async function prepareRedis({ dataDir, port, logFile, say, throwAway = false }) {
  const program = await ensureRedis(say);
  makeFolder(dataDir, 0o700);
  const keeping = throwAway ? ['--appendonly', 'no'] : ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--protected-mode', 'yes'];
  const policy = ['--maxmemory-policy', 'noeviction', '--save', '', '--daemonize', 'no'];
  return {
    url: `redis://127.0.0.1:${port}`,
    isReady: () => answersPing(port),
    command: {
      name: 'redis',
      command: program,
      args: [...address, '--dir', dataDir, ...keeping, ...policy],
      logFile,
      stopSignal: 'SIGTERM',
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
