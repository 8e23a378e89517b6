import { join } from 'node:path';
import { cruiseImports } from './import-rules.mjs';
import { scanSources } from './source-rules.mjs';

/** The boundary check of `npm test`. Prints one line for each violation. */

const root = join(import.meta.dirname, '..', '..');
const { modules, violations } = await cruiseImports(root);
const lines = [
  ...violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`),
  ...scanSources(root).map(({ rule, file }) => `${rule}: ${file}`),
];
for (const line of lines) console.error(line);
console.log(`${modules.length} modules read, ${lines.length} boundary violations`);
process.exitCode = lines.length === 0 ? 0 : 1;
