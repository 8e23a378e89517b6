import { ensureRedis } from './redis.mjs';
import { commandToInstall, installPackage } from './system-packages.mjs';

const unpacked = {
  command: '/clone/.data/redis-program/usr/bin/redis-server',
  env: { LD_LIBRARY_PATH: '/x' },
};

/**
 * A machine without Redis.
 *
 * @param {{ isRoot?: boolean, unpacks?: boolean, installs?: boolean, byHand?: string, onPath?: boolean }} options
 */
function machine({ isRoot = false, unpacks = false, installs = false, byHand, onPath = false } = {}) {
  const steps = [];
  let isOnPath = onPath;
  const ensure = () =>
    ensureRedis((line) => steps.push(line), {
      isRoot,
      find: () => (isOnPath ? '/usr/bin/redis-server' : null),
      byHand: async () => byHand,
      unpack: async () => {
        steps.push('unpack');
        return unpacks ? { program: unpacked } : { refusal: 'no archive answers' };
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
const byHand = 'sudo apt-get install redis-server';

describe('the Redis of a machine', () => {
  it('is the one on the PATH, with no environment of its own', async () => {
    const { steps, ensure } = machine({ onPath: true, unpacks: true, installs: true });
    expect(await ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(steps).toEqual([]);
  });

  it('is unpacked for an ordinary user, who installs nothing', async () => {
    const { steps, ensure } = machine({ unpacks: true, installs: true, byHand });
    expect(await ensure()).toEqual(unpacked);
    expect(steps).toEqual(['unpack']);
  });

  it('is installed for an ordinary user if it cannot be unpacked', async () => {
    const { steps, ensure } = machine({ installs: true, byHand });
    expect(await ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(steps).toEqual(['unpack', installing, 'install redis']);
  });

  it('is installed for root, and unpacked only if that fails', async () => {
    const installed = machine({ isRoot: true, unpacks: true, installs: true, byHand });
    expect(await installed.ensure()).toEqual({ command: '/usr/bin/redis-server' });
    expect(installed.steps).toEqual([installing, 'install redis']);
    const refused = machine({ isRoot: true, unpacks: true, byHand });
    expect(await refused.ensure()).toEqual(unpacked);
    expect(refused.steps).toEqual(['install redis', 'unpack']);
  });

  it('is missing with one line that holds the command and every reason', async () => {
    await expect(machine({ byHand }).ensure()).rejects.toThrow(
      /^Redis is missing\. Run "sudo apt-get install redis-server", or set REDIS_URL to a server of your own\. \(no archive answers; apt-get needs root here\)$/,
    );
    await expect(machine().ensure()).rejects.toThrow(
      /^Redis is missing\. Install redis-server or valkey-server, or set REDIS_URL to a server of your own\. /,
    );
  });
});

describe('the command that installs Redis by hand', () => {
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

describe('a package', () => {
  /** A macOS with Homebrew, or an apt that an ordinary user may not use. */
  const machineWith = (manager) => {
    const begun = [];
    const run = async (command) => ({ code: command === manager ? 0 : 127, stdout: '', stderr: '' });
    const installed = installPackage('redis', { run, isRoot: false, onBegin: (line) => begun.push(line) });
    return installed.then((refusal) => ({ refusal, begun }));
  };

  it('is announced with its command if it is installed, and only then', async () => {
    expect(await machineWith('brew')).toEqual({ refusal: null, begun: ['brew install --quiet redis'] });
    expect(await machineWith('apt-get')).toEqual({ refusal: 'apt-get needs root here', begun: [] });
  });
});
