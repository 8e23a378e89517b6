import { createHash } from 'node:crypto';
import { runCaptured } from '../support/captured-run.js';
import { emptyFolder } from '../support/empty-folder.js';
import { PseudoTerminal } from '../support/pseudo-terminal.js';
import { RunningCommand } from './running-command.js';
import { StubGraphqlServer } from './stub-graphql-server.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
let graphql: StubGraphqlServer;
beforeEach(async () => {
  api = await StubStreamingApi.start();
  graphql = await StubGraphqlServer.start();
  api.onList('GET /v1/trade-pairs', [
    { id: 'tpr_btc', symbol: 'BTC/USDT', exchange: 'paper' },
    { id: 'tpr_eth', symbol: 'ETH/USDT', exchange: 'paper' },
    { id: 'tpr_eth2', symbol: 'ETH/USDT', exchange: 'other' },
  ]);
});
afterEach(async () => {
  await api.close();
  await graphql.close();
});

/** A private key that is the same in every run and not secret. */
const SVC_PRIVATE_KEY = createHash('sha256').update('svc: realtime').digest('hex');
const variables = () => ({
  SVC_BASE_URL: api.url,
  SVC_GRAPHQL_URL: graphql.url,
  SVC_PRIVATE_KEY,
  NO_COLOR: '1',
});
const svc = (argv: readonly string[], more: object = {}) =>
  runCaptured(argv, { variables: variables(), ...more });

const update = (sequence: number, kind: string, bids: unknown, asks: unknown) => ({
  orderbookUpdate: {
    exchange: 'paper',
    symbol: 'BTC/USDT',
    kind,
    sequence,
    previous_sequence: kind === 'SNAPSHOT' ? null : sequence - 1,
    bids,
    asks,
    exchange_timestamp: '2026-01-01T00:00:00.000Z',
    received_at: '2026-01-01T00:00:00.001Z',
  },
});
const snapshot = update(
  1,
  'SNAPSHOT',
  [
    ['60000.5', '0.123456789012345678'],
    ['60000', '2'],
  ],
  [['60001', '3']],
);
const delta = update(2, 'DELTA', [['60000.5', '0']], [['60000.75', '1']]);

describe('svc orderbook', () => {
  it('prints the book once without loss of digits, in a pipe, on a screen and as JSON', async () => {
    graphql.initialPayloads = [snapshot];
    const pipe = await svc(['orderbook', 'btc/usdt', '--depth', '5']);
    expect([pipe.exitCode, pipe.stdout]).toEqual([
      0,
      '0.123456789012345678\t60000.5\t60001\t3\n2\t60000\t\t\n',
    ]);
    expect(graphql.requests[0]!.variables).toEqual({ pair: 'tpr_btc', depth: 5 });
    const screen = await svc(['orderbook', 'tpr_btc'], { isScreen: true });
    expect(screen.stdout).toContain('BTC/USDT  paper  #1');
    const json = await svc(['orderbook', 'tpr_btc', '--jq', '.bids[0][1]']);
    expect(json.stdout).toBe('0.123456789012345678\n');
  });

  it('prints one line per change in a pipe with --live, and ends with exit code 130 after Ctrl-C', async () => {
    graphql.initialPayloads = [snapshot];
    const running = new RunningCommand(
      ['orderbook', 'tpr_btc', '--live', '--json', 'sequence,bids'],
      variables(),
    );
    await running.waitUntil(({ lines }) => lines.length === 1);
    graphql.push(delta);
    await running.waitUntil(({ lines }) => lines.length === 2);
    expect(JSON.parse(running.lines[1]!)).toEqual({ sequence: 2, bids: [['60000', '2']] });
    expect(await running.interrupt()).toBe(130);
    expect(running.stderr).toBe('');
  });

  it('requires --exchange if several exchanges trade the pair, and rejects an unknown pair or depth', async () => {
    expect(await svc(['orderbook', 'ETH/USDT'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('paper, other'),
    });
    expect(await svc(['orderbook', 'X/Y'])).toMatchObject({ exitCode: 3 });
    expect(await svc(['orderbook', 'BTC/USDT', '--depth', '501'])).toMatchObject({ exitCode: 2 });
  });

  it('requires a key pair before it sends a request', async () => {
    const { exitCode, stderr } = await svc(['orderbook', 'BTC/USDT'], {
      variables: { SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key' },
    });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('svc auth login')]);
    expect(api.requests).toEqual([]);
  });

  it('ends with exit code 4 if the server rejects the key pair', async () => {
    graphql.closeAfterInit = [4403, 'unknown_public_key'];
    const { exitCode, stderr } = await svc(['orderbook', 'tpr_btc']);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('unknown_public_key')]);
  });

  it('updates the book in place on a screen, and restores the cursor after q', async () => {
    graphql.initialPayloads = [snapshot];
    const terminal = PseudoTerminal.svc(['orderbook', 'tpr_btc', '--live'], {
      ...variables(),
      SVC_CONFIG_DIR: emptyFolder(),
    });
    try {
      await terminal.shows('60000.5');
      graphql.push(delta);
      await terminal.shows('60000.75');
      terminal.type('q');
      expect(await terminal.end()).toBe(0);
      expect(terminal.raw).toContain('\u001b[?25l');
      expect(terminal.raw.trimEnd().endsWith('\u001b[?25h')).toBe(true);
    } finally {
      terminal.kill();
    }
  });
});

