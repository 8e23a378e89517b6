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

/** Writes an executable script called `name` into the folder. */
function program(name, script, mode = 0o755) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

describe('the browser of a machine', () => {
  it('is the first program on the PATH whose --version names Chrome or Chromium', async () => {
    program('chromium', 'echo "install the snap" >&2; exit 1');
    program('chromium-browser', 'echo "Chromium 1.0"', 0o644);
    const chrome = program('google-chrome', 'echo "Google Chrome 1.0"');
    expect(await findBrowser({ path: folder })).toBe(chrome);
  });

  it('is installed only if it is missing', async () => {
    const installed = [];
    const install = async (what) => {
      installed.push(what);
      program('chromium', 'echo "Chromium 1.0"');
      return null;
    };
    const find = () => findBrowser({ path: folder });
    const lines = [];
    for (let i = 0; i < 2; i++) {
      expect(await ensureBrowser((line) => lines.push(line), { find, install })).toBe(
        join(folder, 'chromium'),
      );
    }
    expect(installed).toEqual(['chromium']);
    expect(lines).toEqual(['There is no Chromium on the PATH: installing one']);
  });

  it('is null if it cannot be installed; a line then names the skipped tests and the reason', async () => {
    const lines = [];
    const browser = await ensureBrowser((line) => lines.push(line), {
      find: async () => null,
      install: async () => 'apt-get needs root here',
    });
    expect(browser).toBeNull();
    expect(lines.at(-1)).toBe(
      'Browser tests are skipped. Install chromium to run them. (apt-get needs root here)',
    );
  });
});
