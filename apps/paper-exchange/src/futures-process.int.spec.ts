import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseUnits } from './engine/decimal.js';

interface Keys {
  readonly api_key: string;
  readonly api_secret: string;
}

interface Ledger {
  readonly orders: readonly { readonly client_order_id: string; readonly filled_amount: string }[];
  readonly fills: readonly {
    readonly side: string;
    readonly amount: string;
    readonly fee: string;
    readonly realized_pnl: string;
  }[];
  readonly positions: readonly { readonly side: string; readonly amount: string }[];
  readonly futures_balances: { readonly USDT: { readonly wallet: string } };
}

const main = new URL('../dist/main.js', import.meta.url).pathname;
const ORDERS = 300;

function unitsOf(text: string): bigint {
  const units = parseUnits(text.replace('-', ''));
  if (typeof units !== 'bigint') throw new Error(`${text} is not a decimal.`);
  return text.startsWith('-') ? -units : units;
}

describe('the futures of the paper exchange process', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'paper-exchange-futures-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  /** Starts the built process and returns its address once it listens. */
  async function start(): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: directory,
      MARKET: 'on',
      FUTURES_ORDERS_PER_10S: '10000',
    };
    child = fork(main, [], { silent: true, execArgv: [], env });
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    return (JSON.parse(line) as { url: string }).url;
  }

  /** Places one order and returns whether the exchange confirmed it. */
  async function isPlaced(url: string, keys: Keys, n: number): Promise<boolean> {
    const params = new URLSearchParams({
      symbol: 'BTCUSDT',
      type: 'MARKET',
      side: n % 3 === 0 ? 'SELL' : 'BUY',
      quantity: `0.0${10 + (n % 7)}`,
      newClientOrderId: `order-${n}`,
      timestamp: String(Date.now()),
      recvWindow: '60000',
    }).toString();
    const signature = createHmac('sha256', keys.api_secret).update(params).digest('hex');
    const response = await fetch(`${url}/fapi/v1/order?${params}&signature=${signature}`, {
      method: 'POST',
      headers: { 'x-mbx-apikey': keys.api_key },
    }).catch(() => undefined);
    return response?.status === 200;
  }

  it('has every confirmed order after a kill -9, with the position and the wallet that its fills give', async () => {
    const url = await start();
    const created = await fetch(`${url}/admin/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ futures_balances: { USDT: 100_000 } }),
    });
    const keys = (await created.json()) as Keys;
    const confirmed: string[] = [];
    let next = 0;
    const trade = async (): Promise<void> => {
      for (let n = next++; n < ORDERS; n = next++) {
        if (!(await isPlaced(url, keys, n))) return;
        confirmed.push(`order-${n}`);
        if (confirmed.length === ORDERS / 2) child?.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 8 }, trade));
    expect(confirmed.length).toBeGreaterThanOrEqual(ORDERS / 2);
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');

    const restartedUrl = await start();
    const ledger = (await (
      await fetch(`${restartedUrl}/admin/ledger?api_key=${keys.api_key}`)
    ).json()) as Ledger;
    const ids = ledger.orders.map(({ client_order_id: id }) => id);
    expect(ids).toEqual(expect.arrayContaining(confirmed));
    expect(new Set(ids).size).toBe(ids.length);
    let [wallet, amount] = [unitsOf('100000'), 0n];
    for (const fill of ledger.fills) {
      wallet += unitsOf(fill.realized_pnl) - unitsOf(fill.fee);
      amount += fill.side === 'BUY' ? unitsOf(fill.amount) : -unitsOf(fill.amount);
    }
    expect(unitsOf(ledger.futures_balances.USDT.wallet)).toBe(wallet);
    const [position] = ledger.positions;
    const held = unitsOf(position?.amount ?? '0');
    expect(position?.side === 'SHORT' ? -held : held).toBe(amount);
  });
});
