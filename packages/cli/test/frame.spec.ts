import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Interrupted } from '../src/failures.js';
import { runCaptured, type TestEnvironment } from './support/captured-run.js';
import { emptyFolder } from './support/empty-folder.js';
import { expectGolden } from './support/golden.js';
import { StubApi } from './support/stub-api.js';

let api: StubApi;
beforeAll(async () => {
  api = await StubApi.start();
});
beforeEach(() => api.reset());
afterAll(() => api.close());

const svc = (argv: readonly string[], { variables = {}, ...testEnvironment }: TestEnvironment = {}) =>
  runCaptured(argv, {
    ...testEnvironment,
    variables: { SVC_API_KEY: 'svc_test_key', SVC_BASE_URL: api.url, ...variables },
  });

describe('svc errors', () => {
  it.each([
    ['a command', ['trade', 'list'], 'Did you mean trades?'],
    ['a subcommand', ['trades', 'lst'], 'Did you mean list?'],
    ['a flag', ['trades', 'list', '--statsu', 'FILLED'], 'Did you mean --status?'],
  ])('suggest the correct name for %s that does not exist', async (_what, argv, hint) => {
    const { exitCode, stderr, stdout } = await svc(argv);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(hint)]);
  });

  it('show the message, the fields, the resolution and the request id', async () => {
    api.respondWithError('trades.create', 422, {
      code: 'validation_failed',
      message: 'The body does not match the schema.',
      details: [{ field: 'amount', code: 'too_small', message: 'It must be above 0.' }],
    });
    const { exitCode, stdout, stderr } = await svc([...CREATE, '--amount', '0']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expectGolden('errors-validation', stderr);
  });

  it('show the idempotency key of a POST without a response, so that a repeat takes effect once', async () => {
    api.hang('trades.create', () => undefined);
    const order = [...CREATE, '--amount', '0.01'];
    const timedOut = await svc([...order, '--timeout', '100ms']);
    expect(timedOut.exitCode).toBe(6);
    const [, key] = /--idempotency-key (\S+): it then takes effect once/.exec(timedOut.stderr) ?? [];
    api.on('trades.create', {
      status: 503,
      body: { success: false, error: { code: 'service_unavailable' } },
    });
    await svc([...order, '--idempotency-key', key!]);
    const keys = api.requestsOf('trades.create').map(({ headers }) => headers['idempotency-key']);
    expect(keys.length).toBeGreaterThan(3);
    expect(new Set(keys)).toEqual(new Set([key]));
  });

  it('name the flag --idempotency-key, whose value svc api sends as well', async () => {
    await svc(['api', 'POST', '/v1/trades', '-f', 'amount=1', '--idempotency-key', 'mine']);
    expect(api.requestsOf('trades.create').map(({ headers }) => headers['idempotency-key'])).toEqual([
      'mine',
    ]);
  });

  it('also show the idempotency key for the retry of a dead letter', async () => {
    api.hang('deadLetters.retry', () => undefined);
    const retry = ['webhooks', 'dead-letters', 'retry', 'whk_1', 'dlq_1', '--timeout', '100ms'];
    expect(await svc(retry)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('--idempotency-key'),
    });
  });

  it('report an invalid idempotency key before a request is sent', async () => {
    const { exitCode, stderr } = await svc([...CREATE, '--amount', '1', '--idempotency-key', 'two words']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--idempotency-key must be 1 to 255')]);
    expect(api.requests).toEqual([]);
  });

  it.each([
    [400, 'malformed_json', 2],
    [401, 'invalid_api_key', 4],
    [403, 'permission_denied', 4],
    [404, 'not_found', 3],
    [409, 'invalid_state', 1],
  ])('with status %i and code %s end the command with exit code %i', async (status, code, exitCode) => {
    api.respondWithError('trades.get', status, { code, message: 'No.' });
    expect((await svc(['trades', 'get', TRADE])).exitCode).toBe(exitCode);
  });

  it('say how long to wait after reaching the rate limit', async () => {
    api.respondWithError(
      'trades.get',
      429,
      { code: 'rate_limited', message: 'Too many.' },
      { 'retry-after': '90' },
    );
    const { exitCode, stderr } = await svc(['trades', 'get', TRADE]);
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('Wait 90 s')]);
  });

  it('name the address of an unreachable server', async () => {
    const { exitCode, stderr } = await svc(['version'], {
      variables: { SVC_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining('http://127.0.0.1:1')]);
  });

  it.each([['ftp://x'], ['http://x/path'], ['nonsense']])(
    'report the invalid address %s',
    async (SVC_BASE_URL) => {
      expect((await svc(['version'], { variables: { SVC_BASE_URL } })).exitCode).toBe(2);
    },
  );

  it('say how to pass a missing address or credential', async () => {
    const address = await svc(['version'], { variables: { SVC_BASE_URL: '' } });
    expect([address.exitCode, address.stderr]).toEqual([2, expect.stringContaining('--base-url')]);
    const credential = await svc(['me', 'get'], { variables: { SVC_API_KEY: '' } });
    expect([credential.exitCode, credential.stderr]).toEqual([4, expect.stringContaining('svc auth login')]);
  });

  it('show a stack trace with --debug, but never the API key', async () => {
    const SVC_API_KEY = 'svc_test_veryverysecret';
    api.respondWithError('me.get', 401, { code: 'invalid_api_key', message: `No: ${SVC_API_KEY}` });
    const { stderr } = await svc(['me', 'get', '--debug'], { variables: { SVC_API_KEY } });
    expect(stderr).toContain('    at ');
    expect(stderr).not.toContain('veryverysecret');
  });

  it('escape control characters from a response', async () => {
    api.respondWithError('me.get', 403, { code: 'permission_denied', message: 'a\u001b[2Jb' });
    expect((await svc(['me', 'get'])).stderr).not.toContain('\u001b');
  });

  it('list all missing flags of an order, before a request is sent', async () => {
    const { exitCode, stderr } = await svc([
      'trades',
      'create',
      '--exchange-account-id',
      'exa_1',
      '--side',
      'BUY',
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--trade-pair-id, --type, --amount are missing');
    expect(api.requestsOf('trades.create')).toHaveLength(0);
  });
});

describe('--json and --jq', () => {
  it('print the selected fields of a record, and of each record of a list', async () => {
    const one = await svc(['trades', 'get', TRADE, '--json', 'symbol,fee.amount']);
    expect(JSON.parse(one.stdout)).toEqual({ symbol: 'BTC/USDT', 'fee.amount': '0.01' });
    const many = await svc(['trades', 'list', '--json', 'symbol']);
    expect(JSON.parse(many.stdout)).toEqual([{ symbol: 'BTC/USDT' }]);
  });

  it('reject an unknown field before a request is sent', async () => {
    const { exitCode, stderr } = await svc(['trades', 'list', '--json', 'sybmol']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('unknown field sybmol')]);
    expect(api.requests).toHaveLength(0);
  });

  it('explain the error if an id follows --json and is parsed as a field', async () => {
    const { exitCode, stderr } = await svc(['trades', 'get', TRADE, '--json', 'trd_1']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('put ids before --json')]);
  });

  it('print the strings of a jq filter without quotes, and decimals without loss of digits', async () => {
    const { stdout } = await svc(['trades', 'list', '--jq', '.[] | .average_price, .version']);
    expect(stdout).toBe('60000.100000000000000001\n3\n');
  });

  it('report an invalid jq filter as a usage error', async () => {
    expect((await svc(['trades', 'list', '--jq', '.[', '--yes'])).exitCode).toBe(2);
  });
});

