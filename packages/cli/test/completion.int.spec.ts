/** Completions as shells ask for them: of the built command line, in processes of their own. */
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

let farSide: StubApi;
let folder: string;
beforeAll(async () => {
  farSide = await StubApi.start();
});
beforeEach(() => {
  farSide.reset();
  folder = emptyFolder();
});
afterAll(() => farSide.close());

async function svc(...argv: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    SVC_CONFIG_DIR: folder,
    SVC_CREDENTIALS: 'file',
    SVC_BASE_URL: farSide.url,
    SVC_API_KEY: 'svc_test_key',
  };
  return (await promisify(execFile)(process.execPath, [SVC_FILE, ...argv], { env })).stdout;
}

/** The completions, without descriptions and without the last line, which has directives for the shell. */
const completed = async (...words: readonly string[]) =>
  (await svc('complete', '--', ...words))
    .split('\n')
    .slice(0, -2)
    .map((line) => line.split('\t')[0]);

it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
  expect(await svc('completion', shell)).toMatch(/svc complete '?--/);
});

it('completes in a bash that has no package for completions', async () => {
  const bash = PseudoTerminal.bash({ SVC_CONFIG_DIR: folder, PS1: '> ' });
  try {
    bash.type('source <(svc completion bash); echo rea""dy\r');
    await bash.shows('ready');
    bash.type('svc trades crea\t--si\tBU\t');
    await bash.shows('svc trades create --side BUY ');
    // Typed text is never run by completing it.
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
  expect(await completed('trades', 'c')).toEqual(['create', 'cancel']);
  expect(await completed('trades', 'create', '--side', '')).toEqual(['BUY', 'SELL']);
  expect(await completed('trades', 'create', '--si')).toEqual(['--side']);
  expect(await completed('webhooks', 'dead-letters', 'dis')).toEqual(['discard']);
});

it('completes the ids that were listed, and asks the API nothing', async () => {
  expect(await completed('trades', 'get', 'trd')).toEqual([]);
  await svc('trades', 'list');
  farSide.requests.length = 0;
  expect(await completed('trades', 'get', 'trd')).toEqual([TRADE]);
  expect(await completed('copiers', 'get', 'trd')).toEqual([]);
  expect(farSide.requests).toHaveLength(0);
});
