import { cruiseImports, importRuleNames } from './import-rules.mjs';
import { scanSources } from './source-rules.mjs';

/** Prints the violations of import rules and source rules in each given folder as JSON, for the tests of the rules. */

const packageOf = (/** @type {string} */ path) => path.split('/').slice(0, 2).join('/');
const reports = [];
for (const root of process.argv.slice(2)) {
  const { modules, violations } = await cruiseImports(root);
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
