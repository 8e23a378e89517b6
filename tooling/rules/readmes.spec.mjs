import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every app, package and tooling folder says what it is, where it begins, and how to run and test it alone. */
const root = join(import.meta.dirname, '..', '..');
const headings = ['## What it is', '## Entry point', '## Run and test'];
const linesMin = 15;

const folders = ['apps', 'packages', 'tooling'].flatMap((group) =>
  readdirSync(join(root, group), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${group}/${name}`),
);

/** What is missing from a README; empty if nothing is. */
function faultsOf(text) {
  const places = headings.map((heading) => text.indexOf(`\n${heading}\n`));
  const section = text.split('\n## Run and test\n')[1] ?? '';
  return [
    ...headings.filter((_, index) => places[index] === -1).map((heading) => `no heading "${heading}"`),
    ...(places.toSorted((a, b) => a - b).join() === places.join() ? [] : ['headings out of order']),
    ...(/^```sh$/m.test(section) ? [] : ['no command under "## Run and test"']),
    ...(text.split('\n').length < linesMin ? [`fewer than ${linesMin} lines`] : []),
  ];
}

describe('README files', () => {
  it('a missing heading, a missing command and a stub are faults', () => {
    expect(faultsOf('# A\n\n## What it is\n')).toEqual([
      'no heading "## Entry point"',
      'no heading "## Run and test"',
      'headings out of order',
      'no command under "## Run and test"',
      'fewer than 15 lines',
    ]);
  });

  it.each(folders)('%s has one', (folder) => {
    const file = join(root, folder, 'README.md');
    expect(existsSync(file)).toBe(true);
    expect(faultsOf(readFileSync(file, 'utf8'))).toEqual([]);
  });
});
