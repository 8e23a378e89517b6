import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKeyring, hasKeyring } from './keyring.mjs';

/** @type {string} */
let folder;
/** @type {string[]} */
let said;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyring-spec-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const has = () => hasKeyring({ path: folder });
const say = (line) => said.push(line);
const programs = (...names) => {
  for (const name of names) writeFileSync(join(folder, name), '');
};

describe('the keyring of a machine', () => {
  it('is installed where a part of it is missing, and only there', async () => {
    programs('gnome-keyring-daemon');
    const install = async (what) => {
      said.push(what);
      programs('dbus-daemon', 'dbus-send');
      return null;
    };
    for (let i = 0; i < 2; i++) expect(await ensureKeyring(say, { has, install })).toBe(true);
    expect(said).toEqual(['No GNOME Keyring on the PATH: installing one', 'gnome-keyring']);
  });

  it('is missing if it cannot be installed, with a line that says what is left out and why', async () => {
    expect(await ensureKeyring(say, { has, install: async () => 'apt-get needs root here' })).toBe(false);
    expect(said.at(-1)).toBe(
      'The tests of a keyring are left out: install gnome-keyring and dbus to run them. (apt-get needs root here)',
    );
  });
});
