import { join } from 'node:path';
import { findBannedWords } from './banned-words.mjs';

/** The language check of `npm test`. Prints one line for each banned word. Arguments limit it to files or folders. */

const root = join(import.meta.dirname, '..', '..');
const wanted = process.argv.slice(2);
const found = findBannedWords(root).filter(
  ({ file }) => wanted.length === 0 || wanted.some((path) => file === path || file.startsWith(`${path}/`)),
);
for (const { file, line, word, instead } of found) {
  console.error(`${file}:${line}: "${word}" is banned in prose. Write: ${instead}.`);
}
console.log(`${found.length} banned words`);
process.exitCode = found.length === 0 ? 0 : 1;
