import { readFileSync } from 'node:fs';
import { runCaptured } from '../support/captured-run.js';

/** docs/guides/cli.md names every command there is, and no other. */
const guide = readFileSync(new URL('../../../../docs/guides/cli.md', import.meta.url), 'utf8');

/** The headings of commands; those of the program are in groups. */
const HEADINGS = /^(?:Commands|This machine|Trading|Account|Developers):\n/;

/** The commands of a help text. */
function commandsIn(help: string): readonly string[] {
  const sections = help.split('\n\n').filter((section) => HEADINGS.test(section));
  return [...sections.join('\n').matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!);
}

/** Every command that does something, by walking the tree of helps. */
async function allCommands(path: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await runCaptured([...path, '--help']);
  const names = commandsIn(stdout).filter((name) => name !== 'help');
  if (names.length === 0) return [path.join(' ')];
  return (await Promise.all(names.map((name) => allCommands([...path, name])))).flat();
}

/** Commands of the tables: a row names a group, or several, and what is in each. */
function commandsOfTables(): readonly string[] {
  return [...guide.matchAll(/^\| (`svc [^|]*) \|([^|\n]*)\|/gm)].flatMap(([, named = '', told = '']) => {
    const groups = [...named.matchAll(/`svc ([a-z -]+?)(?: [[<][^`]*)?`/g)].map(([, group]) => group!);
    const lists = told
      .split(':')[0]!
      .split(';')
      .map((list) => [...list.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!));
    return groups.flatMap((group, at) =>
      (lists[at] ?? []).length > 1 || GROUPS.includes(group)
        ? (lists[at] ?? []).map((name) => `${group} ${name}`)
        : [group],
    );
  });
}
const GROUPS = ['signals'];

/** Commands of the examples. */
const commandsOfExamples = [...guide.matchAll(/\bsvc ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/g)].map(
  ([, words]) => words!,
);

describe('the guide of the command line', () => {
  it('names every command that there is', async () => {
    const named = new Set([...commandsOfTables(), ...commandsOfExamples]);
    const missing = (await allCommands()).filter(
      (command) =>
        !named.has(command) && !commandsOfExamples.some((words) => `${words} `.startsWith(`${command} `)),
    );
    expect(missing).toEqual([]);
  });

  it('names no command that there is not', async () => {
    const known = await allCommands();
    const unknown = commandsOfTables().filter(
      (command) => !known.some((each) => `${each} `.startsWith(`${command} `)),
    );
    expect(unknown).toEqual([]);
  });
});
