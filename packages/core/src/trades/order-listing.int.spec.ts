import { newUuid } from '@trading-automation/persistence';
import type { ListingRequest } from './order-listing.queries.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';

let env: OrdersUnderTest;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const MINUTE_MS = 60_000;

/** Sends a copy `agoMs` ago and returns its id. */
async function sendCopy(agoMs = 11 * MINUTE_MS): Promise<string> {
  const id = await env.placeCopy();
  await env.claimSubmission(id);
  await env.backdateSubmission(id, agoMs);
  return id;
}

async function requestOf(id: string): Promise<ListingRequest> {
  const request = await env.execution.listingRequestOf(id);
  if (request === null) throw new Error('no lists are requested');
  return request;
}

const EMPTY = { openOrders: [], fills: [], ordersOfFills: new Map() };
async function storeEmpty(request: ListingRequest): Promise<string> {
  const { since } = request;
  return (await env.execution.storeListing(request, { since, ...EMPTY })).outcome;
}

describe('the lists that decide about an order', () => {
  it('begin a minute before the submission, and are not read in its first ten minutes', async () => {
    const id = await sendCopy(9 * MINUTE_MS);
    expect(await env.execution.listingRequestOf(id)).toBeNull();
    await env.backdateSubmission(id, 2 * MINUTE_MS);
    const { submitted_at } = await env.storedTrade(id);
    const request = await requestOf(id);
    expect(request.begunAt).toEqual(submitted_at);
    expect(request.since.getTime()).toBe((submitted_at as Date).getTime() - MINUTE_MS);
    expect(request.sinceAgoMs).toBeGreaterThanOrEqual(12 * MINUTE_MS);
    expect(request.sinceAgoMs).toBeLessThan(13 * MINUTE_MS);
  });

  it('are not read for an order that was not sent, or whose trade has ended', async () => {
    const unsent = await env.placeCopy();
    expect(await env.execution.listingRequestOf(unsent)).toBeNull();
    const id = await sendCopy();
    const request = await requestOf(id);
    await env.execution.storeOrder(id, venueOrderOf(id, { status: 'CANCELLED' }), []);
    expect(await env.execution.listingRequestOf(id)).toBeNull();
    expect(await storeEmpty(request)).toBe('ENDED');
    expect(await storeEmpty({ ...request, tradeId: newUuid() })).toBe('ENDED');
  });

  it('count only for the submission that they were read for', async () => {
    const id = await sendCopy();
    const before = await requestOf(id);
    await env.backdateSubmission(id, 1_000);
    for (let reading = 1; reading <= 3; reading++) expect(await storeEmpty(before)).toBe('UNCLEAR');
    expect(await env.storedTrade(id)).toMatchObject({ status: 'PENDING' });
  });

  it('have to agree twice in a row, and again after a report of the order', async () => {
    const id = await sendCopy();
    const request = await requestOf(id);
    expect(await storeEmpty(request)).toBe('UNLISTED');
    const unclear = { ...EMPTY, since: request.since, fills: [venueFillOf('other', 'a', '1')] };
    expect((await env.execution.storeListing(request, unclear)).outcome).toBe('UNCLEAR');
    expect(await storeEmpty(request)).toBe('UNLISTED');
    await env.execution.storeOrder(id, venueOrderOf(id), []);
    expect(await storeEmpty(request)).toBe('UNLISTED');
    expect(await storeEmpty(request)).toBe('ENDED');
    expect(await env.storedTrade(id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
  });

  it('are compared with the amount that was sent, which may be less than that of the trade', async () => {
    const id = await sendCopy();
    await env.core.rows('UPDATE trades SET capped_amount = 0.5 WHERE id = $1', id);
    const request = await requestOf(id);
    const order = venueOrderOf('other', { venueClientOrderId: '', amount: '0.5' });
    const listing = { ...EMPTY, since: request.since, openOrders: [order] };
    expect((await env.execution.storeListing(request, listing)).outcome).toBe('UNCLEAR');
  });

  it('are explained by trades of every connection of the account, but not by the same id of another pair', async () => {
    const id = await sendCopy();
    const other = await env.newAccount(env.actor);
    const connected = await env.placeCopy({ accountId: other.uuid });
    const set = (symbol: string) =>
      env.core.rows(
        "UPDATE trades SET exchange_order_id = 'order-other', symbol = $2 WHERE id = $1",
        connected,
        symbol,
      );
    const request = await requestOf(id);
    const known = () => env.execution.knownOrderIds(request, ['order-other', 'order-unknown']);
    await set('BTC/USDT');
    expect(await known()).toEqual(new Set());
    await env.core.rows(
      "UPDATE exchange_accounts SET venue_account_id = 'one' WHERE id IN ($1, $2)",
      env.account.uuid,
      other.uuid,
    );
    expect(await known()).toEqual(new Set(['order-other']));
    await set('ETH/USDT');
    expect(await known()).toEqual(new Set());
    await env.core.rows("UPDATE trades SET exchange_order_id = 'order-unknown' WHERE id = $1", id);
    expect(await known()).toEqual(new Set());
  });
});
