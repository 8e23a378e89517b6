/** The built command line in a real terminal, as people use it: prompts, colours, pipes, Ctrl-C. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from './support/empty-folder.js';
import { PseudoTerminal } from './support/pseudo-terminal.js';
import { StubApi } from './support/stub-api.js';

const CTRL_C = '\u0003';
const ENTER = '\r';
const COLOR = '\u001b[1m';
const TRADE = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

let farSide: StubApi;
let folder: string;
const open: PseudoTerminal[] = [];
beforeAll(async () => {
  farSide = await StubApi.start();
});
beforeEach(() => {
  farSide.reset();
  folder = emptyFolder();
});
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.kill();
});
afterAll(() => farSide.close());

const variablesOf = (more: Readonly<Record<string, string>>) => ({
  SVC_CONFIG_DIR: folder,
  SVC_BASE_URL: farSide.url,
  SVC_API_KEY: 'svc_test_key',
  ...more,
});
const svc = (argv: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  opened(PseudoTerminal.svc(argv, variablesOf(variables)));
const shell = (line: string, variables: Readonly<Record<string, string>> = {}) =>
  opened(PseudoTerminal.shell(line, variablesOf(variables)));

function opened(terminal: PseudoTerminal): PseudoTerminal {
  open.push(terminal);
  return terminal;
}

describe('a question', () => {
  const LIVE = { SVC_API_KEY: 'svc_live_key' };
  const WITHDRAW = ['withdrawals', 'create', '--amount', '25.50', '--wallet-address', `0x${'1'.repeat(40)}`];

  it('is answered with yes, and then it happens', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type('y');
    expect(await terminal.end()).toBe(0);
    expect(farSide.requestsOf('apiKeys.revoke')).toHaveLength(1);
  });

  it('is answered with no by Enter alone, and then nothing happens', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(1);
    expect(terminal.plain).toContain('nothing was done');
    expect(farSide.requestsOf('apiKeys.revoke')).toHaveLength(0);
  });

  it('about real money wants the amount typed, and takes nothing else', async () => {
    const wrong = svc(WITHDRAW, LIVE);
    await wrong.shows('Type 25.50 to continue');
    expect(wrong.plain).toContain(' LIVE ');
    wrong.type(`yes${ENTER}`);
    expect(await wrong.end()).toBe(1);
    expect(farSide.requestsOf('withdrawals.create')).toHaveLength(0);
    const right = svc(WITHDRAW, LIVE);
    await right.shows('Type 25.50 to continue');
    right.type(`25.50${ENTER}`);
    expect(await right.end()).toBe(0);
    expect(farSide.requestsOf('withdrawals.create')[0]!.body).toMatchObject({ amount: '25.50' });
  });

  it('is not asked where --yes was said', async () => {
    const terminal = svc([...WITHDRAW, '--yes'], LIVE);
    expect(await terminal.end()).toBe(0);
    expect(terminal.plain).not.toContain('to continue');
  });

  it('is left by Ctrl-C with 130, nothing done, and the cursor shown again', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type(CTRL_C);
    expect(await terminal.end()).toBe(130);
    expect(farSide.requestsOf('apiKeys.revoke')).toHaveLength(0);
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  });

  it('for a secret shows nothing of what is typed', async () => {
    const terminal = svc([
      'exchanges',
      'add',
      '--exchange',
      'paper',
      '--trading-type',
      'spot',
      '--account-name',
      'a',
    ]);
    await terminal.shows('API key of the exchange');
    terminal.type(`the-key${ENTER}`);
    await terminal.shows('API secret of the exchange');
    terminal.type(`the-secret${ENTER}`);
    await terminal.shows('Passphrase');
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(0);
    expect(farSide.requestsOf('exchanges.create')[0]!.body).toMatchObject({
      credentials: { api_key: 'the-key', api_secret: 'the-secret' },
    });
    expect(terminal.plain).not.toContain('the-');
  });

  it('has no colour under NO_COLOR, and no sign beyond ASCII where the locale has none', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1'], { NO_COLOR: '1', LANG: 'C' });
    await terminal.shows('Revoke the API key key_1?');
    terminal.type('n');
    expect(await terminal.end()).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    expect(terminal.raw).not.toMatch(/\u001b\[\d+(?:;\d+)*m/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
    expect(terminal.raw).toMatch(/^[\u0000-\u007f]*$/);
  });
});

describe('a login', () => {
  it('asks for the address alone, and keeps the key for this user alone', async () => {
    farSide.on('me.get', {
      body: {
        success: true,
        data: {
          id: 'usr_1',
          world: 'test',
          credential: { kind: 'public_key', id: 'pbk_1', permissions: ['ADMIN'] },
        },
      },
    });
    const terminal = svc(['auth', 'login'], { SVC_BASE_URL: '', SVC_API_KEY: '' });
    await terminal.shows('Address of the API');
    terminal.type(`${farSide.url}${ENTER}`);
    expect(await terminal.end()).toBe(0);
    expect(readFileSync(join(folder, 'config.toml'), 'utf8')).toContain(farSide.url);
    const { default: kept } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as {
      default: { private_key: string };
    };
    expect(terminal.plain).not.toContain(kept.private_key);
  });

  it('leaves nothing behind where it is given up', async () => {
    const terminal = svc(['auth', 'login', '--with-api-key'], { SVC_API_KEY: '' });
    await terminal.shows('API key');
    terminal.type(`svc_test_${createHash('sha256').update('given up').digest('hex')}${CTRL_C}`);
    expect(await terminal.end()).toBe(130);
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });
});

it('asks what is public without the key that the environment holds', async () => {
  expect(await svc(['version']).end()).toBe(0);
  expect(farSide.requestsOf('version.get')[0]!.headers['x-api-key']).toBeUndefined();
});

describe('a screen', () => {
  it('gets a table with colours, as wide as it is', async () => {
    const terminal = opened(PseudoTerminal.svc(['webhooks', 'list'], variablesOf({}), 60));
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(COLOR);
    expect(Math.max(...terminal.plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }, []],
    ['TERM=dumb', { TERM: 'dumb' }, []],
    ['--no-color', {}, ['--no-color']],
  ])('gets no colours under %s', async (_name, variables, flags) => {
    const terminal = svc(['trades', 'list', ...flags], variables);
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(TRADE);
    expect(terminal.raw).not.toContain('\u001b[');
  });
});

describe('a pipe', () => {
  it('gets lines with tabs and no colour', async () => {
    const terminal = shell('svc trades list | cat');
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(`${TRADE}\tBTC/USDT\tBUY`);
    expect(terminal.raw).not.toContain('\u001b[');
  });

  it('gets colours where FORCE_COLOR says so', async () => {
    const terminal = shell('svc trades --help | cat', { FORCE_COLOR: '1' });
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(COLOR);
  });

  it('that is closed early ends it without a word', async () => {
    const data = Array.from({ length: 5000 }, (_, at) => ({
      event_id: `evt_${at}`,
      type: 'trade.filled',
      timestamp: 'x'.repeat(100),
    }));
    farSide.on('events.list', {
      body: { success: true, data, pagination: { has_more: false, next_cursor: null } },
    });
    const terminal = shell('{ svc events list; echo "ended with $?" >&2; } | head -1');
    expect(await terminal.end()).toBe(0);
    await terminal.shows('ended with 0');
    expect(terminal.plain).toMatch(/^evt_0\t.*\nended with 0\n$/);
  });

  it('is asked nothing: what needs an answer is refused', async () => {
    const terminal = shell(
      'svc api-keys revoke key_1 | cat; svc api-keys revoke key_1 < /dev/null; echo "ended with $?"',
    );
    expect(await terminal.end()).toBe(0);
    expect(terminal.plain).toContain('ended with 2');
    expect(farSide.requestsOf('apiKeys.revoke')).toHaveLength(0);
  });
});

describe('Ctrl-C', () => {
  it('ends a request that waits for its answer with 130, and nothing is printed', async () => {
    const asked = new Promise<void>((resolve) => {
      farSide.hang('trades.list', resolve);
    });
    const terminal = svc(['trades', 'list']);
    await asked;
    terminal.type(CTRL_C);
    expect(await terminal.end()).toBe(130);
    expect(terminal.plain).not.toContain('error');
  });
});
