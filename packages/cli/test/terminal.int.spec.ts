/** Runs the built command line in a real terminal: prompts, colours, pipes and Ctrl-C. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from './support/empty-folder.js';
import { PseudoTerminal } from './support/pseudo-terminal.js';
import { StubApi } from './support/stub-api.js';

const CTRL_C = '\u0003';
const ENTER = '\r';
/** The start of bold text. The command line uses it only together with colours. */
const BOLD = '\u001b[1m';
const TRADE = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';

let api: StubApi;
let folder: string;
const terminals: PseudoTerminal[] = [];
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => {
  api.reset();
  folder = emptyFolder();
});
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill();
});
afterAll(() => api.close());

const variablesOf = (more: Readonly<Record<string, string>>) => ({
  SVC_CONFIG_DIR: folder,
  SVC_BASE_URL: api.url,
  SVC_API_KEY: 'svc_test_key',
  ...more,
});
const svc = (argv: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  track(PseudoTerminal.svc(argv, variablesOf(variables)));
const shell = (line: string, variables: Readonly<Record<string, string>> = {}) =>
  track(PseudoTerminal.shell(line, variablesOf(variables)));

function track(terminal: PseudoTerminal): PseudoTerminal {
  terminals.push(terminal);
  return terminal;
}

describe('a prompt', () => {
  const LIVE = { SVC_API_KEY: 'svc_live_key' };
  const WITHDRAW = ['withdrawals', 'create', '--amount', '25.50', '--wallet-address', `0x${'1'.repeat(40)}`];

  it('runs the command after yes', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type('y');
    expect(await terminal.end()).toBe(0);
    expect(api.requestsOf('apiKeys.revoke')).toHaveLength(1);
  });

  it('says that an emergency stop closes positions, if it does', async () => {
    const positions = svc(['emergency-stop', '--close-positions']);
    await positions.shows('close all positions in perpetuals at market?');
    const orders = svc(['emergency-stop']);
    await orders.shows('Pause every copier and cancel every open order?');
  });

  it('does not run the command if the user presses only Enter', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(1);
    expect(terminal.plain).toContain('nothing was done');
    expect(api.requestsOf('apiKeys.revoke')).toHaveLength(0);
  });

  it('requires that the user types the amount before the command spends real money', async () => {
    const wrong = svc(WITHDRAW, LIVE);
    await wrong.shows('Type 25.50 to continue');
    expect(wrong.plain).toContain(' LIVE ');
    wrong.type(`yes${ENTER}`);
    expect(await wrong.end()).toBe(1);
    expect(api.requestsOf('withdrawals.create')).toHaveLength(0);
    const right = svc(WITHDRAW, LIVE);
    await right.shows('Type 25.50 to continue');
    right.type(`25.50${ENTER}`);
    expect(await right.end()).toBe(0);
    expect(api.requestsOf('withdrawals.create')[0]!.body).toMatchObject({ amount: '25.50' });
  });

  it('is not shown with --yes', async () => {
    const terminal = svc([...WITHDRAW, '--yes'], LIVE);
    expect(await terminal.end()).toBe(0);
    expect(terminal.plain).not.toContain('to continue');
  });

  it('ends with exit code 130, no request and a visible cursor after Ctrl-C', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1']);
    await terminal.shows('Revoke the API key key_1?');
    terminal.type(CTRL_C);
    expect(await terminal.end()).toBe(130);
    expect(api.requestsOf('apiKeys.revoke')).toHaveLength(0);
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  });

  it('does not show a secret while the user types it', async () => {
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
    expect(api.requestsOf('exchanges.create')[0]!.body).toMatchObject({
      credentials: { api_key: 'the-key', api_secret: 'the-secret' },
    });
    expect(terminal.plain).not.toContain('the-');
  });

  it('has no colours with NO_COLOR, and only ASCII characters if the locale is not UTF-8', async () => {
    const terminal = svc(['api-keys', 'revoke', 'key_1'], { NO_COLOR: '1', LANG: 'C' });
    await terminal.shows('Revoke the API key key_1?');
    terminal.type('n');
    expect(await terminal.end()).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes start with one
    expect(terminal.raw).not.toMatch(/\u001b\[\d+(?:;\d+)*m/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
    expect(terminal.raw).toMatch(/^[\u0000-\u007f]*$/);
  });
});

