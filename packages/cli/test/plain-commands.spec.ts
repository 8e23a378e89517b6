import { OPERATIONS } from '@trading-automation/contracts';
import type { OperationCommand } from '../src/commands/operation-command.js';
import { CUSTOM_COMMAND_OF, OPERATION_COMMANDS } from '../src/commands/operation-commands.js';
import { runCaptured } from './support/captured-run.js';
import { expectGolden } from './support/golden.js';
import { StubApi } from './support/stub-api.js';

const CREDENTIALS = '{"api_key":"key at the exchange","api_secret":"secret at the exchange"}';

let api: StubApi;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => api.reset());
afterAll(() => api.close());

/**
 * Returns the arguments of a command's example, without shell quotes, `--json` and `--jq`. Credentials are read from
 * stdin instead of keys.json.
 */
function argvOf({ examples }: OperationCommand): readonly string[] {
  const example = examples.find((each) => each.includes('keys.json')) ?? examples[0]!;
  const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
  const at = words.findIndex((word) => word === '--json' || word === '--jq');
  return (at === -1 ? words : words.toSpliced(at, 2)).slice(1).map((word) => word.replace('keys.json', '-'));
}

const run = (argv: readonly string[], isScreen = false) =>
  runCaptured(argv, {
    isScreen,
    stdin: CREDENTIALS,
    variables: { SVC_API_KEY: 'svc_test_key', SVC_BASE_URL: api.url, NO_COLOR: '1' },
  });

describe.each(OPERATION_COMMANDS.map((row) => [row.command, row] as const))('svc %s', (command, row) => {
  it('shows the help and output of the golden file, on a screen, in a pipe and as JSON', async () => {
    const argv = [...argvOf(row), '--yes'];
    const help = await run([...command.split(' '), '--help']);
    const screen = await run(argv, true);
    const pipe = await run(argv);
    const json = await run([...argv, '--json']);
    expect([help, screen, pipe, json].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(JSON.parse(json.stdout)).toBeTruthy();
    expectGolden(
      command.replaceAll(' ', '-'),
      [
        `$ svc ${command} --help\n${help.stdout}`,
        `$ svc ${argv.join(' ')}   (screen)\n${screen.stdout}${stderrSection(screen.stderr)}`,
        `$ svc ${argv.join(' ')} | cat\n${pipe.stdout}${stderrSection(pipe.stderr)}`,
        `$ svc ${argv.join(' ')} --json\n${json.stdout}`,
      ].join('\n'),
    );
  });

  it('sends exactly one request to its operation', async () => {
    const { exitCode } = await run([...argvOf(row), '--yes']);
    expect(exitCode).toBe(0);
    expect(api.requestsOf(row.operation)).toHaveLength(1);
  });
});

const stderrSection = (stderr: string) => (stderr === '' ? '' : `--- stderr\n${stderr}`);

it('offers every operation of the API in exactly one command', () => {
  const offered = OPERATION_COMMANDS.map(({ operation }) => operation as string).concat(
    Object.keys(CUSTOM_COMMAND_OF),
  );
  expect(offered.toSorted()).toEqual(OPERATIONS.map(({ id }) => id).toSorted());
});

it('has every custom command that CUSTOM_COMMAND_OF lists', async () => {
  for (const command of new Set(Object.values(CUSTOM_COMMAND_OF))) {
    const { exitCode, stdout } = await run([...command.split(' '), '--help']);
    expect([command, exitCode, stdout.split('\n')[0]]).toEqual([
      command,
      0,
      expect.stringContaining(`Usage: svc ${command} `),
    ]);
  }
});
