/** `npm run new:feature -- price-alerts`: writes the skeleton of a feature, with a failing test. */
import { parseArgs } from 'node:util';
import { root } from '../launch/paths.mjs';
import { addFeature } from './add-feature.mjs';
import { format, generate } from './generated-parts.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'no-generate': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [name] = positionals;
const usage = 'Usage: npm run new:feature -- <name> [--no-generate]';
if (values.help) {
  console.log(usage);
} else if (name === undefined) {
  console.error(usage);
  process.exitCode = 1;
} else {
  const paths = addFeature(root, name);
  format(
    root,
    paths.filter((path) => !path.endsWith('.md')),
  );
  for (const path of paths) console.log(path);
  if (!values['no-generate']) {
    console.log('Generating the files that are derived from the contract');
    generate(root);
  }
  console.log(
    `Next: describe the feature in ${paths.find((path) => path.endsWith('.spec.ts'))}, and implement it until that test passes.`,
  );
}
