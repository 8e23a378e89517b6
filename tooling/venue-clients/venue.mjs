import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../apps/paper-exchange/dist/main.js', import.meta.url));

/**
 * Starts the built paper exchange on a free port, without a market maker, with a price and resting orders to trade with: the spot market
 * BTCUSDT, and the contract with its pair, whose mark price is fixed.
 */
export async function startVenue() {
  const folder = mkdtempSync(join(tmpdir(), 'venue-clients-'));
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    MARKET: 'off',
    SCHEDULED_PAYMENTS: 'off',
    WEIGHT_PER_MINUTE: '1000000',
    FUTURES_WEIGHT_PER_MINUTE: '1000000',
  };
  const child = fork(main, [], { silent: true, execArgv: [], env });
  const { stdout } = child;
  if (stdout === null) throw new Error('The paper exchange has no output.');
  const [line] = await once(createInterface({ input: stdout }), 'line');
  const { url } = /** @type {{ url: string }} */ (JSON.parse(line));
  /** @type {(path: string, body: object) => Promise<unknown>} */
  const admin = async (path, body) => {
    const response = await fetch(`${url}/admin/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`/admin/${path} returned ${response.status}: ${await response.text()}`);
    return response.json();
  };
  await admin('market', { symbol: 'BTCUSDT', price: 60_000, mark_price: 60_000 });
  return {
    /** Creates an account. @returns {Promise<import('./client.mjs').Target>} */
    async createAccount() {
      const keys = /** @type {{ api_key: string, api_secret: string }} */ (
        await admin('accounts', {
          balances: { USDT: 100_000, BTC: 10 },
          futures_balances: { USDT: 10_000 },
        })
      );
      return { url, ...keys };
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
