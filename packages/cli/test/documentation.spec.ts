/** Checks that each `svc …` call in the shell blocks of the documentation is a command with existing flags. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { environmentOf } from '../src/environment.js';
import { programOf } from '../src/program.js';
import { Terminal } from '../src/terminal/terminal.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const guides = join(ROOT, 'docs/guides');
const FILES = ['README.md', ...readdirSync(guides).map((name) => `docs/guides/${name}`)].filter((file) =>
  file.endsWith('.md'),
);

const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const program = programOf(
  { streams, environment: environmentOf({}, '.'), signal: new AbortController().signal },
  new Terminal(streams, {}),
);

/** Returns the words of each `svc` call in a file, up to the next shell operator. */
function callsIn(file: string): readonly (readonly string[])[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(/^```(?:sh|bash|shell|console)?\n([\s\S]*?)^```/gm)].map(
    ([, block]) => block!,
  );
  return blocks.flatMap((block) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => [...line.matchAll(/(?:^|[$(|;&]\s*|\s)svc\s+([^)|;&>#]*)/g)])
      .map(([, rest]) => [...rest!.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word)),
  );
}

/** Follows the words from command to subcommand while they name one, and returns the last command found. */
function commandOf([word, ...rest]: readonly string[], from: Command = program): Command {
  const subcommand = from.commands.find((command) => command.name() === word);
  return subcommand === undefined ? from : commandOf(rest, subcommand);
}

it.each(FILES.map((file) => [file, callsIn(file)] as const).filter(([, calls]) => calls.length > 0))(
  '%s calls only existing commands and flags',
  (_file, calls) => {
    for (const words of calls) {
      const flags = words
        .filter((word) => word.startsWith('-') && word !== '-')
        .map((word) => word.split('=')[0]!);
      const command = commandOf(words);
      const known = [program, command].flatMap(({ options }) =>
        options.flatMap(({ long, short }) => [long, short]),
      );
      const unknown = flags.filter((flag) => !known.includes(flag) && !['--help', '-h'].includes(flag));
      expect({ words, unknown }).toEqual({ words, unknown: [] });
      if (!words[0]!.startsWith('-'))
        expect({ words, name: command === program ? 'none' : 'some' }).toEqual({ words, name: 'some' });
    }
  },
);
