import { runCaptured } from '../support/captured-run.js';
import { emptyFolder } from '../support/empty-folder.js';
import { PseudoTerminal } from '../support/pseudo-terminal.js';
import { RunningCommand } from './running-command.js';
import { StubStreamingApi } from './stub-streaming-api.js';

let api: StubStreamingApi;
beforeEach(async () => {
  api = await StubStreamingApi.start();
  api.onList('GET /v1/events', [{ event_id: 'evt_1' }]);
  api.push('evt_1', '{}');
});
afterEach(() => api.close());

const trade = (id: string, version: number, status: string, more: object = {}) => ({
  id,
  version,
  status,
  symbol: 'BTC/USDT',
  side: 'BUY',
  type: 'LIMIT',
  amount: '0.020000000000000001',
  filled_amount: status === 'FILLED' ? '0.020000000000000001' : '0',
  created_at: `2026-01-01T00:00:0${id.at(-1)}.000Z`,
  fills: [],
  ...more,
});
const variables = () => ({ SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key', NO_COLOR: '1' });
const watch = (...args: string[]) => new RunningCommand(['trades', 'watch', ...args], variables());

/** Sets the trades of the account. */
function setTrades(...trades: ReturnType<typeof trade>[]): void {
  api.on('GET /v1/trades', ({ url }) => {
    const status = new URL(url, api.url).searchParams.get('status');
    const newest = trades.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1)).slice(0, 1);
    const data = status === null ? newest : trades.filter((each) => each.status === status);
    return { data, pagination: { limit: 100, offset: 0, has_more: false, next_cursor: null } };
  });
  for (const each of trades) api.on(`GET /v1/trades/${each.id}`, { data: each });
}
let eventCount = 1;
/** Changes a trade and sends its event. */
function changeTrade(to: ReturnType<typeof trade>): void {
  api.on(`GET /v1/trades/${to.id}`, { data: to });
  api.push(
    `evt_${++eventCount}`,
    JSON.stringify({ event_id: `evt_${eventCount}`, type: 'trade.x', data: { id: to.id } }),
  );
}

describe('svc trades watch', () => {
  it('follows the open trades with --until-final, and ends with exit code 0 once all are final', async () => {
    setTrades(trade('trd_1', 1, 'PENDING'), trade('trd_2', 1, 'PARTIALLY_FILLED'));
    const running = watch('--until-final');
    await running.waitUntil(({ lines }) => lines.length === 2);
    changeTrade(trade('trd_1', 2, 'FILLED', { average_price: '60000.1' }));
    await running.waitUntil(({ lines }) => lines.length === 3);
    changeTrade(trade('trd_2', 2, 'CANCELLED'));
    expect(await running.ended).toBe(0);
    expect(running.lines[2]).toBe(
      'trd_1\tBTC/USDT\tBUY\tLIMIT\tFILLED\t0.020000000000000001/0.020000000000000001\t60000.1\t',
    );
  });

  it('ends immediately with --until-final if no trade is open', async () => {
    setTrades(trade('trd_1', 2, 'FILLED'));
    const { exitCode, stdout } = await runCaptured(['trades', 'watch', '--until-final'], {
      variables: variables(),
    });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('FILLED')]);
  });

  it('ends with exit code 1 and the reason if a trade failed', async () => {
    setTrades(trade('trd_1', 1, 'PENDING'));
    const running = watch('trd_1', '--until-final');
    await running.waitUntil(({ lines }) => lines.length === 1);
    changeTrade(trade('trd_1', 2, 'FAILED', { failure: { code: 'REJECTED', message: 'too small' } }));
    expect(await running.ended).toBe(1);
    expect(running.stderr).toContain('Trade trd_1 failed: too small (REJECTED)');
  });

  it('misses no change between reading the trades and opening the stream', async () => {
    setTrades(trade('trd_1', 1, 'PENDING'));
    // The trade is filled right after it was read, before the stream is open.
    api.on('GET /v1/trades/trd_1', () => {
      changeTrade(trade('trd_1', 2, 'FILLED'));
      return { data: trade('trd_1', 1, 'PENDING') };
    });
    expect(await watch('--until-final').ended).toBe(0);
    expect(api.resumedAfter).toEqual(['evt_1']);
  });

  it('prints no state that is older than the printed one', async () => {
    setTrades(trade('trd_1', 3, 'PARTIALLY_FILLED'));
    const running = watch();
    await running.waitUntil(({ lines }) => lines.length === 1);
    changeTrade(trade('trd_1', 2, 'PENDING'));
    changeTrade(trade('trd_9', 1, 'PENDING'));
    await running.waitUntil(({ lines }) => lines.length === 2);
    expect(running.lines.map((line) => line.split('\t')[0])).toEqual(['trd_1', 'trd_9']);
    expect(await running.interrupt()).toBe(130);
  });

  it('prints JSON, one state per line, with the requested fields', async () => {
    setTrades(trade('trd_1', 1, 'PENDING'));
    const running = watch('trd_1', '--json', 'id,status');
    await running.waitUntil(({ lines }) => lines.length === 1);
    expect(JSON.parse(running.lines[0]!)).toEqual({ id: 'trd_1', status: 'PENDING' });
    await running.interrupt();
  });

  it('ends with exit code 3 if the trade does not exist', async () => {
    const { exitCode } = await runCaptured(['trades', 'watch', 'trd_0'], { variables: variables() });
    expect(exitCode).toBe(3);
  });

  describe('on a screen', () => {
    const terminals: PseudoTerminal[] = [];
    const watchOnScreen = (...args: string[]) => {
      const terminal = PseudoTerminal.svc(['trades', 'watch', ...args], {
        ...variables(),
        SVC_CONFIG_DIR: emptyFolder(),
      });
      terminals.push(terminal);
      return terminal;
    };
    afterEach(() => {
      for (const terminal of terminals.splice(0)) terminal.kill();
    });
    const HIDE_CURSOR = '\u001b[?25l';
    const SHOW_CURSOR = '\u001b[?25h';

    it('redraws the table in place, and q ends it with exit code 0 and a visible cursor', async () => {
      setTrades(trade('trd_1', 1, 'PENDING'));
      const terminal = watchOnScreen();
      await terminal.shows('PENDING');
      changeTrade(trade('trd_1', 2, 'FILLED'));
      await terminal.shows('FILLED');
      terminal.type('q');
      expect(await terminal.end()).toBe(0);
      expect(terminal.raw).toContain(HIDE_CURSOR);
      expect(terminal.raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw.lastIndexOf(HIDE_CURSOR));
    });

    it('ends with exit code 130 and a visible cursor after Ctrl-C', async () => {
      setTrades(trade('trd_1', 1, 'PENDING'));
      const terminal = watchOnScreen();
      await terminal.shows('PENDING');
      terminal.type('\u0003');
      expect(await terminal.end()).toBe(130);
      expect(terminal.raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw.lastIndexOf(HIDE_CURSOR));
    });

    it('leaves keyboard input to the shell after its end', async () => {
      setTrades(trade('trd_1', 2, 'FILLED'));
      const shellVariables = { ...variables(), SVC_CONFIG_DIR: emptyFolder() };
      const terminal = PseudoTerminal.shell(
        'svc trades watch --until-final; echo ended; read line; echo "got $line"',
        shellVariables,
      );
      terminals.push(terminal);
      await terminal.shows('\nended\n');
      terminal.type('hello\r');
      await terminal.shows('got hello');
      expect(await terminal.end()).toBe(0);
    });
  });
});
