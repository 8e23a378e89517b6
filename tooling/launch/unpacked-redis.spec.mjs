import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './commands.mjs';
import { ensureUnpackedRedis, hasApt, plannedPackages } from './unpacked-redis.mjs';

/** Returns recorded output of apt 2.6 on Debian 12, run as an ordinary user. */
const recorded = (name) => readFileSync(join(import.meta.dirname, 'fixtures', 'apt', name), 'utf8');

/** @type {string} */
let parent;
/** @type {string} */
let folder;
/** @type {string[]} */
let lines;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'unpacked-redis-spec-'));
  folder = join(parent, 'a clone', 'redis-program');
  lines = [];
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const success = { code: 0, stdout: '', stderr: '' };
const simulation = { ...success, stdout: recorded('libraries-missing.txt') };
const withoutLists = { code: 100, stdout: '', stderr: recorded('without-lists.stderr.txt') };
const offlineUpdate = { code: 100, stdout: '', stderr: recorded('offline-update.stderr.txt') };
const offlineDownload = { code: 100, stdout: '', stderr: recorded('offline-download.stderr.txt') };
const workingServer = 'echo "Redis server v=7.0.15"';

/**
 * Simulates a machine whose apt returns the recorded results in turn. `server` is the script in its Redis package.
 *
 * @param {{ results?: object[], server?: string, apt?: boolean }} options
 */
function machine({ results = [], server = workingServer, apt = true } = {}) {
  const commands = [];
  const remaining = [...results];
  const fakeRun = async (command, args, options) => {
    if (command === 'apt-get') {
      commands.push(
        args.slice(args.findIndex((arg, i) => i > 0 && arg !== '-o' && args[i - 1] !== '-o')).join(' '),
      );
      const isDownload = args.includes('download');
      if (isDownload) writeFileSync(join(options.cwd, `${commands.length}.deb`), '');
      return remaining.shift() ?? success;
    }
    if (command !== 'dpkg-deb') return await run(command, args, options);
    commands.push(`${command} ${args[0]} ${args[1].slice(-5)}`);
    const program = join(args[2], 'usr', 'bin', 'redis-server');
    mkdirSync(join(args[2], 'usr', 'lib', 'x86_64-linux-gnu'), { recursive: true });
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, `#!/bin/sh\n${server}\n`);
    chmodSync(program, 0o755);
    return success;
  };
  return {
    commands,
    ensure: () =>
      ensureUnpackedRedis((line) => lines.push(line), { folder, run: fakeRun, hasApt: () => apt }),
  };
}

const install = '--simulate --reinstall --no-install-recommends install redis-server redis-tools';
const libraries =
  'libatomic1=12.2.0-14+deb12u1 libjemalloc2=5.3.0-1 liblzf1=3.6-3 redis-tools=5:7.0.15-1~deb12u10 redis-server=5:7.0.15-1~deb12u10';

describe('the packages that apt would install', () => {
  it('are Redis and the libraries that the system lacks', () => {
    expect(plannedPackages(recorded('libraries-missing.txt')).join(' ')).toBe(libraries);
  });

  it('are only those of Redis if the system has every library', () => {
    expect(plannedPackages(recorded('all-installed.txt'))).toEqual([
      'redis-tools=5:7.0.15-1~deb12u10',
      'redis-server=5:7.0.15-1~deb12u10',
    ]);
  });

  it('keep the architecture of a foreign package, and have the new version of an upgrade', () => {
    const simulated = 'Inst libzstd1:i386 [1.4.8] (1.5.4 Debian:12.15/oldstable, Debian:12 [i386]) []\n';
    expect(plannedPackages(simulated)).toEqual(['libzstd1:i386=1.5.4']);
  });
});

describe('an unpacked Redis', () => {
  it('is downloaded once, with the package lists of the system', async () => {
    const debian = machine({ results: [simulation] });
    const expected = {
      program: {
        command: join(folder, 'usr', 'bin', 'redis-server'),
        env: {
          LD_LIBRARY_PATH: [join(folder, 'usr', 'lib'), join(folder, 'usr', 'lib', 'x86_64-linux-gnu')].join(
            ':',
          ),
        },
      },
    };
    for (let i = 0; i < 2; i++) expect(await debian.ensure()).toEqual(expected);
    expect(debian.commands).toEqual([install, `download ${libraries}`, 'dpkg-deb -x 2.deb']);
    expect(lines).toEqual([
      `No redis-server or valkey-server on the PATH: unpacking the redis-server package in ${folder}`,
    ]);
    expect(readdirSync(dirname(folder))).toEqual(['redis-program']);
  });

  it.each([
    ['are missing', [withoutLists]],
    ['are missing and Redis is installed', [{ ...success, stdout: recorded('installed-without-lists.txt') }]],
    ['name files that the archive no longer has', [simulation, offlineDownload]],
  ])('is downloaded with its own package lists if those of the system %s', async (_, results) => {
    const debian = machine({ results: [...results, success, simulation] });
    expect((await debian.ensure()).program).toBeDefined();
    expect(debian.commands.slice(results.length)).toEqual([
      'update',
      install,
      `download ${libraries}`,
      expect.stringMatching(/^dpkg-deb -x \d\.deb$/),
    ]);
    expect(readdirSync(dirname(folder))).toEqual(['redis-program']);
  });

  it('is downloaded even if the update cannot reach an archive that is not needed', async () => {
    const debian = machine({ results: [withoutLists, offlineUpdate, simulation] });
    expect((await debian.ensure()).program).toBeDefined();
  });

  it('is not unpacked if the archive is unreachable: the reason is the first error, no files remain, and a later attempt succeeds', async () => {
    const offline = machine({ results: [simulation, offlineDownload, offlineUpdate, withoutLists] });
    expect((await offline.ensure()).reason).toBe(
      "apt-get update failed: E: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'",
    );
    expect(readdirSync(dirname(folder))).toEqual([]);
    expect((await machine({ results: [simulation] }).ensure()).program).toBeDefined();
  });

  it('is not used if it does not run on this machine', async () => {
    const debian = machine({ results: [simulation], server: 'echo "GLIBC_2.99 not found" >&2; exit 1' });
    const { reason } = await debian.ensure();
    expect(reason).toMatch(/redis-server --version failed: GLIBC_2\.99 not found$/);
    expect(existsSync(folder)).toBe(false);
  });

  it('is unpacked again if it no longer runs', async () => {
    await machine({ results: [simulation] }).ensure();
    writeFileSync(join(folder, 'usr', 'bin', 'redis-server'), '#!/bin/sh\nexit 127\n');
    const debian = machine({ results: [simulation] });
    expect((await debian.ensure()).program).toBeDefined();
    expect(debian.commands).toHaveLength(3);
  });

  it('is unpacked only once for two launchers', async () => {
    const debian = machine({ results: [simulation] });
    const [first, second] = await Promise.all([debian.ensure(), debian.ensure()]);
    expect(second).toEqual(first);
    expect(debian.commands).toHaveLength(3);
  });

  it('is not unpacked if apt is missing, and no line is printed', async () => {
    const macOs = machine({ apt: false });
    expect(await macOs.ensure()).toEqual({
      reason: 'unpacking it without root needs apt-get and dpkg-deb',
    });
    expect([macOs.commands, lines]).toEqual([[], []]);
  });
});

describe('apt', () => {
  it('is available if both of its programs are on the PATH', () => {
    const found = [hasApt({ path: parent })];
    for (const name of ['apt-get', 'dpkg-deb']) {
      writeFileSync(join(parent, name), '');
      found.push(hasApt({ path: parent }));
    }
    expect(found).toEqual([false, false, true]);
  });
});