describe('a login', () => {
  it('prompts only for the address of the API, and does not print the stored key', async () => {
    api.on('me.get', {
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
    terminal.type(`${api.url}${ENTER}`);
    expect(await terminal.end()).toBe(0);
    expect(readFileSync(join(folder, 'config.toml'), 'utf8')).toContain(api.url);
    const { default: stored } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as {
      default: { private_key: string };
    };
    expect(terminal.plain).not.toContain(stored.private_key);
  });

  it('stores nothing if it is cancelled', async () => {
    const terminal = svc(['auth', 'login', '--with-api-key'], { SVC_API_KEY: '' });
    await terminal.shows('API key');
    terminal.type(`svc_test_${createHash('sha256').update('cancelled').digest('hex')}${CTRL_C}`);
    expect(await terminal.end()).toBe(130);
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });
});

it('calls a public operation without the API key of the environment', async () => {
  expect(await svc(['version']).end()).toBe(0);
  expect(api.requestsOf('version.get')[0]!.headers['x-api-key']).toBeUndefined();
});

describe('a screen', () => {
  it('gets a table with colours, at most as wide as the screen', async () => {
    const terminal = track(PseudoTerminal.svc(['webhooks', 'list'], variablesOf({}), 60));
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(BOLD);
    expect(Math.max(...terminal.plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }, []],
    ['TERM=dumb', { TERM: 'dumb' }, []],
    ['--no-color', {}, ['--no-color']],
  ])('gets no colours with %s', async (_name, variables, flags) => {
    const terminal = svc(['trades', 'list', ...flags], variables);
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(TRADE);
    expect(terminal.raw).not.toContain('\u001b[');
  });
});

describe('a pipe', () => {
  it('gets tab-separated lines without colours', async () => {
    const terminal = shell('svc trades list | cat');
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(`${TRADE}\tBTC/USDT\tBUY`);
    expect(terminal.raw).not.toContain('\u001b[');
  });

  it('gets colours with FORCE_COLOR', async () => {
    const terminal = shell('svc trades --help | cat', { FORCE_COLOR: '1' });
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).toContain(BOLD);
  });

  it('ends the command with exit code 0 and no message if its reader closes it early', async () => {
    const data = Array.from({ length: 5000 }, (_, at) => ({
      event_id: `evt_${at}`,
      type: 'trade.filled',
      timestamp: 'x'.repeat(100),
    }));
    api.on('events.list', {
      body: { success: true, data, pagination: { has_more: false, next_cursor: null } },
    });
    const terminal = shell('{ svc events list; echo "ended with $?" >&2; } | head -1');
    expect(await terminal.end()).toBe(0);
    await terminal.shows('ended with 0');
    expect(terminal.plain).toMatch(/^evt_0\t.*\nended with 0\n$/);
  });

  it('is never prompted: a command that requires confirmation fails', async () => {
    const terminal = shell(
      'svc api-keys revoke key_1 | cat; svc api-keys revoke key_1 < /dev/null; echo "ended with $?"',
    );
    expect(await terminal.end()).toBe(0);
    expect(terminal.plain).toContain('ended with 2');
    expect(api.requestsOf('apiKeys.revoke')).toHaveLength(0);
  });
});

describe('Ctrl-C', () => {
  it('ends a command that waits for a response, with exit code 130 and no message', async () => {
    const requested = new Promise<void>((resolve) => {
      api.hang('trades.list', resolve);
    });
    const terminal = svc(['trades', 'list']);
    await requested;
    terminal.type(CTRL_C);
    expect(await terminal.end()).toBe(130);
    expect(terminal.plain).not.toContain('error');
  });
});
