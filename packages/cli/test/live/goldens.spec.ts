import { createHash } from 'node:crypto';
import { type CapturedRun, runCaptured, type TestEnvironment } from '../support/captured-run.js';
import { expectGolden } from '../support/golden.js';
import { RunningCommand } from './running-command.js';
import { StubGraphqlServer } from './stub-graphql-server.js';
import { StubReceiver } from './stub-receiver.js';
import { StubStreamingApi } from './stub-streaming-api.js';

/** Compares the help and output of the custom commands with golden files, whose content was reviewed. */

let api: StubStreamingApi;
let graphql: StubGraphqlServer;
let receiver: StubReceiver;
beforeAll(async () => {
  api = await StubStreamingApi.start();
  graphql = await StubGraphqlServer.start();
  receiver = await StubReceiver.start();
  const trade = {
    id: 'trd_01jd7x0000e6w9k3v5t7q2m8np',
    symbol: 'BTC/USDT',
    side: 'BUY',
    type: 'MARKET',
    status: 'FILLED',
    amount: '0.01',
    filled_amount: '0.01',
    average_price: '60000.100000000000000001',
    version: 3,
    created_at: '2026-01-01T00:00:00.000Z',
  };
  const sample = {
    event_id: 'evt_1',
    type: 'trade.filled',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { amount: 1.5 },
  };
  api
    .on('GET /v1/version', { data: { version: '1.2.3', commit: 'abc', api: 'v1', world: 'test' } })
    .on('GET /v1/me', {
      data: {
        id: 'usr_1',
        world: 'test',
        credential: { kind: 'public_key', id: 'pbk_1', permissions: ['ADMIN'] },
      },
    })
    .on('GET /v1/events/types', { data: { types: [{ type: 'trade.filled', sample }] } })
    .onList('GET /v1/events', [{ event_id: 'evt_1' }])
    .onList('GET /v1/trades', [trade])
    .on(`GET /v1/trades/${trade.id}`, { data: trade })
    .onList('GET /v1/exchanges', [
      {
        id: 'exa_1',
        exchange_name: 'paper',
        account_name: 'practice',
        trading_type: 'spot',
        is_active: true,
        balance: { USDT: '100000' },
      },
    ])
    .onList('GET /v1/trade-pairs', [{ id: 'tpr_1', symbol: 'BTC/USDT', exchange: 'paper' }]);
  graphql.httpResponse = { data: { me: { id: 'usr_1' }, health: { status: 'ok' } } };
  graphql.initialPayloads = [
    {
      orderbookUpdate: {
        exchange: 'paper',
        symbol: 'BTC/USDT',
        kind: 'SNAPSHOT',
        sequence: 7,
        previous_sequence: null,
        bids: [
          ['60000.5', '0.123456789012345678'],
          ['59999', '2'],
        ],
        asks: [['60001.25', '3']],
        exchange_timestamp: '2026-01-01T00:00:00.000Z',
        received_at: '2026-01-01T00:00:00.000Z',
      },
    },
  ];
});
afterAll(async () => {
  await api.close();
  await graphql.close();
  await receiver.close();
});

const SVC_PRIVATE_KEY = createHash('sha256').update('svc: goldens').digest('hex');

async function run(argv: readonly string[], testEnvironment: TestEnvironment = {}) {
  const { exitCode, stdout, stderr } = await runCaptured(argv, {
    variables: variables(),
    ...testEnvironment,
  });
  return transcriptOf(argv, { exitCode, stdout, stderr }, testEnvironment.isScreen);
}

const variables = () => ({
  SVC_BASE_URL: api.url,
  SVC_GRAPHQL_URL: graphql.url,
  SVC_PRIVATE_KEY,
  // On a dumb terminal, live views print each frame below the previous one.
  TERM: 'dumb',
});

function transcriptOf(
  argv: readonly string[],
  { exitCode, stdout, stderr }: CapturedRun,
  isScreen = false,
): string {
  return `$ svc ${argv.join(' ')}${isScreen ? '   (screen)' : ''}\n${stdout}${stderr === '' ? '' : `--- stderr\n${stderr}`}=> ${exitCode}\n`;
}

/** Replaces text that differs from run to run: addresses, durations, new ids and times, versions and folders. */
function normalized(text: string): string {
  return text
    .replaceAll(api.url, 'http://api')
    .replaceAll(graphql.url, 'http://graphql')
    .replaceAll(receiver.url, 'http://receiver/hook')
    .replace(/\d+ ms/g, '0 ms')
    .replace(/"ms":\d+/g, '"ms":0')
    .replaceAll(process.versions.node, '(version)')
    .replace(/evt_[0-9a-hjkmnp-tv-z]{26}/g, 'evt_fresh')
    .replace(/2(?!026-01-01)\d{3}-\d\d-\d\dT[\d:.]+Z/g, 'now')
    .replace(/\/\S*\/svc-test-\w+/g, '(home)')
    .replace(/^(date|connection|keep-alive|transfer-encoding): .*\n/gm, '');
}

