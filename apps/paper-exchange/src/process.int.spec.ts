import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { parseUnits } from './engine/decimal.js';

interface Keys {
  readonly api_key: string;
  readonly api_secret: string;
}

interface Placed {
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly executedQty: string;
  readonly fills: readonly { tradeId: number; price: string; qty: string; commission: string }[];
}

interface LedgerView {
  readonly balances: Record<string, { free: string; locked: string }>;
  readonly orders: readonly { order_id: string; client_order_id: string; filled_amount: string }[];
  readonly fills: readonly {
    fill_id: string;
    order_id: string;
    side: string;
    price: string;
    amount: string;
    fee: string;
  }[];
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => total + (parseUnits(amount) as bigint), 0n);
}

const main = new URL('../dist/main.js', import.meta.url).pathname;

describe('the paper exchange process', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'paper-exchange-process-'));
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
      MARKET: 'off',
      ORDERS_PER_10S: '10000',
    };
    child = fork(main, [], { silent: true, execArgv: [], env });
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    return (JSON.parse(line) as { url: string }).url;
  }

  async function postJson(url: string, body: object): Promise<Keys> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Keys;
  }

  it('has every confirmed account and balance after a kill -9 and a restart', async () => {
    const url = await start();
    const keys: string[] = [];
    for (let i = 1; i <= 20; i++)
      keys.push((await postJson(`${url}/admin/accounts`, { balances: { USDT: i } })).api_key);
    child?.kill('SIGKILL');
    await once(child!, 'exit');

    const restartedUrl = await start();
    for (const [i, key] of keys.entries()) {
      const ledger = await (await fetch(`${restartedUrl}/admin/ledger?api_key=${key}`)).json();
      expect(ledger).toMatchObject({ balances: { USDT: { free: String(i + 1), locked: '0' } } });
    }
  });

  /** Places one signed order. Returns undefined if there is no response. */
  async function place(url: string, keys: Keys, order: Record<string, string>): Promise<Placed | undefined> {
    const params = new URLSearchParams({
      symbol: 'BTCUSDT',
      type: 'LIMIT',
      timeInForce: 'GTC',
      ...order,
      timestamp: String(Date.now()),
      recvWindow: '60000',
    }).toString();
    const signature = createHmac('sha256', keys.api_secret).update(params).digest('hex');
    const response = await fetch(`${url}/api/v3/order?${params}&signature=${signature}`, {
      method: 'POST',
      headers: { 'x-mbx-apikey': keys.api_key },
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined) return undefined;
    expect(response.status).toBe(200);
    return JSON.parse(text) as Placed;
  }

  it('has every confirmed order and fill, and the same total of each asset, after a kill -9 during trading', async () => {
    const url = await start();
    const initialBalances = { USDT: 400_000, BTC: 5 };
    const users = [
      await postJson(`${url}/admin/accounts`, { balances: initialBalances }),
      await postJson(`${url}/admin/accounts`, { balances: initialBalances }),
    ];
    const confirmed: { user: number; placed: Placed }[] = [];
    let next = 0;
    const trade = async (): Promise<void> => {
      for (let n = next++; n < 400; n = next++) {
        const user = n % 2;
        const placed = await place(url, users[user]!, {
          newClientOrderId: `order-${n}`,
          side: user === 0 ? 'BUY' : 'SELL',
          price: String(60_000 + (user === 0 ? n % 5 : -(n % 3))),
          quantity: `0.00${100 + (n % 7) * 13}`,
        });
        if (placed === undefined) return;
        confirmed.push({ user, placed });
        if (confirmed.length === 120) child?.kill('SIGKILL');
      }
    };
    const exited = once(child!, 'exit');
    await Promise.all(Array.from({ length: 8 }, trade));
    await exited;
    expect(confirmed.length).toBeGreaterThanOrEqual(120);

    const restartedUrl = await start();
    const ledgers = await Promise.all(
      users.map(async ({ api_key }) => {
        return (await (await fetch(`${restartedUrl}/admin/ledger?api_key=${api_key}`)).json()) as LedgerView;
      }),
    );
    for (const { user, placed } of confirmed) {
      const { orders, fills } = ledgers[user]!;
      const order = orders.find((one) => one.client_order_id === placed.clientOrderId);
      expect(order?.order_id).toBe(String(placed.orderId));
      expect(parseUnits(order!.filled_amount)).toBeGreaterThanOrEqual(
        parseUnits(placed.executedQty) as bigint,
      );
      for (const fill of placed.fills) {
        const restored = fills.find((one) => one.fill_id === String(fill.tradeId));
        expect(parseUnits(restored!.amount)).toBe(parseUnits(fill.qty));
        expect(parseUnits(restored!.price)).toBe(parseUnits(fill.price));
        expect(parseUnits(restored!.fee)).toBe(parseUnits(fill.commission));
      }
    }
    const fills = ledgers.flatMap((ledger) => ledger.fills);
    expect(fills.length).toBeGreaterThan(50);
    for (const [asset, side] of [
      ['BTC', 'BUY'],
      ['USDT', 'SELL'],
    ] as const) {
      const held = ledgers.flatMap(({ balances }) => [balances[asset]!.free, balances[asset]!.locked]);
      const fees = fills.filter((fill) => fill.side === side).map((fill) => fill.fee);
      expect(sum([...held, ...fees])).toBe(sum([String(2 * initialBalances[asset])]));
    }
    for (const { orders, fills: accountFills } of ledgers) {
      for (const order of orders) {
        const amounts = accountFills
          .filter((fill) => fill.order_id === order.order_id)
          .map((fill) => fill.amount);
        expect(sum(amounts)).toBe(parseUnits(order.filled_amount));
      }
    }
  });

  it.each(['/proc/no/folder', '/dev/null/folder'])(
    'exits with an error that names DATA_DIR if it is %s',
    async (folder) => {
      child = fork(main, [], {
        silent: true,
        execArgv: [],
        env: { PATH: process.env.PATH, DATA_DIR: folder },
      });
      const output = Promise.all([textOf(child.stdout!), textOf(child.stderr!)]);
      expect(await once(child, 'close')).toEqual([1, null]);
      expect((await output).join('')).toContain(`The files in DATA_DIR (${folder}) cannot be used: `);
    },
  );

  it('exits with 0 when its parent process disconnects', async () => {
    await start();
    child?.disconnect();
    expect(await once(child!, 'exit')).toEqual([0, null]);
  });
});
