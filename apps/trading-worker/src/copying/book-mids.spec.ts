/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { BookMids } from './book-mids.js';

/** A clock that moves only when the test advances it. */
class ManualClock {
  private time = 0;
  private sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];

  nowMs(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.sleepers.push({ untilMs: this.time + ms, wake }));
  }

  /** Advances in steps of 50 ms, and lets all work that is due run after each step. */
  async advance(ms: number): Promise<void> {
    for (const end = this.time + ms; this.time < end; ) {
      this.time = Math.min(end, this.time + 50);
      for (const { untilMs, wake } of this.sleepers) if (untilMs <= this.time) wake();
      this.sleepers = this.sleepers.filter(({ untilMs }) => untilMs > this.time);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  }
}

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

describe('rule 31: the middle of an order book', () => {
  it('is computed exactly, and null if one side has no orders', async () => {
    let best: { bid: string | null; ask: string | null } = { bid: '99.9', ask: '100.2' };
    const mids = new BookMids(async () => best, clock);
    expect(await mids.read('paper', 'BTC/USDT')).toBe('100.05');
    best = { bid: null, ask: '100.2' };
    expect(await mids.read('paper', 'ETH/USDT')).toBeNull();
  });

  it('is requested once by all readers of a second, for each exchange and symbol', async () => {
    const requested: string[] = [];
    const mids = new BookMids(async (exchange, symbol) => {
      requested.push(`${exchange} ${symbol}`);
      return { bid: '1', ask: '3' };
    }, clock);
    const reads = Array.from({ length: 1_000 }, () => mids.read('paper', 'BTC/USDT'));
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['2']));
    await mids.read('other', 'BTC/USDT');
    await clock.advance(999);
    await mids.read('paper', 'BTC/USDT');
    expect(requested).toEqual(['paper BTC/USDT', 'other BTC/USDT']);
    await clock.advance(1);
    await mids.read('paper', 'BTC/USDT');
    expect(requested).toHaveLength(3);
  });

  it('is requested again after a failure, for up to 2.5 s; then it is null', async () => {
    let failures = 2;
    let requests = 0;
    const mids = new BookMids(async () => {
      requests++;
      if (failures-- > 0) throw new Error('The exchange does not respond.');
      return { bid: '1', ask: '3' };
    }, clock);
    const read = mids.read('paper', 'BTC/USDT');
    await clock.advance(700);
    expect(await read).toBe('2');
    expect(requests).toBe(3);
    failures = Number.POSITIVE_INFINITY;
    const failing = mids.read('paper', 'ETH/USDT');
    await clock.advance(2_500);
    expect(await failing).toBeNull();
  });

  it('is null after 2.5 s if the exchange does not respond', async () => {
    const mids = new BookMids(() => new Promise(() => undefined), clock);
    const read = mids.read('paper', 'BTC/USDT');
    await clock.advance(2_500);
    expect(await read).toBeNull();
  });
});