describe('lists', () => {
  beforeEach(() =>
    api.on('events.list', ({ url }) => {
      const search = new URL(url, 'http://x').searchParams;
      const [from, limit] = [Number(search.get('cursor') ?? 0), Number(search.get('limit') ?? 20)];
      const data = Array.from({ length: Math.min(limit, 250 - from) }, (_, at) => ({ event_id: from + at }));
      const next = from + data.length;
      const pagination = {
        limit,
        offset: 0,
        has_more: next < 250,
        next_cursor: next < 250 ? `${next}` : null,
      };
      return { body: { success: true, data, pagination } };
    }),
  );
  const ids = async (...more: readonly string[]) => {
    const { stdout } = await svc(['events', 'list', '--json', 'event_id', ...more]);
    return (JSON.parse(stdout) as { event_id: number }[]).map(({ event_id }) => event_id);
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

  it('print one page by default', async () => {
    expect(await ids()).toEqual(upTo(20));
    expect(api.requests).toHaveLength(1);
  });

  it('print as many items as --limit requests, over several pages and without repeats', async () => {
    expect(await ids('--limit', '120')).toEqual(upTo(120));
    const limits = api.requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('limit'));
    expect(limits).toEqual(['100', '100']);
  });

  it('print everything with --all', async () => {
    expect(await ids('--all')).toEqual(upTo(250));
  });

  it('print a note on a screen if there are more items', async () => {
    expect((await svc(['events', 'list'], { isScreen: true })).stderr).toContain('Showing the first 20');
    expect((await svc(['events', 'list', '--quiet'], { isScreen: true })).stderr).toBe('');
  });

  it('print nothing on stdout without results', async () => {
    api.on('events.list', {
      body: { success: true, data: [], pagination: { has_more: false, next_cursor: null } },
    });
    expect(await svc(['events', 'list'])).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(await svc(['events', 'list'], { isScreen: true })).toMatchObject({
      stdout: '',
      stderr: 'No results.\n',
    });
    expect((await svc(['events', 'list', '--json'])).stdout).toBe('[]\n');
  });
});

