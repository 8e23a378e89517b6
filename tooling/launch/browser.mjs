import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './commands.mjs';
import { installPackage } from './system-packages.mjs';

const programs = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Where macOS keeps them. */
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * @param {{ path?: string, run?: typeof run }} [machine]
 * @returns {Promise<string | null>} a Chromium of this machine, or null
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
    // What is there may be a note that says how to install it.
    const { code, stdout } = await execute(candidate, ['--version']);
    if (code === 0 && /Chrom/.test(stdout)) return candidate;
  }
  return null;
}

/**
 * The tests of pages need a browser; all others run without one.
 *
 * @param {(line: string) => void} say
 * @param {{ find?: () => Promise<string | null>, install?: typeof installPackage }} [machine]
 * @returns {Promise<string | null>} a browser of this machine; null where none can be had without a question
 */
export async function ensureBrowser(say, { find = findBrowser, install = installPackage } = {}) {
  const found = await find();
  if (found !== null) return found;
  say('No Chromium on the PATH: installing one');
  const refusal = await install('chromium');
  const installed = await find();
  if (installed === null) say(withoutBrowser(refusal));
  return installed;
}

/** @param {string | null} [reason] */
export function withoutBrowser(reason = null) {
  return `The tests of a browser are left out: install chromium to run them.${reason ? ` (${reason})` : ''}`;
}
