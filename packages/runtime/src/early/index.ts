/**
 * Reports crashes from the moment at which this module is imported. The entry point of a process imports it first, because
 * errors of the other imports would otherwise be printed by Node.js.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reportCrashes } from '../crash-reports.js';
import { createLogger } from '../logger.js';

/** Returns the name of the app whose `dist/main.js` runs. */
function nameOfApp(): string {
  try {
    const folder = dirname(dirname(realpathSync(process.argv[1] ?? '')));
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return String(name).replace(/^.*\//, '');
  } catch {
    return 'unknown';
  }
}

reportCrashes(createLogger(nameOfApp()));
