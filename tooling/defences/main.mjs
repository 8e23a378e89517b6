import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dataPaths } from '../launch/paths.mjs';
import { setUp } from '../launch/setup.mjs';
import { endOnSignals } from '../planted-faults/signals.mjs';

/**
 * `npm run defences -- [words ...] [--sample] [--again] [--tested] [--at-once n] [--minutes n] [--as-built]`: removes one defence at a
 * time from a copy of the workspace; a test must fail. Words select defences by area or name; `--sample` selects those that
 * unit tests hold and that every run of `npm test` removes. An interrupted run continues where it stopped, unless the source
 * has changed; `--again` removes the selected defences anew. `--tested` skips the specs
 * on the unmodified source, for a commit whose tests have passed. The exit code is 0 if each defence is held, but for the survivors that are listed.
 *
 * Before the set-up has run, this file must not import installed packages.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    tested: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: String(Math.min(2, availableParallelism())) },
    minutes: { type: 'string', default: '60' },
    'as-built': { type: 'boolean', default: false },
  },
});

endOnSignals();
if (!values['as-built']) await setUp((line) => console.log(line));
const { DEFENCES } = await import('./defences.mjs');
const { SURVIVORS } = await import('./survivors.mjs');
const { groupsOf, selectDefences } = await import('./groups.mjs');
const { openProgress, readFingerprint } = await import('./progress.mjs');
const { removeAll } = await import('./remove.mjs');
const { tableOf, verdictOf } = await import('./report.mjs');
const { withCopies } = await import('../planted-faults/copies.mjs');

const startedAt = performance.now();
const defences = selectDefences(DEFENCES, { words: positionals, isSample: values.sample });
const progress = openProgress({
  // The sample is short, and runs together with other commands that may use the file.
  file: values.sample ? null : join(dataPaths().dataDir, 'defences.json'),
  fingerprint: values.sample ? null : await readFingerprint(),
});
if (values.again) progress.forget(defences);
const groups = groupsOf(defences.filter((defence) => progress.resultOf(defence) === undefined));
if (groups.length > 0) {
  const count = Math.min(Number(values['at-once']), groups.length);
  const withServers = defences.some(({ tests }) => tests.some((test) => !isUnitTest(test)));
  await withCopies({ count, withServers }, (copies) =>
    removeAll(copies, groups, {
      progress,
      // `npm test` runs the same specs on the unmodified source.
      isCheckedBefore: values.sample || values.tested,
      endsAtMs: startedAt + Number(values.minutes) * 60_000,
      print: (line) => console.log(line),
    }),
  );
}
const results = defences.map((defence) => ({ defence, result: progress.resultOf(defence) }));
console.log(`\n${tableOf(results)}`);
const { isPassed, lines } = verdictOf(results, SURVIVORS);
console.log(`\n${lines.join('\n')}`);
console.log(`${Math.round((performance.now() - startedAt) / 1_000)} s in this run`);
process.exitCode = isPassed ? 0 : 1;

/** @param {string} path */
function isUnitTest(path) {
  return !/\.(?:int|e2e)\.spec\./.test(path);
}