describe('svc signals stream', () => {
  const signal = (sequence: number) => ({
    tradeSignal: {
      id: `sig_${sequence}`,
      sequence,
      kind: 'OPEN',
      symbol: 'BTC/USDT',
      side: 'BUY',
      filled_amount: '0.010000000000000001',
      reference_price: '60000.1',
      source_trade_id: 'trd_1',
      emitted_at: '2026-01-01T00:00:00.000Z',
    },
  });

  it('prints a line for each signal after the sequence in --after, without loss of digits', async () => {
    graphql.initialPayloads = [signal(8), signal(9)];
    const running = new RunningCommand(['signals', 'stream', 'str_1', '--after', '7'], variables());
    await running.waitUntil(({ lines }) => lines.length === 2);
    expect(graphql.requests[0]!.variables).toEqual({ strategy: 'str_1', after: 7 });
    expect(running.lines[0]).toBe(
      '2026-01-01T00:00:00.000Z\t8\tOPEN\tBTC/USDT\tBUY\t0.010000000000000001\t60000.1\ttrd_1',
    );
    expect(await running.interrupt()).toBe(130);
  });

  it('rejects an invalid sequence', async () => {
    for (const after of ['-1', 'x', '1.5']) {
      const { exitCode } = await svc(['signals', 'stream', 'str_1', `--after=${after}`]);
      expect([after, exitCode]).toEqual([after, 2]);
    }
  });
});

describe('svc graphql', () => {
  it('sends a signed operation with variables and prints the data', async () => {
    const { exitCode, stdout } = await svc([
      'graphql',
      'query ($n: Int) { me { id } }',
      '--var',
      'n=3',
      '--var',
      'name=BTC/USDT',
      '--var',
      'amount=0.123456789012345678',
    ]);
    expect([exitCode, stdout]).toEqual([0, '{"me":{"id":"usr_1"}}\n']);
    expect(graphql.requests[0]).toMatchObject({
      query: 'query ($n: Int) { me { id } }',
      variables: { n: 3, name: 'BTC/USDT', amount: '0.123456789012345678' },
    });
    expect(graphql.headers[0]).toHaveProperty('x-svc-sig');
  });

  it('reads the document from stdin and applies a jq filter', async () => {
    const { stdout } = await svc(['graphql', '-', '--jq', '.me.id'], { stdin: '{ me { id } }' });
    expect(stdout).toBe('usr_1\n');
    expect(graphql.requests[0]!.query).toBe('{ me { id } }');
  });

  it('requires exactly one document, as an argument or in a readable file', async () => {
    expect((await svc(['graphql'])).exitCode).toBe(2);
    expect((await svc(['graphql', '{ me { id } }', '-f', 'q.graphql'])).exitCode).toBe(2);
    expect((await svc(['graphql', '-f', '/nowhere/q.graphql'])).exitCode).toBe(2);
  });

  it('prints the partial data of a failed operation, and ends with the exit code of its error', async () => {
    graphql.httpResponse = {
      data: { me: { id: 'usr_1' }, trade: null },
      errors: [{ message: 'No such trade.', path: ['trade'], extensions: { code: 'not_found' } }],
    };
    const { exitCode, stdout, stderr } = await svc(['graphql', '{ me { id } trade(id: "x") { id } }']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([3, { me: { id: 'usr_1' }, trade: null }]);
    expect(stderr).toContain('No such trade. (not_found)');
  });

  it('prints each event of a subscription as a line of JSON', async () => {
    graphql.initialPayloads = [{ tick: 1 }, { tick: 2 }];
    const running = new RunningCommand(['graphql', '--subscribe', 'subscription { tick }'], variables());
    await running.waitUntil(({ lines }) => lines.length === 2);
    expect(running.lines).toEqual(['{"tick":1}', '{"tick":2}']);
    expect(await running.interrupt()).toBe(130);
  });
});
