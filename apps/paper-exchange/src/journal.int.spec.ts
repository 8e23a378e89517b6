import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Exchange } from './engine/exchange.js';
import type { Account } from './engine/order.js';
import { findMarket } from './engine/symbols.js';
import { Journal } from './journal.js';

const spec = findMarket('BTC/USDT')!;
const UNIT = 100_000_000n;
const account = (id: string): Account => ({
  id,
  uid: 1,
  apiKey: id,
  apiSecret: id,
  canTrade: true,
  canWithdraw: false,
  createdAt: 0,
});

describe('the journal', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'paper-journal-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Opens an exchange on the directory. A test that does not close it simulates a killed process. */
  function open(compactAfterLines?: number) {
    const journal = new Journal(directory, compactAfterLines);
    const exchange = new Exchange({
      state: journal.state,
      fees: { makerPpm: 1_000, takerPpm: 1_000 },
      now: () => Date.UTC(2026, 0, 1),
      persist: (record) => journal.append(record),
    });
    return { journal, exchange };
  }

  /** Places `count` pairs of a buy order and a sell order that match. `from` is the number of the first pair. */
  function trade({ exchange }: ReturnType<typeof open>, count: number, from = 0): void {
    const [buyer, seller] = [account('buyer'), account('seller')];
    if (from === 0) {
      exchange.openAccount(buyer, new Map([['USDT', 1_000_000_000n * UNIT]]));
      exchange.openAccount(seller, new Map([['BTC', 1_000n * UNIT]]));
    }
    for (let n = from; n < from + count; n += 1) {
      const order = {
        type: 'LIMIT',
        timeInForce: 'GTC',
        lots: 100 + (n % 7),
        priceTicks: 6_000_000 + (n % 3),
        stopTicks: 0,
        quoteOrderQty: 0n,
        clientOrderId: `order-${n}`,
      } as const;
      exchange.place(buyer, spec, { ...order, side: 'BUY' });
      exchange.place(seller, spec, { ...order, side: 'SELL' });
    }
  }

  const contents = ({ journal }: { readonly journal: Journal }) =>
    ['buyer', 'seller'].map((id) => ({
      orders: journal.state.ordersOf(id),
      fills: journal.state.fillsOf(id),
      open: journal.state.openOrdersOf(id),
      balances: [...journal.state.ledger.balances(id)],
      newest: journal.state.orderByClientId(id, spec.id, 'order-1500'),
    }));

  it('restores every order, fill and balance from its snapshot and the lines after it', () => {
    const first = open();
    trade(first, 1_600);
    first.journal.close();
    const second = open();
    expect(contents(second)).toEqual(contents(first));
    trade(second, 50, 1_600);
    const third = open();
    expect(contents(third)).toEqual(contents(second));
    expect(third.journal.state.fillsOf('buyer').length).toBeGreaterThan(1_600);
    expect(contents(third)[0]?.newest).toMatchObject({ clientOrderId: 'order-1500' });
  });

  it('restores everything if the process is killed at any point while it writes a snapshot during trading', async () => {
    const running = open(2_000);
    trade(running, 1_000);
    const copy = `${directory}-killed`;
    let kills = 0;
    for (let n = 0; n < 40; n += 1) {
      if (readdirSync(directory).includes('snapshot.new.json')) {
        cpSync(directory, copy, { recursive: true });
        expect(isDeepStrictEqual(contents({ journal: new Journal(copy) }), contents(running))).toBe(true);
        rmSync(copy, { recursive: true });
        kills += 1;
      }
      trade(running, 1, 1_000 + n);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(kills).toBeGreaterThan(3);
    expect(readdirSync(directory).sort()).toEqual(['journal.jsonl', 'snapshot.json']);
    expect(isDeepStrictEqual(contents(open()), contents(running))).toBe(true);
  });

  it('restores the same state if its lines are already in its snapshot', () => {
    const original = open();
    trade(original, 20);
    const lines = readFileSync(join(directory, 'journal.jsonl'));
    // Closing moves the lines to the snapshot. Restoring them simulates a kill before the journal was emptied.
    original.journal.close();
    writeFileSync(join(directory, 'journal.jsonl'), lines);
    expect(contents(open())).toEqual(contents(original));
  });

  it('skips a truncated last line, and throws for a truncated line elsewhere', () => {
    const killed = open();
    trade(killed, 20);
    appendFileSync(join(directory, 'journal.jsonl'), '{"orders":[{"id":');
    const again = open();
    expect(contents(again)).toEqual(contents(killed));
    trade(again, 1, 20);
    const text = readFileSync(join(directory, 'journal.jsonl'), 'utf8');
    writeFileSync(join(directory, 'journal.jsonl'), `{"orders":[{"id":\n${text}`);
    expect(() => open()).toThrow();
  });
});
