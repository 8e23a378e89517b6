import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Formats files and sorts their imports. @param {string} workspace @param {readonly string[]} paths */
export function format(workspace, paths) {
  run(workspace, process.execPath, [
    join('node_modules', '@biomejs', 'biome', 'bin', 'biome'),
    'check',
    '--write',
    ...paths,
  ]);
}

/** Rewrites the files that are generated from the contracts (`npm run generate`). @param {string} workspace */
export function generate(workspace) {
  run(workspace, 'npm', ['run', '--silent', 'generate']);
}

/** @param {string} workspace @param {string} command @param {readonly string[]} args */
function run(workspace, command, args) {
  if (!existsSync(join(workspace, 'node_modules')))
    throw new Error('The dependencies are not installed. Run npm start or npm test once.');
  execFileSync(command, args, { cwd: workspace, stdio: ['ignore', 'ignore', 'inherit'] });
}
