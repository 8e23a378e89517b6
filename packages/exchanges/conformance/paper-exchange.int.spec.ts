import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import { describeConformance, type Subject } from './suite.js';

const main = new URL('../../../apps/paper-exchange/dist/main.js', import.meta.url).pathname;

/** The built paper exchange with users alone as its market. */
async function startPaperExchange(): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-'));
  const env = { PATH: process.env.PATH, DATA_DIR: directory, MARKET: 'off' };
  const child: ChildProcess = fork(main, [], { silent: true, execArgv: [], env });
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  const { url } = JSON.parse(line as string) as { url: string };
  const venue = createVenue(
    venueConfig.parse({ id: 'paper', name: 'Paper', adapter: 'binance', tradingTypes: ['spot'], url }),
  );
  return {
    venue,
    symbol: 'BTC/USDT',
    openAccount: async (balances) => {
      const answer = await fetch(`${url}/admin/accounts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ balances }),
      });
      const keys = (await answer.json()) as { api_key: string; api_secret: string };
      return { apiKey: keys.api_key, apiSecret: keys.api_secret };
    },
    close: async () => {
      await venue.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

describeConformance('the paper exchange', startPaperExchange);
