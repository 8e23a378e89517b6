import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { run } from './commands.mjs';
import { makeFolder, readIfThere, writePrivateFile } from './files.mjs';
import { isOpenToOthers, outsideHome, postgresBinaries, postgresUser } from './postgres-binaries.mjs';

/** A cluster of tests is thrown away, so it need not survive a power failure. */
const throwAwayFlags = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=400'];
const lastingFlags = ['max_connections=200'];

/**
 * Creates the cluster of an embedded Postgres if it is missing, and returns the command that runs it.
 *
 * @param {{
 *   dataDir: string, passwordFile: string, port: number, logFile: string, database: string,
 *   throwAway?: boolean, isFlushed?: boolean,
 * }} options `isFlushed`: whether a new cluster is flushed to disk before its use
 * @returns {Promise<import('./servers.mjs').PreparedServer>}
 */
export async function preparePostgres({
  dataDir,
  passwordFile,
  port,
  logFile,
  database,
  throwAway = false,
  isFlushed = !throwAway,
}) {
  const user = await postgresUser();
  const binaries = await postgresBinaries(user);
  const cluster = placeOf(dataDir, user);
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await makeCluster({ cluster, passwordFile, initdb: binaries.initdb, user, isFlushed });
  }
  refuseOtherVersion(cluster, binaries.version);
  const password = readFileSync(passwordFile, 'utf8');
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(throwAway ? throwAwayFlags : lastingFlags),
  ];
  /** @param {string} name */
  const urlOf = (name) => `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`;
  return {
    url: urlOf(database),
    isReady: () => accepts(urlOf('postgres')),
    whenReady: () => ensureDatabase(urlOf('postgres'), database),
    command: {
      name: 'postgres',
      command: binaries.postgres,
      args: ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      logFile,
      // Fast shutdown: open transactions are rolled back, everything is flushed. Nothing to flush: at once.
      stopSignal: throwAway ? 'SIGQUIT' : 'SIGINT',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      ...user,
    },
  };
}

/**
 * Returns the real location of the cluster. If the clone is closed to its user, the cluster is under /var/lib and the
 * data folder points there. Removing the data folder still gives an empty cluster.
 *
 * @param {string} dataDir
 * @param {import('./postgres-binaries.mjs').UserIds | undefined} user
 */
function placeOf(dataDir, user) {
  makeParents(dataDir);
  if (user === undefined || isOpenToOthers(dirname(dataDir))) return dataDir;
  const clone = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const outside = join(outsideHome, clone, 'postgres');
  const link = lstatSync(dataDir, { throwIfNoEntry: false });
  if (link === undefined) {
    rmSync(outside, { recursive: true, force: true });
    makeFolder(outsideHome, 0o755);
    makeFolder(dirname(outside), 0o755);
    symlinkSync(outside, dataDir);
  } else if (!link.isSymbolicLink()) {
    throw new Error(`${dataDir} is closed to the user "postgres": begin anew with "npm start -- --fresh"`);
  }
  return outside;
}

/** @param {string} dataDir */
function makeParents(dataDir) {
  const parent = dirname(dataDir);
  if (!existsSync(parent)) makeFolder(parent, 0o755);
}

/**
 * Made beside its place and then moved there whole: a cluster that was interrupted half-way is never used.
 *
 * @param {{
 *   cluster: string, passwordFile: string, initdb: string, isFlushed: boolean,
 *   user: import('./postgres-binaries.mjs').UserIds | undefined,
 * }} options
 */
async function makeCluster({ cluster, passwordFile, initdb, user, isFlushed }) {
  const unfinished = `${cluster}.unfinished`;
  const handedOver = `${unfinished}.password`;
  const password = readIfThere(passwordFile) ?? randomBytes(24).toString('base64url');
  writePrivateFile(passwordFile, password);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(handedOver, password, { mode: 0o600 });
  try {
    if (user !== undefined) {
      for (const path of [unfinished, handedOver]) chownSync(path, user.uid, user.gid);
    }
    const args = [
      `--pgdata=${unfinished}`,
      `--pwfile=${handedOver}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same order of texts on every machine, whatever its locales.
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(isFlushed ? [] : ['--no-sync']),
    ];
    const made = await run(initdb, args, {
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      ...user,
    });
    if (made.code !== 0) throw new Error(`making the database cluster failed:\n${made.stdout}${made.stderr}`);
    renameSync(unfinished, cluster);
  } finally {
    rmSync(handedOver, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * @param {string} cluster
 * @param {string} version
 */
function refuseOtherVersion(cluster, version) {
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (made === version.split('.')[0]) return;
  throw new Error(
    `the data in .data/postgres was made by PostgreSQL ${made}, and this is ${version}: begin anew with "npm start -- --fresh"`,
  );
}

/** @param {string} url */
async function accepts(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * @param {string} url
 * @param {string} database
 */
async function ensureDatabase(url, database) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