const CASES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  listen: [
    ['listen', '--forward-to', 'ftp://x'],
    ['listen', '--header', 'a:b'],
  ],
  trigger: [
    ['trigger', 'trade.filled'],
    ['trigger', 'trade.fill'],
  ],
  'events stream': [],
  'trades watch': [['trades', 'watch', '--until-final']],
  orderbook: [['orderbook', 'BTC/USDT']],
  'signals stream': [['signals', 'stream', 'str_1', '--after=x']],
  api: [
    ['api', 'GET', '/v1/me'],
    ['api', 'GET', '/v1/me', '--include'],
    ['api', 'GET', '/v1/nothing'],
  ],
  graphql: [['graphql', '{ me { id } }']],
  doctor: [['doctor']],
  'dev up': [['dev', 'up']],
  'dev down': [],
  'dev reset': [],
  'dev seed': [['dev', 'seed']],
  open: [['open'], ['open', 'docs'], ['open', 'x']],
  docs: [['docs'], ['docs', 'webhooks']],
};

describe.each(Object.entries(CASES))('svc %s', (command, runs) => {
  it('shows the help and output of the golden file, on a screen, in a pipe and as JSON', async () => {
    const texts = [await run([...command.split(' '), '--help'])];
    for (const argv of runs) {
      texts.push(await run(argv, { isScreen: true }));
      texts.push(await run(argv));
      texts.push(await run([...argv, '--json']));
    }
    expectGolden(`live-${command.replaceAll(' ', '-')}`, normalized(texts.join('\n')));
  });
});

it('prints a delivery as in the golden file', async () => {
  const texts = [await run(['trigger', 'trade.filled', '--forward-to', receiver.url])];
  receiver.responses = [{ status: 500 }];
  texts.push(await run(['trigger', 'trade.filled', '--forward-to', receiver.url, '--json']));
  expectGolden('live-trigger-forwarded', normalized(texts.join('\n')));
});

/** Starts a command, calls `causeOutput` once it is connected, waits for the lines and presses Ctrl-C. */
async function runUntil(
  argv: readonly string[],
  lineCount: number,
  causeOutput: () => void,
): Promise<string> {
  const running = new RunningCommand([...argv, '--verbose'], variables());
  const connections = api.resumedAfter.length + 1;
  if (argv[0] !== 'signals') await api.waitForConnections(connections);
  causeOutput();
  await running.waitUntil(({ lines }) => lines.length >= lineCount);
  const exitCode = await running.interrupt();
  return transcriptOf(argv, { exitCode, stdout: running.stdout, stderr: running.stderr });
}

it('prints events as in the golden file', async () => {
  receiver.responses = [{ status: 204 }];
  let eventCount = 1;
  const pushEvent = () => {
    const id = `evt_${++eventCount}`;
    const data = { id: 'trd_1', status: 'FILLED', amount: 1.5 };
    const event = { event_id: id, type: 'trade.filled', timestamp: '2026-01-01T00:00:00.000Z', data };
    api.push(id, JSON.stringify(event));
  };
  const forwarding = ['listen', '--forward-to', receiver.url];
  const texts = [
    await runUntil(forwarding, 2, pushEvent),
    await runUntil([...forwarding, '--json'], 2, pushEvent),
    await runUntil(['events', 'stream'], 1, pushEvent),
    await runUntil(['events', 'stream', '--json'], 1, pushEvent),
    await runUntil(['events', 'stream', '--json', 'type,data.status'], 1, pushEvent),
    await runUntil(['events', 'stream', '--jq', '.data.amount'], 1, pushEvent),
  ];
  expectGolden('live-events', normalized(texts.join('\n')));
});

it('prints signals as in the golden file', async () => {
  const tradeSignal = {
    id: 'sig_1',
    sequence: 1,
    kind: 'OPEN',
    symbol: 'BTC/USDT',
    side: 'BUY',
    filled_amount: '0.01',
    reference_price: '60000.1',
    source_trade_id: 'trd_1',
    emitted_at: '2026-01-01T00:00:00.000Z',
  };
  graphql.initialPayloads = [{ tradeSignal }];
  const argv = ['signals', 'stream', 'str_1', '--after', '0'];
  const texts = [await runUntil(argv, 1, () => {}), await runUntil([...argv, '--json'], 1, () => {})];
  expectGolden('live-signals', normalized(texts.join('\n')));
});
