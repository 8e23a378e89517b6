import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './commands.mjs';
import { installPackage } from './system-packages.mjs';

const programs = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The paths of browsers on macOS. */
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * @param {{ path?: string, run?: typeof run }} [machine]
 * @returns {Promise<string | null>} the path of a Chromium on this machine, or null
 */
export async function findBrowser({ path = process.env.PATH ?? '', run: execute = run } = {}) {
  const folders = path.split(delimiter).filter(Boolean);
  const candidates = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  for (const candidate of [...candidates, ...applications]) {
    try {
      accessSync(candidate, constants.X_OK);
    } catch {
      continue;
    }
    // The file may be a script that only prints how to install the browser.
    const { code, stdout } = await execute(candidate, ['--version']);
    if (code === 0 && /Chrom/.test(stdout)) return candidate;
  }
  return null;
}

/**
 * Finds or installs a browser for the browser tests. All other tests run without it.
 *
 * @param {(line: string) => void} print
 * @param {{ find?: () => Promise<string | null>, install?: typeof installPackage }} [machine]
 * @returns {Promise<string | null>} the path of a browser; null if it cannot be installed without a prompt
 */
export async function ensureBrowser(print, { find = findBrowser, install = installPackage } = {}) {
  const found = await find();
  if (found !== null) return found;
  print('There is no Chromium on the PATH: installing one');
  const reason = await install('chromium');
  const installed = await find();
  if (installed === null) print(browserMissingMessage(reason));
  return installed;
}

/** @param {string | null} [reason] why the browser could not be installed */
export function browserMissingMessage(reason = null) {
  return `Browser tests are skipped. Install chromium to run them.${reason ? ` (${reason})` : ''}`;
}
