import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage } from './system-packages.mjs';

/** The programs of the GNOME Keyring and of D-Bus. Other programs access the keyring through D-Bus. */
const programs = ['gnome-keyring-daemon', 'dbus-daemon', 'dbus-send'];

/** @param {{ path?: string }} [machine] */
export function hasKeyring({ path = process.env.PATH ?? '' } = {}) {
  const folders = path.split(delimiter).filter(Boolean);
  return programs.every((program) => folders.some((folder) => existsSync(join(folder, program))));
}

/**
 * Finds or installs a keyring for the tests of secrets in a desktop's keyring. All other tests run without it.
 *
 * @param {(line: string) => void} print
 * @param {{ has?: () => boolean, install?: typeof installPackage }} [machine]
 * @returns {Promise<boolean>} false if it cannot be installed without a prompt
 */
export async function ensureKeyring(print, { has = hasKeyring, install = installPackage } = {}) {
  if (has()) return true;
  print('There is no GNOME Keyring on the PATH: installing one');
  const reason = await install('gnome-keyring');
  if (!has()) print(keyringMissingMessage(reason));
  return has();
}

/** @param {string | null} [reason] why the keyring could not be installed */
export function keyringMissingMessage(reason = null) {
  return `Keyring tests are skipped. Install gnome-keyring and dbus to run them.${reason ? ` (${reason})` : ''}`;
}
