/**
 * Embeds the programs of `examples/` in the guides, each below its marker `<!-- example: <file> -->`. With `--check`, only
 * reports whether the guides are up to date.
 *
 *   node scripts/embed-examples.mjs [--check]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const EXAMPLES = new URL('../examples/', import.meta.url);
const GUIDES = ['verify-a-webhook.md', 'sign-a-request.md'].map(
  (name) => new URL(`../../../docs/guides/${name}`, import.meta.url),
);
const LANGUAGES = { '.mjs': 'js', '.py': 'python', '.go': 'go', '.java': 'java', '.php': 'php' };
/** A marker and the code block below it. */
const EMBEDDED = /(<!-- example: (\S+) -->\n\n)(?:```\w+\n[\s\S]*?\n```\n)?/g;

const isCheck = process.argv.includes('--check');
const shown = new Set();
let isCurrent = true;

for (const guide of GUIDES) {
  const page = readFileSync(guide, 'utf8');
  const current = page.replace(EMBEDDED, (_, mark, file) => {
    shown.add(file);
    return `${mark}\`\`\`${LANGUAGES[extname(file)]}\n${readFileSync(new URL(file, EXAMPLES), 'utf8')}\`\`\`\n`;
  });
  if (page === current) continue;
  if (isCheck) fail(`${guide.pathname.split('/').at(-1)} is outdated; run scripts/embed-examples.mjs`);
  else writeFileSync(guide, current);
}
for (const file of readdirSync(EXAMPLES, { recursive: true })) {
  if (extname(file) in LANGUAGES && !shown.has(file)) fail(`${file} is not in any guide`);
}
if (isCurrent) console.log(`${shown.size} programs are up to date in the guides`);

function fail(message) {
  console.error(message);
  isCurrent = false;
  process.exitCode = 1;
}
