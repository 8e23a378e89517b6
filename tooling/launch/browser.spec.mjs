import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser, findBrowser } from './browser.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'browser-spec-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program called `name` in the folder. */
function program(name, script, mode = 0o755) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

describe('the browser of a machine', () => {
  it('is the first on the PATH that says it is one', async () => {
    program('chromium', 'echo "install the snap" >&2; exit 1');
    program('chromium-browser', 'echo "Chromium 1.0"', 0o644);
    const chrome = program('google-chrome', 'echo "Google Chrome 1.0"');
    expect(await findBrowser({ path: folder })).toBe(chrome);
  });

  it('is installed if it is missing, and only then', async () => {
    const asked = [];
    const install = async (what) => {
      asked.push(what);
      program('chromium', 'echo "Chromium 1.0"');
      return null;
    };
    const find = () => findBrowser({ path: folder });
    const said = [];
    for (let i = 0; i < 2; i++) {
      expect(await ensureBrowser((line) => said.push(line), { find, install })).toBe(
        join(folder, 'chromium'),
      );
    }
    expect(asked).toEqual(['chromium']);
    expect(said).toEqual(['No Chromium on the PATH: installing one']);
  });

  it('is missing if it cannot be installed, with a line that says what is left out and why', async () => {
    const said = [];
    const browser = await ensureBrowser((line) => said.push(line), {
      find: async () => null,
      install: async () => 'apt-get needs root here',
    });
    expect(browser).toBeNull();
    expect(said.at(-1)).toBe(
      'The tests of a browser are left out: install chromium to run them. (apt-get needs root here)',
    );
  });
});
