import { encodeId, lotClose, lotOperations, tradeCreate } from '@trading-automation/contracts';
import type { Market } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import { type Actor, querySchemaOf } from '../../operations/index.js';
import { PairCatalogue } from '../../trade-pairs/index.js';
import { LotsService, Reconciliation, TradesService } from '../../trades/index.js';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';

const MARKET: Market = {
  symbol: 'BTC/USDT',
  exchangeSymbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  tradingType: 'spot',
  priceTick: '0.01',
  amountStep: '0.001',
  minAmount: '0.001',
  minNotional: '1',
  orderTypes: ['LIMIT', 'MARKET'],
  timeInForces: ['GTC', 'IOC'],
  isActive: true,
};
const OTHER: Market = { ...MARKET, symbol: 'ETH/USDT', exchangeSymbol: 'ETHUSDT', base: 'ETH' };
const REPLACEMENT: Market = { ...MARKET, exchangeSymbol: 'BTC2USDT' };

let env: CopyingUnderTest;
let catalogue: PairCatalogue;
let trades: TradesService;
let lots: LotsService;
beforeEach(async () => {
  env = await CopyingUnderTest.open();
  const { platform, lists, commands } = env.core;
  catalogue = new PairCatalogue(platform);
  trades = new TradesService({ platform, lists, commands });
  lots = new LotsService({ platform, lists, commands });
  await catalogue.storeMarkets('paper', [MARKET, OTHER]);
  await env.reset();
});
afterEach(() => env.close());

const newPairId = async () =>
  encodeId(
    'tpr',
    String((await env.core.row("SELECT id FROM trade_pairs WHERE symbol = 'BTC/USDT' AND is_active")).id),
  );
const deactivations = async ({ userId }: Actor) =>
  (await env.core.events(userId)).filter(({ type }) => type === 'trade_pair.deactivated');
const openLotsOf = async ({ actor }: Pick<Follower, 'actor'>) => {
  const query = querySchemaOf(lotOperations.list).parse({ status: 'OPEN' });
  return (await lots.list(actor, query as Parameters<LotsService['list']>[1])).items;
};
const order = ({ account }: Follower, side: 'BUY' | 'SELL') =>
  tradeCreate.parse({
    exchange_account_id: account.id,
    trade_pair_id: env.pair.id,
    side,
    type: 'MARKET',
    amount: '0.1',
  });

it.each([
  ['paused', [{ ...MARKET, isActive: false }, OTHER], /does not trade this pair at the moment/],
  ['delisted', [OTHER], /no longer lists this pair/],
  ['replaced', [REPLACEMENT, OTHER], /lists another pair under this symbol.*Use tpr_/],
] as const)(
  'orders, also exits, on a %s pair are refused with the reason; its lots stay listed',
  async (_case, markets, message) => {
    const follower = await env.followerWithLot();
    const [lot] = await openLotsOf(follower);
    await catalogue.storeMarkets('paper', markets);
    for (const side of ['BUY', 'SELL'] as const)
      await expect(trades.create(follower.actor, order(follower, side))).rejects.toMatchObject({
        code: 'invalid_state',
        message: expect.stringMatching(message),
        details: [{ field: 'trade_pair_id', state: 'INACTIVE' }],
      });
    const closing = lots.close(follower.actor, lot!.id, lotClose.parse({}));
    await expect(closing).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringMatching(message),
    });
    expect(await openLotsOf(follower)).toEqual([
      expect.objectContaining({ id: lot!.id, trade_pair_id: env.pair.id, remaining_amount: '5' }),
    ]);
  },
);

