import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { run } from './commands.mjs';

/**
 * The package managers, tried in this order. Each step must run without a prompt.
 *
 * @typedef {{ command: string, needsRoot: boolean, installCommand: string, packages: Record<string, string[]>, steps: (names: string[]) => string[][] }} Installer
 * @type {Installer[]}
 */
const installers = [
  {
    command: 'apt-get',
    needsRoot: true,
    installCommand: 'sudo apt-get install',
    packages: {
      redis: ['redis-server'],
      chromium: ['chromium'],
      'gnome-keyring': ['gnome-keyring', 'dbus-x11'],
    },
    steps: (names) => [
      ['apt-get', 'update', '-qq'],
      // Waits if another process is installing packages.
      [
        'apt-get',
        '-o',
        'DPkg::Lock::Timeout=300',
        'install',
        '-y',
        '-qq',
        '--no-install-recommends',
        ...names,
      ],
    ],
  },
  {
    command: 'dnf',
    needsRoot: true,
    installCommand: 'sudo dnf install',
    packages: { redis: ['valkey'], chromium: ['chromium'], 'gnome-keyring': ['gnome-keyring', 'dbus'] },
    steps: (names) => [['dnf', 'install', '-y', '-q', ...names]],
  },
  {
    command: 'apk',
    needsRoot: true,
    installCommand: 'sudo apk add',
    packages: { redis: ['redis'], chromium: ['chromium'], 'gnome-keyring': ['gnome-keyring', 'dbus'] },
    steps: (names) => [['apk', 'add', '--no-cache', ...names]],
  },
  {
    command: 'pacman',
    needsRoot: true,
    installCommand: 'sudo pacman -S',
    packages: { redis: ['valkey'], chromium: ['chromium'], 'gnome-keyring': ['gnome-keyring', 'dbus'] },
    steps: (names) => [['pacman', '-Sy', '--noconfirm', ...names]],
  },
  {
    command: 'brew',
    needsRoot: false,
    installCommand: 'brew install',
    packages: { redis: ['redis'] },
    steps: (names) => [['brew', 'install', '--quiet', ...names]],
  },
];

/** If this script exits with code 101 ("action not allowed"), Debian's package scripts start no daemon. */
const daemonPolicy = '/usr/sbin/policy-rc.d';

/**
 * Installs a program through the system's package manager if no password has to be entered: as root, with a
 * passwordless `sudo`, or through Homebrew.
 *
 * @param {string} what a key of `packages`
 * @param {{
 *   run?: typeof run, isRoot?: boolean, policyFile?: string, onBegin?: (commandLine: string) => void,
 * }} [machine] `onBegin` is called with the install command, before the first step runs
 * @returns {Promise<string | null>} why it was not installed, or null
 */
export async function installPackage(
  what,
  {
    run: execute = run,
    isRoot = process.getuid?.() === 0,
    policyFile = daemonPolicy,
    onBegin = () => undefined,
  } = {},
) {
  const installer = await firstPresent(execute);
  if (installer === null) return 'no package manager was found';
  const prefix = await privilege(installer, execute, isRoot);
  if (prefix === null) return `${installer.command} needs root here`;
  const names = installer.packages[what];
  if (names === undefined) return `${installer.command} has no package for ${what}`;
  onBegin([...prefix, ...(installer.steps(names).at(-1) ?? [])].join(' '));
  return await withoutDaemons(isRoot && installer.command === 'apt-get' ? policyFile : null, async () => {
    for (const [command, ...args] of installer.steps(names)) {
      const [first, ...rest] = [...prefix, String(command), ...args];
      const { code, stderr } = await execute(String(first), rest, { env: quietEnvironment() });
      if (code !== 0) return `${command} ${args.join(' ')} failed: ${stderr.trim().split('\n').at(-1)}`;
    }
    return null;
  });
}

/**
 * Returns the command that a user types to install a package; undefined if this machine has no known package manager.
 *
 * @param {string} what a key of `packages`
 * @param {{ run?: typeof run, platform?: NodeJS.Platform }} [machine]
 * @returns {Promise<string | undefined>}
 */
export async function commandToInstall(what, { run: execute = run, platform = process.platform } = {}) {
  const installer =
    platform === 'darwin'
      ? installers.find(({ command }) => command === 'brew')
      : await firstPresent(execute);
  const names = installer?.packages[what];
  return names && [installer?.installCommand, ...names].join(' ');
}

function quietEnvironment() {
  return {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
    NONINTERACTIVE: '1',
    HOMEBREW_NO_AUTO_UPDATE: '1',
  };
}

/** @param {typeof run} execute */
async function firstPresent(execute) {
  for (const installer of installers) {
    if ((await execute(installer.command, ['--version'])).code !== 127) return installer;
  }
  return null;
}

/**
 * @param {Installer} installer
 * @param {typeof run} execute
 * @param {boolean} isRoot
 * @returns {Promise<string[] | null>} the prefix of the command; null if it would ask for a password
 */
async function privilege(installer, execute, isRoot) {
  if (isRoot || !installer.needsRoot) return [];
  const { code } = await execute('sudo', ['-n', 'true']);
  return code === 0 ? ['sudo', '-n'] : null;
}

/**
 * Does the work with a policy that prevents packages from starting a daemon on its default port. An existing policy of
 * the machine is not changed.
 *
 * @template T
 * @param {string | null} policyFile
 * @param {() => Promise<T>} work
 */
async function withoutDaemons(policyFile, work) {
  if (policyFile === null || existsSync(policyFile)) return await work();
  writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    rmSync(policyFile, { force: true });
  }
}
