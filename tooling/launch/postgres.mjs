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
import { makeFolder, readIfExists, writePrivateFile } from './files.mjs';
import { folderOutsideClone, isOpenToOthers, postgresBinaries, postgresUser } from './postgres-binaries.mjs';

/** Settings for the cluster of a test run, which is deleted at the end and need not survive a power failure. */
const temporaryFlags = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=400'];
const permanentFlags = ['max_connections=200'];

/**
 * Makes backends return freed memory to the system. By default, glibc raises its thresholds when a large block is freed, so
 * that a backend which once planned a large statement keeps several megabytes. Other C libraries ignore the settings.
 */
const mallocSettings = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
/**
 * For a measurement of memory: gives each block of 8 KiB, the first of most memory contexts, a mapping of its own. By default,
 * a backend keeps 2 to 4 MiB of freed memory between blocks in use. Statements are up to a fifth slower.
 */
const exactMallocSettings = { MALLOC_MMAP_THRESHOLD_: '8192', MALLOC_TRIM_THRESHOLD_: '65536' };

/**
 * Creates the cluster of an embedded Postgres if it is missing, and returns the command that runs it.
 *
 * @param {{
 *   dataDir: string, passwordFile: string, port: number, logFile: string, database: string,
 *   isTemporary?: boolean, isFlushed?: boolean, returnsFreedMemory?: boolean,
 * }} options `isFlushed`: whether a new cluster is flushed to disk before its use; `returnsFreedMemory`: whether backends
 *   return all freed memory to the system, so that their memory is what they use
 * @returns {Promise<import('./servers.mjs').PreparedServer>}
 */
export async function preparePostgres({
  dataDir,
  passwordFile,
  port,
  logFile,
  database,
  isTemporary = false,
  isFlushed = !isTemporary,
  returnsFreedMemory = false,
}) {
  const user = await postgresUser();
  const binaries = await postgresBinaries(user);
  const cluster = clusterFolder(dataDir, user);
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await createCluster({ cluster, passwordFile, initdb: binaries.initdb, user, isFlushed });
  }
  assertSameVersion(cluster, binaries.version);
  const password = readFileSync(passwordFile, 'utf8');
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(isTemporary ? temporaryFlags : permanentFlags),
  ];
  /** @param {string} name */
  const urlOf = (name) => `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`;
  return {
    url: urlOf(database),
    isReady: () => acceptsQueries(urlOf('postgres')),
    afterStart: () => ensureDatabase(urlOf('postgres'), database),
    command: {
      name: 'postgres',
      command: binaries.postgres,
      args: ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      logFile,
      // SIGINT is a fast shutdown: it rolls back open transactions and flushes all data. SIGQUIT is immediate.
      stopSignal: isTemporary ? 'SIGQUIT' : 'SIGINT',
      env: { LC_ALL: 'C', TZ: 'UTC', ...(returnsFreedMemory ? exactMallocSettings : mallocSettings) },
      ...user,
    },
  };
}

/**
 * Returns the real location of the cluster. If the user that runs Postgres has no access to the clone, the cluster
 * is under /var/lib, and `dataDir` is a symbolic link to it. If the link is removed, the next start creates an
 * empty cluster.
 *
 * @param {string} dataDir
 * @param {import('./postgres-binaries.mjs').UserIds | undefined} user
 */
function clusterFolder(dataDir, user) {
  createParents(dataDir);
  if (user === undefined || isOpenToOthers(dirname(dataDir))) return dataDir;
  const dataDirHash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const outside = join(folderOutsideClone, dataDirHash, 'postgres');
  const link = lstatSync(dataDir, { throwIfNoEntry: false });
  if (link === undefined) {
    rmSync(outside, { recursive: true, force: true });
    makeFolder(folderOutsideClone, 0o755);
    makeFolder(dirname(outside), 0o755);
    symlinkSync(outside, dataDir);
  } else if (!link.isSymbolicLink()) {
    throw new Error(
      `The user "postgres" has no access to ${dataDir}. Start with empty data: "npm start -- --fresh".`,
    );
  }
  return outside;
}

/** @param {string} dataDir */
function createParents(dataDir) {
  const parent = dirname(dataDir);
  if (!existsSync(parent)) makeFolder(parent, 0o755);
}

/**
 * Creates the cluster in a temporary folder and then renames it, so that an incomplete cluster is never used.
 *
 * @param {{
 *   cluster: string, passwordFile: string, initdb: string, isFlushed: boolean,
 *   user: import('./postgres-binaries.mjs').UserIds | undefined,
 * }} options
 */
async function createCluster({ cluster, passwordFile, initdb, user, isFlushed }) {
  const unfinished = `${cluster}.unfinished`;
  const initialPasswordFile = `${unfinished}.password`;
  const password = readIfExists(passwordFile) ?? randomBytes(24).toString('base64url');
  writePrivateFile(passwordFile, password);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(initialPasswordFile, password, { mode: 0o600 });
  try {
    if (user !== undefined) {
      for (const path of [unfinished, initialPasswordFile]) chownSync(path, user.uid, user.gid);
    }
    const args = [
      `--pgdata=${unfinished}`,
      `--pwfile=${initialPasswordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Strings sort in the same order on every machine, regardless of its locales.
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(isFlushed ? [] : ['--no-sync']),
    ];
    const created = await run(initdb, args, {
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      ...user,
    });
    if (created.code !== 0)
      throw new Error(`creating the database cluster failed:\n${created.stdout}${created.stderr}`);
    renameSync(unfinished, cluster);
  } finally {
    rmSync(initialPasswordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * @param {string} cluster
 * @param {string} version
 */
function assertSameVersion(cluster, version) {
  const created = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (created === version.split('.')[0]) return;
  throw new Error(
    `the data in .data/postgres is from PostgreSQL ${created}; this is ${version}. Start with empty data: "npm start -- --fresh".`,
  );
}

/** @param {string} url */
async function acceptsQueries(url) {
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
