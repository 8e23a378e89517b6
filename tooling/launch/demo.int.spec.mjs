import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDemoPaperAccount } from './demo.mjs';

const main = fileURLToPath(new URL('../../apps/paper-exchange/dist/main.js', import.meta.url));

describe('the demo account at the paper exchange', () => {
  let folder;
  let exchange;
  let url;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'demo-account-'));
    const env = { PATH: process.env.PATH, DATA_DIR: folder, MARKET: 'off' };
    exchange = fork(main, [], { silent: true, execArgv: [], env });
    const [line] = await once(createInterface({ input: exchange.stdout }), 'line');
    ({ url } = JSON.parse(line));
  });
  afterAll(async () => {
    exchange.kill('SIGTERM');
    await once(exchange, 'exit');
    rmSync(folder, { recursive: true });
  });

  it('has balances on spot and on futures', async () => {
    const { api_key } = await openDemoPaperAccount(url);
    const response = await fetch(`${url}/admin/ledger?api_key=${api_key}`);
    const { balances, futures_balances } = await response.json();
    expect(balances).toMatchObject({
      USDT: { free: '10000000' },
      BTC: { free: '10' },
      ETH: { free: '100' },
      SOL: { free: '1000' },
    });
    expect(futures_balances).toMatchObject({ USDT: { wallet: '1000000', available: '1000000' } });
  });
});