describe('the users that are notified of a pair', () => {
  /** Creates a user with a strategy that names the pair, and one who copies it. */
  async function namers(): Promise<{ leader: Actor; copying: Actor }> {
    await env.reset({ trade_pair_ids: [env.pair.id] });
    const { actor } = await env.follower({}, { start: false });
    return { leader: env.leader, copying: actor };
  }

  it('have lots, orders or a position on it, name it in a strategy or copier, or copy such a strategy; each is notified once', async () => {
    const holder = await env.followerWithLot();
    const ordering = await env.core.actor();
    const account = await env.core.account(ordering);
    await env.insertTrade({
      user_id: ordering.userId,
      exchange_account_id: account.uuid,
      side: 'BUY',
      intent: 'OPEN',
      amount: '1',
      requested_amount: '1',
    });
    const positioned = await env.core.actor();
    await env.core.rows(
      `INSERT INTO positions (id, user_id, exchange_account_id, trade_pair_id, symbol, side, amount)
       VALUES ($1, $2, $3, $4, 'BTC/USDT', 'LONG', 1)`,
      newUuid(),
      positioned.userId,
      (await env.core.account(positioned)).uuid,
      env.pair.uuid,
    );
    const unaffected = await env.follower({ limits: { allowed_pairs: ['ETH/USDT'] } });
    const allowing = await env.follower({ limits: { allowed_pairs: ['BTC/USDT'] } });
    const otherAccount = { actor: await env.core.actor() };
    const elsewhere = await env.follower(
      { limits: { allowed_pairs: ['BTC/USDT'] } },
      {
        on: {
          ...otherAccount,
          account: await env.core.account(otherAccount.actor, {}, { exchange: 'elsewhere' }),
        },
      },
    );
    const { leader, copying } = await namers();
    await catalogue.storeMarkets('paper', [REPLACEMENT, OTHER]);
    await catalogue.storeMarkets('paper', [REPLACEMENT, OTHER]);
    const data = {
      id: env.pair.id,
      symbol: 'BTC/USDT',
      inactive_reason: 'REPLACED',
      replaced_by: await newPairId(),
    };
    for (const actor of [holder.actor, ordering, positioned, allowing.actor, leader, copying])
      expect(await deactivations(actor)).toMatchObject([{ data }]);
    for (const { actor } of [unaffected, elsewhere]) expect(await deactivations(actor)).toEqual([]);
  });

  it('have lots or orders if the exchange only pauses it; the others are notified if it does not return', async () => {
    const holder = await env.followerWithLot();
    const { leader, copying } = await namers();
    const counts = async () =>
      Promise.all([holder.actor, leader, copying].map(async (actor) => (await deactivations(actor)).length));
    const paused = [{ ...MARKET, isActive: false }, OTHER];
    await catalogue.storeMarkets('paper', paused);
    await catalogue.storeMarkets('paper', paused);
    expect(await counts()).toEqual([1, 0, 0]);
    await catalogue.storeMarkets('paper', [OTHER]);
    await catalogue.storeMarkets('paper', [OTHER]);
    expect(await counts()).toEqual([1, 1, 1]);
    // The pair returns with its id, without a notification.
    await catalogue.storeMarkets('paper', [MARKET, OTHER]);
    expect(await newPairId()).toBe(env.pair.id);
    expect(await counts()).toEqual([1, 1, 1]);
  });
});

it('rule 27: entries on an inactive pair are not copied', async () => {
  const follower = await env.follower();
  await catalogue.storeMarkets('paper', [OTHER]);
  await env.leaderBuys('10');
  await env.runUntilIdle();
  expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'SKIPPED', code: 'PAIR_UNAVAILABLE' });
});

it('rule 27: a copy on a replaced pair is not sold on the new pair, although both have the same symbol', async () => {
  const holder = await env.followerWithLot();
  await catalogue.storeMarkets('paper', [REPLACEMENT, OTHER]);
  await env.leaderSells('10');
  await env.runUntilIdle();
  expect(await env.lastDecision(holder)).toMatchObject({ code: 'PAIR_UNAVAILABLE', trade_id: null });
  expect(await env.held(holder)).toBe('5');
});

it('an order that was not sent when its pair was replaced is cancelled, because the symbol names another contract', async () => {
  const follower = await env.follower();
  const { id } = await trades.create(follower.actor, order(follower, 'BUY'));
  const { id: uuid } = await env.core.row('SELECT id FROM trades WHERE user_id = $1', follower.actor.userId);
  await catalogue.storeMarkets('paper', [REPLACEMENT, OTHER]);
  expect(await env.core.beginSubmission(String(uuid), newUuid())).toBeNull();
  expect(await trades.get(follower.actor, id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'RISK' });
});

it('fills are read by the symbol of a replaced pair, but not of a delisted one, which the exchange would reject', async () => {
  const { account } = await env.followerWithLot();
  const reconciliation = new Reconciliation(env.core.platform);
  const symbols = async () => (await reconciliation.state(account.uuid)).symbols;
  await catalogue.storeMarkets('paper', [OTHER]);
  expect(await symbols()).toEqual([]);
  await catalogue.storeMarkets('paper', [REPLACEMENT, OTHER]);
  expect(await symbols()).toEqual(['BTC/USDT']);
});
