/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { ExchangeError } from '@trading-automation/exchanges';
import { GatewayUnderTest } from '../testing/gateway-under-test.js';

let env: GatewayUnderTest;
beforeAll(async () => {
  env = await GatewayUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  env.exchange.lookUpsProveNothing = true;
});
afterEach(() => env.gateway.close());

const noAnswer = async () => {
  throw new ExchangeError('unknown', 'no_answer', 'No response.');
};
const MINUTE_MS = 60_000;

/** Sends an order that gets no response and whose look-ups prove nothing, `agoMs` ago. */
async function sendLost(agoMs = 11 * MINUTE_MS, more: Record<string, unknown> = {}): Promise<string> {
  const trade = await env.place(more);
  env.exchange.onPlace = noAnswer;
  await env.send();
  await env.backdateSubmission(trade, agoMs);
  return trade;
}

/** Checks a trade a minute after it was checked before. */
async function check(trade: string): Promise<void> {
  await env.core.rows(
    "UPDATE trades SET unlisted_at = unlisted_at - interval '1 minute' WHERE id = $1",
    trade,
  );
  await env.gateway.orderReconciler.checkTrade(trade);
}
async function checkOften(trade: string): Promise<void> {
  for (let reading = 1; reading <= 5; reading++) await check(trade);
}

/** Places an order of the same terms by hand, eleven minutes ago unless `ago` is given. */
function placeByHand(venueClientOrderId: string, amount = '1', ago = 11 * MINUTE_MS) {
  const terms = { symbol: 'BTC/USDT', type: 'LIMIT', timeInForce: 'GTC', side: 'BUY', price: '100' } as const;
  const createdAt = new Date(Date.now() - ago);
  return env.exchange.accept({ ...terms, venueClientOrderId, amount, reduceOnly: false }, createdAt);
}

describe('an order whose look-up proves nothing', () => {
  it('rule 20: ends after two readings of the lists that do not show it, and is not sent again', async () => {
    const trade = await sendLost();
    await check(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'UNKNOWN' });
    const { wait } = await env.core.row(
      'SELECT extract(epoch FROM look_at - clock_timestamp()) AS wait FROM trades WHERE id = $1',
      trade,
    );
    expect(Number(wait)).toBeGreaterThan(30);
    await check(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    await env.send();
    expect(env.exchange.placed).toHaveLength(1);
    expect(await env.eventTypes('trade')).toEqual(['trade.created', 'trade.failed']);
  });

  it('rule 20: is not sent again if it belongs to a copy, however recent its signal is', async () => {
    const trade = await sendLost();
    await env.core.rows("UPDATE trades SET resend_until = now() + interval '1 minute' WHERE id = $1", trade);
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    await env.send();
    expect(env.exchange.placed).toHaveLength(1);
  });

  it('stays open as long as it may still arrive', async () => {
    const trade = await sendLost(9 * MINUTE_MS);
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
  });

  it('stays open if the exchange no longer lists the fills since its submission', async () => {
    env.exchange.fillsListedForMs = 11 * MINUTE_MS;
    const trade = await sendLost();
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    env.exchange.fillsListedForMs = 13 * MINUTE_MS;
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED' });
  });

  it.each(['fetchOpenOrders', 'fetchFills'])('stays open while %s fails', async (failing) => {
    const trade = await sendLost();
    env.exchange.onCall = (name) => {
      if (name === failing) throw new ExchangeError('retryable', 'unreachable', 'Unreachable.');
    };
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    expect(env.logged.join('')).toContain('order_listing.failed');
    env.exchange.onCall = () => undefined;
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED' });
  });

  it('is found among the open orders', async () => {
    const trade = await sendLost();
    env.exchange.accept(env.exchange.placed[0]!);
    await check(trade);
    expect(await env.read(trade)).toMatchObject({
      status: 'PENDING',
      sub_status: 'ACCEPTED',
      exchange_order_id: env.exchange.last.exchangeOrderId,
    });
  });

  it('is found by a fill', async () => {
    const trade = await sendLost();
    env.exchange.fill(env.exchange.accept(env.exchange.placed[0]!));
    await check(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FILLED', filled_amount: '1' });
  });

  it('stays open while a fill of its side belongs to no known order', async () => {
    const trade = await sendLost();
    const byHand = env.exchange.fill(placeByHand(''));
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    // Another trade explains the fill.
    await env.execution.adopt(env.account.uuid, [{ ...byHand, venueClientOrderId: 'by-hand' }], []);
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED' });
  });

  it('stays open while an open order without a client order id may be it', async () => {
    const trade = await sendLost();
    placeByHand('');
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    placeByHand('', '2');
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED' });
  });

  it('ends beside an order without a client order id that was created after it could still arrive', async () => {
    const trade = await sendLost(21 * MINUTE_MS);
    env.exchange.fill(placeByHand('', '1', 10 * MINUTE_MS));
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED' });
  });

  it('ends after an hour if the lists stay unclear, and what could be its order is external', async () => {
    const trade = await sendLost(59 * MINUTE_MS);
    const byHand = env.exchange.fill(placeByHand('', '1', 59 * MINUTE_MS));
    const fills = await env.exchange.fetchFills(byHand);
    expect(await env.execution.adopt(env.account.uuid, [byHand], fills)).toEqual([]);
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    await env.backdateSubmission(trade, MINUTE_MS);
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', failure: { code: 'not_accepted' } });
    const external = await env.core.rows(
      "SELECT status, exchange_order_id FROM trades WHERE exchange_account_id = $1 AND origin = 'EXTERNAL'",
      env.account.uuid,
    );
    expect(external).toEqual([{ status: 'FILLED', exchange_order_id: byHand.exchangeOrderId }]);
  });

  it('ends with a late fill added, if the exchange lists it after the end', async () => {
    const trade = await sendLost();
    await checkOften(trade);
    const late = env.exchange.fill(env.exchange.accept(env.exchange.placed[0]!));
    const fills = await env.exchange.fetchFills(late);
    expect(await env.execution.adopt(env.account.uuid, [late], fills)).toEqual([trade]);
    expect(await env.read(trade)).toMatchObject({ status: 'FAILED', filled_amount: '1', cost: '100' });
    expect(
      await env.core.rows('SELECT trade_id FROM lots WHERE exchange_account_id = $1', env.account.uuid),
    ).toEqual([{ trade_id: trade }]);
  });
});

describe('an acknowledged order whose look-up proves nothing', () => {
  async function sendAcknowledged(): Promise<string> {
    const trade = await env.place();
    await env.send();
    await env.backdateSubmission(trade, 11 * MINUTE_MS);
    return trade;
  }

  it('stays open while it is listed, and is CANCELLED after two readings that do not show it', async () => {
    const trade = await sendAcknowledged();
    await checkOften(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING', sub_status: 'ACCEPTED' });
    await env.exchange.cancelOrder(env.exchange.last);
    await check(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'PENDING' });
    await check(trade);
    expect(await env.read(trade)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
  });

  it('gets its listed fills, even if the exchange does not find the order any more', async () => {
    const trade = await sendAcknowledged();
    const { exchangeOrderId } = env.exchange.fill(env.exchange.last);
    env.exchange.findOrderByExchangeId = async () => null;
    await check(trade);
    expect(await env.read(trade)).toMatchObject({
      status: 'FILLED',
      filled_amount: '1',
      exchange_order_id: exchangeOrderId,
    });
  });
});
