import { ensureRedis } from './redis.mjs';
import { commandToInstall, installPackage } from './system-packages.mjs';

const unpacked = {
  command: '/clone/.data/redis-program/usr/bin/redis-server',
  env: { LD_LIBRARY_PATH: '/x' },
};

/**
 * Simulates a machine, by default without Redis.
 *
 * @param {{ isRoot?: boolean, unpacks?: boolean, installs?: boolean, installCommand?: string, onPath?: boolean }} options
 */
function machine({ isRoot = false, unpacks = false, installs = false, installCommand, onPath = false } = {}) {
  const steps = [];
  let isOnPath = onPath;
  const ensure = () =>
    ensureRedis((line) => steps.push(line), {
      isRoot,
      find: () => (isOnPath ? '/usr/bin/redis-server' : null),
      installCommand: async () => installCommand,
      unpack: async () => {
        steps.push('unpack');
        return unpacks ? { program: unpacked } : { reason: 'no archive responds' };
      },
      install: async (what, { onBegin }) => {
        if (installs) onBegin('brew install --quiet redis');
        steps.push(`install ${what}`);
        isOnPath = installs;
        return installs ? null : 'apt-get needs root here';
      },
    });
  return { steps, ensure };
}

const installing =
  'No redis-server or valkey-server on the PATH: installing one (brew install --quiet redis)';
const installCommand = 'sudo apt-get install redis-server';

describe('the Redis of a machine', () => {
  it('is the one on the PATH, without extra environment variables', async () => {
    const { steps, ensure } = machine({ onPath: true, unpacks: true, installs: true });
    expect(await ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(steps).toEqual([]);
  });

  it('is unpacked for an ordinary user, without installing a package', async () => {
    const { steps, ensure } = machine({ unpacks: true, installs: true, installCommand });
    expect(await ensure()).toEqual(unpacked);
    expect(steps).toEqual(['unpack']);
  });

  it('is installed for an ordinary user if it cannot be unpacked', async () => {
    const { steps, ensure } = machine({ installs: true, installCommand });
    expect(await ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(steps).toEqual(['unpack', installing, 'install redis']);
  });

  it('is installed for root, and unpacked only if that fails', async () => {
    const installed = machine({ isRoot: true, unpacks: true, installs: true, installCommand });
    expect(await installed.ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(installed.steps).toEqual([installing, 'install redis']);
    const refused = machine({ isRoot: true, unpacks: true, installCommand });
    expect(await refused.ensure()).toEqual(unpacked);
    expect(refused.steps).toEqual(['install redis', 'unpack']);
  });

  it('is reported as missing with the command to install it and every reason', async () => {
    await expect(machine({ installCommand }).ensure()).rejects.toThrow(
      /^Redis is missing\. Run "sudo apt-get install redis-server", or set REDIS_URL to your own server\. \(no archive responds; apt-get needs root here\)$/,
    );
    await expect(machine().ensure()).rejects.toThrow(
      /^Redis is missing\. Install redis-server or valkey-server, or set REDIS_URL to your own server\. /,
    );
  });
});

describe('the command for installing Redis', () => {
  /** @param {string | undefined} manager the package manager of the machine */
  const runWith = (manager) => async (command) => ({
    code: command === manager ? 0 : 127,
    stdout: '',
    stderr: '',
  });

  it.each([
    ['linux', 'apt-get', 'sudo apt-get install redis-server'],
    ['linux', 'dnf', 'sudo dnf install valkey'],
    ['linux', undefined, undefined],
    ['darwin', 'brew', 'brew install redis'],
    ['darwin', undefined, 'brew install redis'],
  ])('on %s with %s is %s', async (platform, manager, expected) => {
    expect(await commandToInstall('redis', { platform, run: runWith(manager) })).toBe(expected);
  });
});

describe('a system package', () => {
  /** Simulates macOS with Homebrew, or a system whose apt an ordinary user may not use. */
  const machineWith = (manager) => {
    const announced = [];
    const run = async (command) => ({ code: command === manager ? 0 : 127, stdout: '', stderr: '' });
    const installed = installPackage('redis', {
      run,
      isRoot: false,
      onBegin: (line) => announced.push(line),
    });
    return installed.then((reason) => ({ reason, announced }));
  };

  it('is installed only after its command was printed; nothing is printed if it is not installed', async () => {
    expect(await machineWith('brew')).toEqual({ reason: null, announced: ['brew install --quiet redis'] });
    expect(await machineWith('apt-get')).toEqual({ reason: 'apt-get needs root here', announced: [] });
  });
});
