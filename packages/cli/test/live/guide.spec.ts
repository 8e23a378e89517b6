import { readFileSync } from 'node:fs';
import { runCaptured } from '../support/captured-run.js';

/** Checks that docs/guides/cli.md names every command, and only existing ones. */
const guide = readFileSync(new URL('../../../../docs/guides/cli.md', import.meta.url), 'utf8');

/** Matches the headings above lists of commands: several in the help of `svc`, one in the help of a group. */
const HEADINGS = /^(?:Commands|This machine|Trading|Account|Developers):\n/;

/** Returns the names of the commands in a help text. */
function commandsIn(help: string): readonly string[] {
  const sections = help.split('\n\n').filter((section) => HEADINGS.test(section));
  return [...sections.join('\n').matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!);
}

/** Returns every command that is not a group, found through the help of each group. */
async function allCommands(path: readonly string[] = []): Promise<readonly string[]> {
  const { stdout } = await runCaptured([...path, '--help']);
  const names = commandsIn(stdout).filter((name) => name !== 'help');
  if (names.length === 0) return [path.join(' ')];
  return (await Promise.all(names.map((name) => allCommands([...path, name])))).flat();
}

/** Returns the commands in the guide's tables. A row names groups and, separated by semicolons, their commands. */
function commandsOfTables(): readonly string[] {
  return [...guide.matchAll(/^\| (`svc [^|]*) \|([^|\n]*)\|/gm)].flatMap(
    ([, groupCell = '', commandCell = '']) => {
      const groups = [...groupCell.matchAll(/`svc ([a-z -]+?)(?: [[<][^`]*)?`/g)].map(([, group]) => group!);
      const lists = commandCell
        .split(':')[0]!
        .split(';')
        .map((list) => [...list.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!));
      return groups.flatMap((group, at) =>
        (lists[at] ?? []).length > 1 || GROUPS_OF_ONE_COMMAND.includes(group)
          ? (lists[at] ?? []).map((name) => `${group} ${name}`)
          : [group],
      );
    },
  );
}
const GROUPS_OF_ONE_COMMAND = ['signals', 'request-log', 'positions'];

/** The commands in the guide's examples. */
const commandsOfExamples = [...guide.matchAll(/\bsvc ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/g)].map(
  ([, words]) => words!,
);

describe('the CLI guide', () => {
  it('names every command', async () => {
    const named = new Set([...commandsOfTables(), ...commandsOfExamples]);
    const missing = (await allCommands()).filter(
      (command) =>
        !named.has(command) && !commandsOfExamples.some((words) => `${words} `.startsWith(`${command} `)),
    );
    expect(missing).toEqual([]);
  });

  it('names only existing commands', async () => {
    const known = await allCommands();
    const unknown = commandsOfTables().filter(
      (command) => !known.some((each) => `${each} `.startsWith(`${command} `)),
    );
    expect(unknown).toEqual([]);
  });
});
