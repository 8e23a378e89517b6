import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.mjs';
import { freePort } from './ports.mjs';
import { prepareRedis } from './redis.mjs';
import { startServerSupervisor } from './servers.mjs';
import { ensureUnpackedRedis } from './unpacked-redis.mjs';

/** @type {string} */
let parent;
/** @type {string | undefined} */
let aptConfig;
beforeEach(() => {
  aptConfig = process.env.APT_CONFIG;
  parent = mkdtempSync(join(tmpdir(), 'unpacked redis-'));
});
afterEach(() => {
  if (aptConfig === undefined) delete process.env.APT_CONFIG;
  else process.env.APT_CONFIG = aptConfig;
  rmSync(parent, { recursive: true, force: true });
});

/**
 * Returns the dpkg status of this system, without one package and all packages that depend on it.
 *
 * @param {string} removed
 */
function statusWithout(removed) {
  let packages = readFileSync('/var/lib/dpkg/status', 'utf8').split('\n\n');
  const names = [removed];
  for (const name of names) {
    const isGone = (entry) =>
      entry.startsWith(`Package: ${name}\n`) ||
      (entry.match(/^(?:Pre-)?Depends: .*$/gm) ?? [])
        .join(',')
        .split(/[ ,|:]+/)
        .includes(name);
    for (const entry of packages.filter(isGone)) names.push(/^Package: (\S+)/.exec(entry)?.[1]);
    packages = packages.filter((entry) => !isGone(entry));
  }
  return packages.join('\n\n');
}

/** @param {Record<string, string>} settings for every apt-get of this test */
function configureApt(settings) {
  const file = join(parent, 'apt.conf');
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  writeFileSync(file, lines.join(''));
  process.env.APT_CONFIG = file;
}

describe('Redis on Debian and Ubuntu, without root', () => {
  it('is unpacked with a library that the system lacks, and later starts without apt', async () => {
    const status = join(parent, 'status');
    writeFileSync(status, statusWithout('liblzf1'));
    configureApt({ 'Dir::State::status': status });
    const folder = join(parent, 'redis-program');
    const { program, reason } = await ensureUnpackedRedis(() => undefined, { folder });
    expect(reason).toBeUndefined();
    const libraries = program.env.LD_LIBRARY_PATH.split(':').flatMap((path) => readdirSync(path));
    expect(libraries).toContain('liblzf.so.1');

    const commands = [];
    const again = await ensureUnpackedRedis(() => undefined, {
      folder,
      run: async (command, args, options) => {
        commands.push([command, ...args]);
        return await run(command, args, options);
      },
      hasApt: () => false,
    });
    expect(again.program).toEqual(program);
    expect(commands).toEqual([[program.command, '--version']]);

    const port = await freePort();
    const redis = await prepareRedis({
      dataDir: join(parent, 'redis'),
      logFile: join(parent, 'redis.log'),
      port,
      isTemporary: true,
      print: () => undefined,
      ensure: async () => again.program,
    });
    /** @type {number | undefined} */
    let pid;
    const supervisor = startServerSupervisor((_name, event) => {
      if (event.type === 'started') pid = event.pid;
    });
    try {
      await supervisor.start(redis);
      const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
      expect(maps).toMatch(new RegExp(`${folder}/usr/lib/\\S+/liblzf\\.so\\.1`));
      expect(process.env.LD_LIBRARY_PATH).not.toBe(redis.command.env.LD_LIBRARY_PATH);
    } finally {
      await supervisor.stop();
    }
  });

  it('is unpacked even if the system has no package lists', async () => {
    const lists = join(parent, 'no-lists');
    mkdirSync(lists);
    configureApt({ 'Dir::State::lists': lists });
    const { program, reason } = await ensureUnpackedRedis(() => undefined, {
      folder: join(parent, 'redis-program'),
    });
    expect(reason).toBeUndefined();
    expect(
      (await run(program.command, ['--version'], { env: { ...process.env, ...program.env } })).stdout,
    ).toMatch(/^Redis server v=/);
    expect(readdirSync(parent).sort()).toEqual(['apt.conf', 'no-lists', 'redis-program']);
  });
});
