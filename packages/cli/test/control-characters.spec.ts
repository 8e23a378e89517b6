/** Tests that text of other users and of servers cannot control the terminal. */
import { PassThrough } from 'node:stream';
import { lineOf, renderBook } from '../src/live/book-view.js';
import { TerminalPrompts } from '../src/terminal/prompts.js';
import { Terminal } from '../src/terminal/terminal.js';
import { runCaptured } from './support/captured-run.js';
import { StubApi } from './support/stub-api.js';

/** Changes the colour and the title of a terminal, and fakes an error line. C1 controls do the same in one byte. */
const HOSTILE = 'A\u001b[31mRED\u001b]0;pwned\u0007\r\nerror: fake \u009b31m\u202e';
const ESCAPED = 'A\\u001b[31mRED\\u001b]0;pwned\\u0007\\r\\nerror: fake \\u009b31m\\u202e';
/** All control characters but line breaks, and characters that reverse the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches them
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let api: StubApi;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => api.reset());
afterAll(() => api.close());

const svc = (...argv: readonly string[]) =>
  runCaptured(argv, {
    isScreen: true,
    variables: { SVC_API_KEY: 'svc_test_key', SVC_BASE_URL: api.url, NO_COLOR: '1' },
  });

function respondWithAccounts(...names: readonly string[]): void {
  const data = names.map((account_name, i) => ({
    id: `exa_${i}`,
    account_name,
    exchange_name: 'paper',
    trading_type: 'spot',
    is_active: true,
  }));
  const pagination = { limit: 100, offset: 0, has_more: false, next_cursor: null };
  api.on('exchanges.list', { body: { success: true, data, pagination } });
}

const CREATE = [
  'trades',
  'create',
  '--side',
  'BUY',
  '--type',
  'MARKET',
  '--amount',
  '1',
  '--pair',
  'BTC/USDT',
];

it.each([
  ['the accounts to select from', CREATE],
  ['accounts with the same name', [...CREATE, '--account', HOSTILE]],
  ['an account that does not exist', [...CREATE, '--account', `${HOSTILE}!`]],
])('escapes control characters in the error about %s', async (_case, argv) => {
  respondWithAccounts(HOSTILE, HOSTILE);
  const { stderr } = await svc(...argv);
  expect(stderr).toContain(ESCAPED);
  expect(stderr).not.toMatch(CONTROL);
  expect(stderr.match(/^error:/gm)).toHaveLength(1);
});

it('escapes control characters in the error about an unknown command', async () => {
  const { stderr } = await svc(HOSTILE);
  expect(stderr).toContain('A\\u001b[31mRED');
  expect(stderr).not.toMatch(CONTROL);
});

it.each([['--debug'], ['--quiet']])(
  'escapes control characters in errors of the API with %s',
  async (flag) => {
    const details = [{ field: HOSTILE, code: 'invalid', message: HOSTILE }];
    api.respondWithError('trades.list', 422, { code: 'validation_failed', message: HOSTILE, details });
    const { stderr } = await svc('trades', 'list', flag);
    expect(stderr).toContain(`error: ${ESCAPED} (validation_failed)`);
    expect(stderr).not.toMatch(CONTROL);
  },
);

it('escapes control characters in notes', async () => {
  respondWithAccounts(HOSTILE);
  const { stderr } = await svc('dev', 'seed', '--name', HOSTILE);
  expect(stderr).toBe(
    `The practice account ${ESCAPED} is already linked. Pass another --name to link one more.\n`,
  );
});

it.each([
  [['auth', 'whoami']],
  [['me', 'get']],
  [['me', 'get', '--json']],
  [['me', 'get', '--jq', '.id']],
  [['api', 'GET', '/v1/me']],
  [['api', 'GET', '/v1/me', '--jq', '.data.id']],
])('escapes control characters in the output of %j', async (argv) => {
  api.on('me.get', { body: { success: true, data: { id: HOSTILE, world: 'test' } } });
  const { stdout, exitCode } = await svc(...argv);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('A\\u001b[31mRED');
  expect(stdout).not.toMatch(CONTROL);
});

it('keeps the exact result of a jq filter in a pipe', async () => {
  api.on('me.get', { body: { success: true, data: { id: HOSTILE } } });
  const variables = { SVC_API_KEY: 'svc_test_key', SVC_BASE_URL: api.url };
  const { stdout } = await runCaptured(['me', 'get', '--jq', '.id'], { variables });
  expect(stdout).toBe(`${HOSTILE}\n`);
});

it('escapes control characters in an order book', () => {
  const level = [HOSTILE, HOSTILE] as const;
  const time = '2026-01-31T12:00:00.000Z';
  const book = { exchange: HOSTILE, symbol: HOSTILE, sequence: 1, bids: [level], asks: [level] };
  const output = new PassThrough();
  const { colors } = new Terminal({ stdin: output, stdout: output, stderr: output }, {});
  const drawn = renderBook({ ...book, exchange_timestamp: time }, colors);
  expect(drawn.split('\n')).toHaveLength(3);
  expect(drawn).not.toMatch(CONTROL);
  expect(lineOf({ ...book, exchange_timestamp: time }).replaceAll('\t', ' ')).not.toMatch(CONTROL);
});

it('escapes control characters in questions and choices', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = new PassThrough();
  const interruption = new AbortController();
  const prompts = new TerminalPrompts(
    new Terminal({ stdin, stdout, stderr }, { NO_COLOR: '1', LANG: 'C.UTF-8' }),
    interruption.signal,
  );
  for (const ask of [
    () => prompts.yesOrNo(`Delete ${HOSTILE}?`, ''),
    () => prompts.text(`Delete ${HOSTILE}?`, ''),
    () => prompts.secret(`Delete ${HOSTILE}?`, ''),
    () => prompts.choose('Which?', [{ value: 'a', label: `Delete ${HOSTILE}` }], ''),
  ]) {
    const answer = ask();
    const shown = String(stderr.read());
    expect(shown).toContain(ESCAPED);
    for (const character of ['\u0007', '\u009b', '\u202e']) expect(shown).not.toContain(character);
    stdin.write('\r');
    await answer.catch(() => undefined);
    stderr.read();
  }
});
