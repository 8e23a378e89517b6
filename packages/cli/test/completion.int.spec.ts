/** Tests the completions of the built command line. As in a shell, each request is a separate process. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptyFolder } from './support/empty-folder.js';
import { PseudoTerminal } from './support/pseudo-terminal.js';
import { StubApi } from './support/stub-api.js';
import { SVC_FILE } from './support/svc-file.js';

const CTRL_U = '\u0015';
const TRADE = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

let api: StubApi;
let folder: string;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => {
  api.reset();
  folder = emptyFolder();
});
afterAll(() => api.close());

async function svc(...argv: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    SVC_CONFIG_DIR: folder,
    SVC_CREDENTIALS: 'file',
    SVC_BASE_URL: api.url,
    SVC_API_KEY: 'svc_test_key',
  };
  return (await promisify(execFile)(process.execPath, [SVC_FILE, ...argv], { env })).stdout;
}

/**
 * Returns the completions without their descriptions, and without the last line, which is a directive for the shell.
 */
const completionsOf = async (...words: readonly string[]) =>
  (await svc('complete', '--', ...words))
    .split('\n')
    .slice(0, -2)
    .map((line) => line.split('\t')[0]);

it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a completion script for %s', async (shell) => {
  expect(await svc('completion', shell)).toMatch(/svc complete '?--/);
});

it('completes in a bash without the package bash-completion', async () => {
  const bash = PseudoTerminal.bash({ SVC_CONFIG_DIR: folder, PS1: '> ' });
  try {
    bash.type('source <(svc completion bash); echo rea""dy\r');
    await bash.shows('ready');
    bash.type('svc trades crea\t--si\tBU\t');
    await bash.shows('svc trades create --side BUY ');
    // Completing a line must not execute the command substitution in it.
    bash.type(
      `${CTRL_U}svc trades get $(touch ${join(folder, 'run')}) \t${CTRL_U}svc webhooks dead-letters dis\t`,
    );
    await bash.shows('svc webhooks dead-letters discard ');
    expect(existsSync(join(folder, 'run'))).toBe(false);
  } finally {
    bash.kill();
  }
});

it('completes commands, flags and choices', async () => {
  expect(await completionsOf('trades', 'c')).toEqual(['create', 'cancel']);
  expect(await completionsOf('trades', 'create', '--side', '')).toEqual(['BUY', 'SELL']);
  expect(await completionsOf('trades', 'create', '--si')).toEqual(['--side']);
  expect(await completionsOf('webhooks', 'dead-letters', 'dis')).toEqual(['discard']);
});

it('completes cached ids without a request to the API', async () => {
  expect(await completionsOf('trades', 'get', 'trd')).toEqual([]);
  await svc('trades', 'list');
  api.requests.length = 0;
  expect(await completionsOf('trades', 'get', 'trd')).toEqual([TRADE]);
  expect(await completionsOf('copiers', 'get', 'trd')).toEqual([]);
  expect(api.requests).toHaveLength(0);
});
