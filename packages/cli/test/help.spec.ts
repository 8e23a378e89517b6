import type { Command } from 'commander';
import { OPERATION_COMMANDS } from '../src/commands/operation-commands.js';
import { environmentOf } from '../src/environment.js';
import { programOf } from '../src/program.js';
import { Terminal } from '../src/terminal/terminal.js';
import { runCaptured } from './support/captured-run.js';
import { expectGolden } from './support/golden.js';

const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const program = programOf(
  { streams, environment: environmentOf({}, '.'), signal: new AbortController().signal },
  new Terminal(streams, {}),
);

/** Returns every command of the tree, including groups. */
function commandsIn(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    return [[words.join(' '), each] as const, ...commandsIn(each, words)];
  });
}

const ALL = commandsIn(program);
const OPERATION_PATHS = new Set(OPERATION_COMMANDS.map(({ command }) => command));

it.each(ALL.filter(([path]) => !OPERATION_PATHS.has(path)).map(([path]) => [path]))(
  'shows the help of the golden file: %s',
  async (path) => {
    const { exitCode, stdout } = await runCaptured([...path.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expectGolden(`help-${path.replaceAll(' ', '-')}`, stdout);
  },
);

it('has an example in the help of every command that is not a group', async () => {
  const withoutExample: string[] = [];
  for (const [path, command] of ALL) {
    if (command.commands.length > 0) continue;
    const { stdout } = await runCaptured([...path.split(' '), '--help']);
    if (!/Examples?:\n {2}\$ /.test(stdout)) withoutExample.push(path);
  }
  expect(withoutExample).toEqual([]);
});

it('describes every command', () => {
  const withoutDescription = ALL.filter(([, command]) => command.description() === '').map(([path]) => path);
  expect(withoutDescription).toEqual([]);
});

it('accepts no secret as the value of a flag, because other processes can see flags', () => {
  const flags = ALL.flatMap(([path, command]) =>
    command.options
      .filter(({ required, optional }) => required || optional)
      .map(({ long }) => `${path} ${long}`),
  );
  expect(flags.length).toBeGreaterThan(100);
  expect(
    flags.filter((flag) => /[.-](?:key|api-key|secret|api-secret|passphrase|password|token)$/.test(flag)),
  ).toEqual([]);
});

it('does not repeat a global flag in a command', () => {
  const globalFlags = new Set(program.options.map(({ long }) => long));
  const repeated = ALL.flatMap(([path, command]) =>
    command.options.filter(({ long }) => globalFlags.has(long)).map(({ long }) => `${path} ${long}`),
  );
  expect(repeated).toEqual([]);
});
