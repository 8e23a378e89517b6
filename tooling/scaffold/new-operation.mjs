/** `npm run new:operation -- trades fills`: writes the skeleton of an operation, with a failing test. */
import { parseArgs } from 'node:util';
import { root } from '../launch/paths.mjs';
import { addOperation } from './add-operation.mjs';
import { format, generate } from './generated-parts.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'no-generate': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [feature, name] = positionals;
const usage = 'Usage: npm run new:operation -- <feature> <operation> [--no-generate]';
if (values.help) {
  console.log(usage);
} else if (name === undefined) {
  console.error(usage);
  process.exitCode = 1;
} else {
  const paths = addOperation(root, feature, name);
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
    `Next: describe the operation in ${paths.find((path) => path.endsWith('.spec.ts'))}, and implement it until that test passes.`,
  );
}
