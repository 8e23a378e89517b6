import './remember-safe-regexes.mjs';
import { cruiseImports, importRuleNames } from './import-rules.mjs';
import { scanSources } from './source-rules.mjs';

/**
 * Prints the violations of import rules and source rules in each given folder as JSON, for the tests of the rules. A
 * folder may be followed by `:` and the subfolders in which the check of imports starts:
 * `/repository:packages/runtime,packages/persistence`.
 */

const packageOf = (/** @type {string} */ path) => path.split('/').slice(0, 2).join('/');
const reports = [];
for (const tree of process.argv.slice(2)) {
  const [root = '', folders] = tree.split(':');
  const { modules, violations } = await cruiseImports(root, folders?.split(','));
  const pairs = modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }) => `${packageOf(source)} ${packageOf(resolved)}`),
  );
  reports.push({
    rules: importRuleNames,
    broken: [...violations, ...scanSources(root)].map(({ rule }) => rule),
    edges: [...new Set(pairs)].map((pair) => pair.split(' ')),
  });
}
process.stdout.write(JSON.stringify(reports));
