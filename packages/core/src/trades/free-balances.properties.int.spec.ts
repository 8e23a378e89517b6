/**
 * Plays random orders, fills and cancellations on an exact model of a venue. The reports of orders, the stream's
 * balances, look-ups and snapshots reach the product late and in any order; one connection keeps its own order.
 */
import { inTransaction } from '@trading-automation/persistence';
import fc from 'fast-check';
import {
  AccountSyncService,
  type BalanceSnapshot,
  currentBalances,
  seenFillKey,
  seenOrderKey,
} from '../exchange-accounts/index.js';
import type { RecordIds } from '../testing/index.js';
import { loadFreeBalances } from './free-balances.queries.js';
import {
  type BalancesMessage,
  MODEL_ASSETS,
  MODEL_PRICES,
  type ModelOrder,
  ModelVenue,
  type OrderMessage,
} from './testing/model-venue.js';
import { OrdersUnderTest } from './testing/orders-under-test.js';

let env: OrdersUnderTest;
let accountSync: AccountSyncService;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  accountSync = new AccountSyncService(env.core.platform);
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const side = fc.constantFrom('BUY' as const, 'SELL' as const);
const fee = fc.constantFrom('BTC' as const, 'BNB' as const);
const pick = fc.nat(1_000);
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      side,
      amount: fc.integer({ min: 2, max: 9 }),
      isMarket: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('accept' as const), pick, fee }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fill' as const),
      pick,
      amount: fc.integer({ min: 2, max: 5 }),
      fee,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('deliver order' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('deliver balances' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('look up' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deliver read' as const), pick }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Initial = Readonly<Record<(typeof MODEL_ASSETS)[number], number>>;
const HELD: Initial = { USDT: 300, BTC: 30, BNB: 20 };
const initial = fc.constantFrom<Initial>(HELD, { USDT: 300, BTC: 0, BNB: 0 });

/** The product and the model of one account, with the messages that are under way between them. */
class Play {
  private readonly trades: {
    readonly id: string;
    readonly order: Pick<ModelOrder, 'side' | 'amount' | 'isMarket'>;
  }[] = [];
  private readonly orderMessages: OrderMessage[] = [];
  private readonly balanceMessages: (BalancesMessage & { readonly seen: readonly string[] })[] = [];
  private readonly reads: BalanceSnapshot[] = [];
  private seen: { atMs: number; keys: string[] } = { atMs: 0, keys: [] };
  private readonly knownFills = new Set<string>();
  readonly venue: ModelVenue;

  private constructor(
    private readonly account: RecordIds,
    private readonly copierId: string,
    held: Initial,
    start: Date,
  ) {
    const amounts = Object.fromEntries(
      Object.entries(held).map(([asset, free]) => [asset, { free, locked: 0 }]),
    ) as ConstructorParameters<typeof ModelVenue>[0];
    this.venue = new ModelVenue(amounts, start, (message) => this.onMessage(message));
  }

  static async begin(held: Initial): Promise<Play> {
    const free = Object.fromEntries(Object.entries(held).map(([asset, amount]) => [asset, String(amount)]));
    const account = await env.newAccount(env.actor, free);
    return new Play(account, await env.newCopier(account), held, new Date(Date.now() + 1_000));
  }

  async run(each: Step): Promise<void> {
    switch (each.do) {
      case 'place':
        return this.place(each);
      case 'accept': {
        const waiting = this.trades.filter(({ id }) => !this.venue.orders.has(id));
        const trade = waiting[each.pick % waiting.length];
        if (trade !== undefined) this.venue.accept(trade.id, trade.order, each.fee);
        return;
      }
      case 'fill':
        return this.withOrder(each.pick, (order) => this.venue.fill(order, each.amount, each.fee));
      case 'cancel':
        return this.withOrder(each.pick, (order) => this.venue.cancel(order));
      case 'advance':
        return this.venue.advance(each.ms);
      case 'deliver order':
        return this.storeOrder(this.orderMessages.shift());
      case 'deliver balances':
        return this.storeBalances(this.balanceMessages.shift());
      case 'look up': {
        const trade = this.trades[each.pick % this.trades.length];
        if (trade !== undefined) await this.storeOrder(this.venue.find(trade.id) ?? undefined);
        return;
      }
      case 'read':
        return this.read();
      case 'deliver read': {
        const [snapshot] = this.reads.splice(each.pick % Math.max(1, this.reads.length), 1);
        if (snapshot !== undefined) await accountSync.storeSnapshots([snapshot]);
      }
    }
  }

  /** Delivers everything that is under way, then one more snapshot. */
  async settle(): Promise<void> {
    while (this.orderMessages.length > 0) await this.storeOrder(this.orderMessages.shift());
    while (this.balanceMessages.length > 0) await this.storeBalances(this.balanceMessages.shift());
    for (const snapshot of this.reads) await accountSync.storeSnapshots([snapshot]);
    this.venue.advance(1);
    await this.read();
    await accountSync.storeSnapshots([this.reads.at(-1)!]);
  }

  async free(): Promise<Readonly<Record<string, number>>> {
    const balances = await inTransaction(env.core.platform.database, (tx) =>
      loadFreeBalances(tx, [this.account.uuid], MODEL_ASSETS),
    );
    return numbers(Object.fromEntries(balances.get(this.account.uuid)!));
  }

  async totals(): Promise<Readonly<Record<string, number>>> {
    const { manager } = env.core.platform.database;
    return numbers((await currentBalances(manager, [this.account.uuid])).get(this.account.uuid) ?? {});
  }

  async equity(): Promise<number> {
    const totals = await this.totals();
    return MODEL_ASSETS.reduce((sum, asset) => sum + (totals[asset] ?? 0) * MODEL_PRICES[asset], 0);
  }

  /** What orders that have not reached the venue take of an asset. */
  onTheWay(asset: string): number {
    const waiting = this.trades.filter(({ id }) => !this.venue.orders.has(id));
    const taken = waiting.map(({ order: { side: waitingSide, amount } }) => {
      if (waitingSide === 'BUY') return asset === 'USDT' ? amount * 10 : 0;
      return asset === 'BTC' ? amount : 0;
    });
    return taken.reduce((sum, amount) => sum + amount, 0);
  }

  /** The fees in BNB of fills of which no report has arrived: only the venue knows them. */
  unknownFees(): number {
    const fills = [...this.venue.orders.values()].flatMap((order) => order.fills);
    return fills.filter((fill) => fill.fee.currency === 'BNB' && !this.knownFills.has(fill.exchangeFillId))
      .length;
  }

  private async place({
    side: placedSide,
    amount,
    isMarket,
  }: Pick<ModelOrder, 'side' | 'amount' | 'isMarket'>) {
    const asset = placedSide === 'BUY' ? 'USDT' : 'BTC';
    const reserved = placedSide === 'BUY' ? amount * 10 : amount;
    if (((await this.free())[asset] ?? 0) < reserved) return;
    const id = await env.placeCopy({
      accountId: this.account.uuid,
      copierId: this.copierId,
      reservedAsset: asset,
      intent: placedSide === 'BUY' ? 'OPEN' : 'CLOSE',
      order: {
        type: isMarket ? 'MARKET' : 'LIMIT',
        side: placedSide,
        timeInForce: 'GTC',
        price: isMarket ? null : '10',
        amount: String(amount),
        reserved: String(reserved),
      },
    });
    await env.execution.claimSubmissions(env.ownershipOf(this.account), [
      { id, venueClientOrderId: `venue-${id}` },
    ]);
    this.trades.push({ id, order: { side: placedSide, amount, isMarket } });
  }

  private withOrder(index: number, work: (order: ModelOrder) => void): void {
    const orders = [...this.venue.orders.values()];
    const order = orders[index % orders.length];
    if (order !== undefined) work(order);
  }

  private onMessage(message: OrderMessage | BalancesMessage): void {
    const atMs = this.venue.now.getTime();
    if (this.seen.atMs !== atMs) this.seen = { atMs, keys: [] };
    if (message.kind === 'balances') {
      this.balanceMessages.push({ ...message, seen: [...this.seen.keys] });
      return;
    }
    const { exchangeOrderId, createdAt } = message.order;
    if (createdAt.getTime() === atMs) this.seen.keys.push(seenOrderKey(exchangeOrderId));
    for (const fill of message.fills) this.seen.keys.push(seenFillKey(exchangeOrderId, fill.exchangeFillId));
    this.orderMessages.push(message);
  }

  private async storeOrder(message: OrderMessage | undefined): Promise<void> {
    if (message === undefined) return;
    const id = message.order.venueClientOrderId.replace('venue-', '');
    await env.execution.storeOrder(id, message.order, message.fills);
    for (const fill of message.fills) this.knownFills.add(fill.exchangeFillId);
  }

  private async storeBalances(message: (typeof this.balanceMessages)[number] | undefined): Promise<void> {
    if (message === undefined) return;
    const { balances, at, seen } = message;
    const receivedAt = new Date(await accountSync.databaseTime());
    await accountSync.storeUpdates([{ accountId: this.account.uuid, balances, at, seen, receivedAt }]);
  }

  private async read(): Promise<void> {
    const takenAt = await accountSync.databaseTime();
    const { balances, at } = this.venue.snapshot();
    this.reads.push({ accountId: this.account.uuid, balances, takenAt, at, until: at });
  }
}

const numbers = (amounts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, Number(amount)]));

const worth = (amounts: Initial) =>
  MODEL_ASSETS.reduce((sum, asset) => sum + amounts[asset] * MODEL_PRICES[asset], 0);

const ACCEPTED: readonly Step[] = [
  { do: 'place', side: 'BUY', amount: 2, isMarket: false },
  { do: 'accept', pick: 0, fee: 'BTC' },
];
const FILL: Step = { do: 'fill', pick: 0, amount: 2, fee: 'BTC' };
const READ: Step = { do: 'read' };
const DELIVER = {
  order: { do: 'deliver order' },
  balances: { do: 'deliver balances' },
  read: { do: 'deliver read', pick: 0 },
} as const satisfies Record<string, Step>;

it('row 9: free never exceeds what is free at the venue, equity never jumps, and both are exact once every report has arrived', async () => {
  await fc.assert(
    fc.asyncProperty(
      initial,
      fc.array(step, { minLength: 1, maxLength: 45, size: 'max' }),
      async (held, steps) => {
        const play = await Play.begin(held);
        for (const each of steps) {
          await play.run(each);
          const free = await play.free();
          for (const asset of MODEL_ASSETS) {
            const certain = play.venue.free(asset) - play.onTheWay(asset);
            const unknown = asset === 'BNB' ? play.unknownFees() : 0;
            expect(free[asset]).toBeLessThanOrEqual(Math.max(0, certain + unknown));
          }
          const equity = await play.equity();
          expect(equity).toBeLessThanOrEqual(worth(held));
          expect(equity).toBeGreaterThanOrEqual(worth(held) - play.venue.feesPaid);
        }
        await play.settle();
        const [free, totals] = [await play.free(), await play.totals()];
        for (const asset of MODEL_ASSETS) {
          expect(free[asset]).toBe(Math.max(0, play.venue.free(asset) - play.onTheWay(asset)));
          expect(totals[asset] ?? 0).toBe(play.venue.total(asset));
        }
      },
    ),
    {
      numRuns: 18,
      // A snapshot and the stream's report of one asset share the millisecond of a fill; it is before or after both.
      examples: [
        [HELD, [...ACCEPTED, DELIVER.balances, READ, DELIVER.read, DELIVER.order, FILL, DELIVER.order]],
        [HELD, [READ, ...ACCEPTED, FILL, DELIVER.read, DELIVER.order, DELIVER.order, DELIVER.balances]],
        [HELD, [...ACCEPTED, FILL, READ, DELIVER.read, DELIVER.balances, DELIVER.order, DELIVER.order]],
      ],
    },
  );
}, 120_000);