const TRADE = 'trd_01k9y3wq8ge1t8p8bf1mq93h57';
const CREATE = ['trades', 'create', '--pair', 'BTC/USDT', '--side', 'BUY', '--type', 'MARKET'];

describe('orders', () => {
  it('accept an account name and a pair symbol, and send all digits of the amount', async () => {
    await svc([...CREATE, '--account', 'main', '--amount', '0.010000000000000001']);
    expect(api.requestsOf('trades.create')[0]!.body).toEqual({
      exchange_account_id: 'exa_01k9y3wq8ge0t8p8bf1mq93h57',
      trade_pair_id: 'tpr_01k9y3wq8ge128p8bf1mq93h57',
      side: 'BUY',
      type: 'MARKET',
      amount: '0.010000000000000001',
    });
  });

  it('use the only account by default, and fail without --account if there are two', async () => {
    expect((await svc([...CREATE, '--amount', '1'])).exitCode).toBe(0);
    const accounts = ['exa_1', 'exa_2'].map((id) => ({ id, account_name: `of ${id}` }));
    const pagination = { has_more: false, next_cursor: null, limit: 100, offset: 0 };
    api.on('exchanges.list', { body: { success: true, data: accounts, pagination } });
    const { exitCode, stderr } = await svc([...CREATE, '--amount', '1']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('of exa_1 (exa_1), of exa_2 (exa_2)')]);
  });

  it('use the only account that can trade the pair', async () => {
    const accounts = (['spot', 'perpetual'] as const).map((trading_type) => ({
      id: `exa_${trading_type}`,
      account_name: trading_type,
      exchange_name: 'paper',
      trading_type,
    }));
    const pairs = [
      { id: 'tpr_1', symbol: 'BTC/USDT', exchange: 'paper', trading_type: 'spot' },
      { id: 'tpr_2', symbol: 'BTC/USDT:USDT', exchange: 'paper', trading_type: 'perpetual' },
    ];
    const pagination = { has_more: false, next_cursor: null, limit: 100, offset: 0 };
    api.on('exchanges.list', { body: { success: true, data: accounts, pagination } });
    api.on('tradePairs.list', { body: { success: true, data: pairs, pagination } });
    api.on('tradePairs.get', { body: { success: true, data: pairs[1] } });
    const rest = ['--side', 'SELL', '--type', 'MARKET', '--amount', '1'];
    for (const pair of [
      ['--pair', 'BTC/USDT'],
      ['--pair', 'btc/usdt:usdt'],
      ['--trade-pair-id', 'tpr_2'],
    ])
      expect((await svc(['trades', 'create', ...pair, ...rest])).exitCode).toBe(0);
    expect(api.requestsOf('trades.create').map(({ body }) => body)).toMatchObject([
      { exchange_account_id: 'exa_spot', trade_pair_id: 'tpr_1' },
      { exchange_account_id: 'exa_perpetual', trade_pair_id: 'tpr_2' },
      { exchange_account_id: 'exa_perpetual', trade_pair_id: 'tpr_2' },
    ]);
    accounts.push({ ...accounts[0]!, id: 'exa_other' });
    expect((await svc([...CREATE, '--amount', '1'])).exitCode).toBe(2);
  });

  it('fail for an unknown account or pair', async () => {
    expect((await svc([...CREATE, '--amount', '1', '--account', 'unknown'])).exitCode).toBe(3);
    expect((await svc([...CREATE, '--amount', '1', '--pair', 'NO/PAIR'])).exitCode).toBe(3);
    expect(api.requestsOf('trades.create')).toHaveLength(0);
  });

  it('are read from a file or from stdin; flags override the file', async () => {
    const file = join(emptyFolder(), 'order.json');
    writeFileSync(
      file,
      JSON.stringify({
        exchange_account_id: 'exa_1',
        trade_pair_id: 'tpr_1',
        side: 'SELL',
        type: 'MARKET',
        amount: '1',
      }),
    );
    await svc(['trades', 'create', '--from-file', file, '--amount', '2']);
    expect(api.requestsOf('trades.create')[0]!.body).toMatchObject({ side: 'SELL', amount: '2' });
    await svc(['trades', 'create', '--from-file', '-', '--exchange-account-id', 'exa_2'], {
      stdin: '{"trade_pair_id":"tpr_1","side":"BUY","type":"MARKET","amount":"3"}',
    });
    expect(api.requestsOf('trades.create')[1]!.body).toMatchObject({
      exchange_account_id: 'exa_2',
      amount: '3',
    });
    expect((await svc(['trades', 'create', '--from-file', '-'], { stdin: '[]' })).exitCode).toBe(2);
  });

  it('require confirmation in the live world, but not in the test world', async () => {
    const live = await svc([...CREATE, '--amount', '1'], { variables: { SVC_API_KEY: 'svc_live_key' } });
    expect([live.exitCode, live.stderr]).toEqual([2, expect.stringContaining(' LIVE ')]);
    expect(api.requestsOf('trades.create')).toHaveLength(0);
    expect(
      (await svc([...CREATE, '--amount', '1', '--yes'], { variables: { SVC_API_KEY: 'svc_live_key' } }))
        .exitCode,
    ).toBe(0);
    expect((await svc([...CREATE, '--amount', '1'])).exitCode).toBe(0);
  });

  it('are sent with an idempotency key', async () => {
    await svc([...CREATE, '--amount', '1']);
    expect(api.requestsOf('trades.create')[0]!.headers['idempotency-key']).toMatch(/\S{16,}/);
  });
});

