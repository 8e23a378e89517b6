import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage } from './system-packages.mjs';

/** A keyring of Linux desktops, and the bus that it is spoken to through. */
const programs = ['gnome-keyring-daemon', 'dbus-daemon', 'dbus-send'];

/** @param {{ path?: string }} [machine] */
export function hasKeyring({ path = process.env.PATH ?? '' } = {}) {
  const folders = path.split(delimiter).filter(Boolean);
  return programs.every((program) => folders.some((folder) => existsSync(join(folder, program))));
}

/**
 * The tests of secrets that a desktop's keyring keeps need one; all others run without it.
 *
 * @param {(line: string) => void} say
 * @param {{ has?: () => boolean, install?: typeof installPackage }} [machine]
 * @returns {Promise<boolean>} false where none can be had without a question
 */
export async function ensureKeyring(say, { has = hasKeyring, install = installPackage } = {}) {
  if (has()) return true;
  say('No GNOME Keyring on the PATH: installing one');
  const refusal = await install('gnome-keyring');
  if (!has()) say(withoutKeyring(refusal));
  return has();
}

/** @param {string | null} [reason] */
export function withoutKeyring(reason = null) {
  return `The tests of a keyring are left out: install gnome-keyring and dbus to run them.${reason ? ` (${reason})` : ''}`;
}
