import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every app, package and tooling folder must have a README with its purpose, entry point, and commands to run and test it. */
const root = join(import.meta.dirname, '..', '..');
const headings = ['## What it is', '## Entry point', '## Run and test'];
const linesMin = 15;

const folders = ['apps', 'packages', 'tooling'].flatMap((group) =>
  readdirSync(join(root, group), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${group}/${name}`),
);

/** Returns the faults of a README; empty if it has none. */
function faultsOf(text) {
  const positions = headings.map((heading) => text.indexOf(`\n${heading}\n`));
  const section = text.split('\n## Run and test\n')[1] ?? '';
  return [
    ...headings.filter((_, index) => positions[index] === -1).map((heading) => `no heading "${heading}"`),
    ...(positions.toSorted((a, b) => a - b).join() === positions.join() ? [] : ['headings out of order']),
    ...(/^```sh$/m.test(section) ? [] : ['no command under "## Run and test"']),
    ...(text.split('\n').length < linesMin ? [`fewer than ${linesMin} lines`] : []),
  ];
}

describe('README files', () => {
  it('have a fault if a heading or a command is missing, or if they are too short', () => {
    expect(faultsOf('# A\n\n## What it is\n')).toEqual([
      'no heading "## Entry point"',
      'no heading "## Run and test"',
      'headings out of order',
      'no command under "## Run and test"',
      'fewer than 15 lines',
    ]);
  });

  it.each(folders)('include a complete one in %s', (folder) => {
    const file = join(root, folder, 'README.md');
    expect(existsSync(file)).toBe(true);
    expect(faultsOf(readFileSync(file, 'utf8'))).toEqual([]);
  });
});