describe('a command that requires confirmation', () => {
  it.each([
    [
      'withdrawals create',
      ['withdrawals', 'create', '--amount', '1', '--wallet-address', `0x${'0'.repeat(40)}`],
    ],
    ['emergency-stop', ['emergency-stop']],
    ['api-keys revoke', ['api-keys', 'revoke', 'key_1']],
    ['exchanges remove', ['exchanges', 'remove', 'exa_1']],
    ['webhooks rotate-secret', ['webhooks', 'rotate-secret', 'whk_1']],
    ['webhooks dead-letters retry --all', ['webhooks', 'dead-letters', 'retry', 'whk_1', '--all']],
  ])('fails in a script without --yes: %s', async (_command, argv) => {
    const { exitCode, stderr } = await svc(argv);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(api.requests.filter(({ operation }) => operation !== 'me.get')).toHaveLength(0);
  });
});

describe('exchange credentials', () => {
  it('are not flags, and are read from stdin', async () => {
    const help = (await svc(['exchanges', 'add', '--help'])).stdout;
    expect(help).not.toMatch(/--(?:credentials\.)?api-(?:key|secret)/);
    const { exitCode } = await svc(
      [
        'exchanges',
        'add',
        '--exchange',
        'paper',
        '--trading-type',
        'spot',
        '--account-name',
        'a',
        '--credentials-file',
        '-',
      ],
      { stdin: '{"api_key":"k","api_secret":"s"}' },
    );
    expect(exitCode).toBe(0);
    expect(api.requestsOf('exchanges.create')[0]!.body).toMatchObject({
      credentials: { api_key: 'k', api_secret: 's' },
    });
  });
});

