import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKeyring, hasKeyring } from './keyring.mjs';

/** @type {string} */
let folder;
/** @type {string[]} */
let lines;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyring-spec-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const has = () => hasKeyring({ path: folder });
const print = (line) => lines.push(line);
const programs = (...names) => {
  for (const name of names) writeFileSync(join(folder, name), '');
};

describe('the keyring of a machine', () => {
  it('is installed only if one of its programs is missing', async () => {
    programs('gnome-keyring-daemon');
    const install = async (what) => {
      lines.push(what);
      programs('dbus-daemon', 'dbus-send');
      return null;
    };
    for (let i = 0; i < 2; i++) expect(await ensureKeyring(print, { has, install })).toBe(true);
    expect(lines).toEqual(['There is no GNOME Keyring on the PATH: installing one', 'gnome-keyring']);
  });

  it('is missing if it cannot be installed; a line then names the skipped tests and the reason', async () => {
    expect(await ensureKeyring(print, { has, install: async () => 'apt-get needs root here' })).toBe(false);
    expect(lines.at(-1)).toBe(
      'Keyring tests are skipped. Install gnome-keyring and dbus to run them. (apt-get needs root here)',
    );
  });
});
