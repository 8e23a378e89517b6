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

describe('the index of ADRs', () => {
  /** `docs/adr/README.md` must list every ADR in order, with its title and status. */
  const folder = join(import.meta.dirname, '..', '..', 'docs', 'adr');
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.md$/.test(file))
    .sort();

  /** Returns the index row that the file of an ADR must have. */
  function rowOf(file) {
    const text = readFileSync(join(folder, file), 'utf8');
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
    const [, status] = /^Status: (.+)$/m.exec(text) ?? [];
    return { number, title, file, status };
  }

  /** Returns the rows of the index. */
  function listedRows() {
    const rows = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(
      /^\| (\d+) +\| \[(.+)\]\((\S+\.md)\) +\| (.+?) +\|$/gm,
    );
    return [...rows].map(([, number, title, file, status]) => ({ number, title, file, status }));
  }

  it.each(files)('gets a number, a title and a status from %s', (file) => {
    const { number, title, status } = rowOf(file);
    expect(Number(number)).toBe(Number(file.slice(0, 4)));
    expect(title).not.toBe('');
    expect(status).toMatch(/^(proposed|accepted|rejected|deprecated|superseded by|accepted;|accepted,)/);
  });

  it('lists every ADR with its title and status', () => {
    expect(listedRows()).toEqual(files.map(rowOf));
  });
});