describe('dead letters', () => {
  it('are retried one by one, or all of an event type', async () => {
    await svc(['webhooks', 'dead-letters', 'retry', 'whk_1', 'dlq_1']);
    expect(api.requestsOf('deadLetters.retry')[0]!.url).toBe('/v1/webhooks/whk_1/dead-letters/dlq_1/retry');
    await svc([
      'webhooks',
      'dead-letters',
      'retry',
      'whk_1',
      '--all',
      '--event-type',
      'trade.filled',
      '--yes',
    ]);
    expect(api.requestsOf('deadLetters.retryMany')[0]!.body).toEqual({ event_type: 'trade.filled' });
    expect((await svc(['webhooks', 'dead-letters', 'retry', 'whk_1'])).exitCode).toBe(2);
  });
});

describe('the output', () => {
  const screen = async (variables: Readonly<Record<string, string>>, argv: readonly string[] = []) =>
    (await svc(['trades', 'list', ...argv], { isScreen: true, variables })).stdout;
  const ESCAPE = '\u001b[';

  it('has colours on a screen, except with NO_COLOR, TERM=dumb or --no-color', async () => {
    expect(await screen({})).toContain(ESCAPE);
    expect(await screen({ NO_COLOR: '1' })).not.toContain(ESCAPE);
    expect(await screen({ TERM: 'dumb' })).not.toContain(ESCAPE);
    expect(await screen({}, ['--no-color'])).not.toContain(ESCAPE);
  });

  it('has no colours in a pipe, except with FORCE_COLOR', async () => {
    expect((await svc(['trades', '--help'])).stdout).not.toContain(ESCAPE);
    expect((await svc(['trades', '--help'], { variables: { FORCE_COLOR: '1' } })).stdout).toContain(ESCAPE);
  });

  it('contains only ASCII characters if the locale is not UTF-8', async () => {
    const narrow = (LANG: string) =>
      svc(['webhooks', 'list'], { isScreen: true, columns: 70, variables: { LANG } });
    expect((await narrow('C.UTF-8')).stdout).toContain('…');
    const ascii = (await narrow('C')).stdout;
    expect(ascii).toContain('...');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
    expect(ascii).toMatch(/^[\u0000-\u007f]*$/);
  });
});

it('shows the list of commands as in the golden file', async () => {
  expectGolden('svc', (await svc([])).stdout);
});

it('ends with exit code 130 if it is interrupted during a request', async () => {
  const interruption = new AbortController();
  api.on('trades.list', () => {
    interruption.abort(new Interrupted());
    return { status: 200, body: { success: true, data: [], pagination: {} } };
  });
  expect(await svc(['trades', 'list'], { signal: interruption.signal })).toMatchObject({
    exitCode: 130,
    stdout: '',
    stderr: '',
  });
});

it('ends with exit code 130 if an interrupted command also fails', async () => {
  const signal = AbortSignal.abort(new Interrupted());
  expect(await svc(['config', 'get', 'nonsense'], { signal })).toMatchObject({ exitCode: 130, stderr: '' });
});

it('prints the canonical string with --debug-signature, but not the private key', async () => {
  const SVC_PRIVATE_KEY = '11'.repeat(32);
  const { stderr } = await svc(['me', 'get', '--debug-signature'], {
    variables: { SVC_API_KEY: '', SVC_PRIVATE_KEY },
  });
  const { headers } = api.requestsOf('me.get')[0]!;
  expect(stderr).toContain(`GET\n  /v1/me\n  ${headers['x-svc-timestamp']}\n  ${headers['x-svc-nonce']}\n`);
  expect(stderr).not.toContain(SVC_PRIVATE_KEY);
});

describe('a decimal with more digits than a JavaScript number holds', () => {
  const LONG = '0.123456789012345678';

  it('is sent from a file without loss of digits', async () => {
    const order = `{"exchange_account_id":"exa_1","trade_pair_id":"tpr_1","type":"MARKET","side":"BUY","amount":${LONG}}`;
    expect((await svc(['trades', 'create', '--from-file', '-'], { stdin: order })).exitCode).toBe(0);
    expect(api.requestsOf('trades.create')[0]!.body).toMatchObject({ amount: LONG });
  });

  it('is sent from a JSON flag without loss of digits', async () => {
    const sizing = `{"mode":"MULTIPLIER","value":${LONG}}`;
    const { exitCode } = await svc(['copiers', 'update', 'cpr_1', '--sizing', sizing]);
    expect(exitCode).toBe(0);
    expect(api.requestsOf('copiers.update')[0]!.body).toEqual({
      sizing: { mode: 'MULTIPLIER', value: LONG },
    });
  });
});
