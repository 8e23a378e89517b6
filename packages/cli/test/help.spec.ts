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

/** Every command of the tree, groups among them. */
function commandsIn(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    return [[words.join(' '), each] as const, ...commandsIn(each, words)];
  });
}

const ALL = commandsIn(program);
const PLAIN = new Set(OPERATION_COMMANDS.map(({ command }) => command));

it.each(ALL.filter(([path]) => !PLAIN.has(path)).map(([path]) => [path]))(
  'shows the same help as before: %s',
  async (path) => {
    const { exitCode, stdout } = await runCaptured([...path.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expectGolden(`help-${path.replaceAll(' ', '-')}`, stdout);
  },
);

it('has an example in the help of every command that does something', async () => {
  const without: string[] = [];
  for (const [path, command] of ALL) {
    if (command.commands.length > 0) continue;
    const { stdout } = await runCaptured([...path.split(' '), '--help']);
    if (!/Examples?:\n {2}\$ /.test(stdout)) without.push(path);
  }
  expect(without).toEqual([]);
});

it('says what every command and every flag is for', () => {
  const silent = ALL.filter(([, command]) => command.description() === '').map(([path]) => path);
  expect(silent).toEqual([]);
});

it('takes no secret as the value of a flag: others see them', () => {
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

it('takes no flag of a command that the program takes already', () => {
  const own = new Set(program.options.map(({ long }) => long));
  const twice = ALL.flatMap(([path, command]) =>
    command.options.filter(({ long }) => own.has(long)).map(({ long }) => `${path} ${long}`),
  );
  expect(twice).toEqual([]);
});
