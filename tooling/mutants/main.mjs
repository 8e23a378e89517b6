import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataPaths, root } from '../launch/paths.mjs';
import { setUp } from '../launch/setup.mjs';

/**
 * `npm run mutants -- [area ...] [--file word] [--again] [--sample] [--unlisted] [--as-built]`: replaces each expression
 * of the rules files, one at a time, and runs their unit specs. The exit code is 0 if every surviving mutant is listed in
 * survivors.json with a reason, every listed one still survives, and no area loses more than 5 % of its mutants.
 *
 * An area whose sources have not changed since its last run is judged from the stored result, so that an interrupted run
 * continues where it ended. `--file` runs only the files whose paths contain the word. `--unlisted` writes the survivors
 * that are not listed to `.data/mutants/unlisted.json`, in the form of survivors.json.
 *
 * Before the set-up has run, this file must not import installed packages.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    again: { type: 'boolean', default: false },
    sample: { type: 'boolean', default: false },
    unlisted: { type: 'boolean', default: false },
    'as-built': { type: 'boolean', default: false },
  },
});

if (!values['as-built']) await setUp((line) => console.log(line));
const { areasNamed, forgottenFiles, SAMPLE, sourceFiles } = await import('./areas.mjs');
const { asAccepted, judge, percent, problemsOf } = await import('./judge.mjs');
const { runArea } = await import('./run-area.mjs');
const { fingerprintOf, readResult, storeResult } = await import('./results.mjs');

const folder = join(dataPaths().dataDir, 'mutants');
/** @type {readonly import('./judge.mjs').Accepted[]} */
const accepted = JSON.parse(readFileSync(new URL('./survivors.json', import.meta.url), 'utf8'));
const word = values.sample ? SAMPLE.file : values.file;
const areas = areasNamed(values.sample ? [SAMPLE.area] : positionals)
  .map((area) => ({ ...area, files: area.files.filter((file) => word === undefined || file.includes(word)) }))
  .filter(({ files }) => files.length > 0);
if (areas.length === 0) throw new Error(`No file of an area contains ${word}.`);

let problemCount = 0;
report([...forgotten(), ...strayEntries()]);
const rows = [['area', 'mutants', 'killed', 'survived', 'share', 'seconds']];
/** @type {import('./judge.mjs').Accepted[]} */
const unlisted = [];
for (const area of areas) {
  try {
    await check(area);
  } catch (error) {
    rows.push([area.name, 'failed']);
    report([`FAILED ${area.name}: ${error instanceof Error ? error.stack : error}`]);
  }
}
if (values.unlisted) writeFileSync(join(folder, 'unlisted.json'), `${JSON.stringify(unlisted, null, 2)}\n`);
console.log(`\n${tableOf(rows)}`);
if (problemCount > 0) console.error(`\n${problemCount} problems`);
process.exitCode = problemCount === 0 ? 0 : 1;

/** @param {import('./areas.mjs').Area} area */
async function check(area) {
  const { mutants, seconds } = await resultOf(area);
  const judgement = judge(
    mutants,
    accepted.filter(({ file }) => area.files.includes(file)),
  );
  unlisted.push(...asAccepted(judgement.unlisted));
  const { killed, survived } = judgement;
  const count = killed + survived;
  rows.push([
    area.name,
    ...[count, killed, survived].map(String),
    percent(survived / count),
    String(seconds),
  ]);
  console.log(rows.at(-1)?.join('  '));
  report(problemsOf(judgement));
}

/** Prints problems at once, so that they are known even if a later area ends the process. */
function report(/** @type {readonly string[]} */ problems) {
  for (const problem of problems) console.error(problem);
  problemCount += problems.length;
}

function forgotten() {
  return forgottenFiles(sourceFiles()).map(
    (file) => `FORGOTTEN ${file}: add it to an area of tooling/mutants/areas.mjs, with its unit spec.`,
  );
}

/** Entries of survivors.json whose file no area mutates. */
function strayEntries() {
  const mutated = areasNamed([]).flatMap(({ files }) => files);
  return accepted
    .filter(({ file }) => !mutated.includes(file))
    .map(({ file }) => `LISTED BUT NOT MUTATED ${file}: remove it from survivors.json.`);
}

/** @param {import('./areas.mjs').Area} area */
async function resultOf(area) {
  const missing = [...area.files, ...area.specs].filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`${area.name}: no such file: ${missing.join(', ')}.`);
  const fingerprint = fingerprintOf(area);
  const isWhole = word === undefined;
  const stored = isWhole && !values.again ? readResult(folder, area.name, fingerprint) : undefined;
  if (stored !== undefined) return stored;
  const startedAt = performance.now();
  const mutants = await runArea(area);
  const result = { fingerprint, mutants, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  if (isWhole) storeResult(folder, area.name, result);
  return result;
}

/** @param {string[][]} lines */
function tableOf(lines) {
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
