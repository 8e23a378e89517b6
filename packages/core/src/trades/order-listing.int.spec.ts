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
const storeEmpty = async (request: ListingRequest): Promise<string> =>
  (await env.execution.storeListing(request, EMPTY)).outcome;
/** Backdates the first reading, and with it the submission. */
const passMinute = (id: string) =>
  env.core.rows(
    `UPDATE trades SET unlisted_at = unlisted_at - interval '1 minute',
       submitted_at = submitted_at - interval '1 minute' WHERE id = $1`,
    id,
  );

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
    const read = async (listing: typeof EMPTY | typeof UNCLEAR = EMPTY) => {
      await passMinute(id);
      return (await env.execution.storeListing(await requestOf(id), listing)).outcome;
    };
    const UNCLEAR = { ...EMPTY, fills: [venueFillOf('other', 'a', '1')] };
    expect(await read()).toBe('UNLISTED');
    expect(await read(UNCLEAR)).toBe('UNCLEAR');
    expect(await read()).toBe('UNLISTED');
    await env.execution.storeOrder(id, venueOrderOf(id), []);
    expect(await read()).toBe('UNLISTED');
    expect(await read()).toBe('ENDED');
    expect(await env.storedTrade(id)).toMatchObject({ status: 'CANCELLED', cancel_reason: 'EXCHANGE' });
  });

  it('have to agree a minute apart, and probes that find no order do not count', async () => {
    const id = await sendCopy();
    const early = await requestOf(id);
    for (let probe = 1; probe <= 3; probe++) await env.execution.storeAbsence(id);
    for (let reading = 1; reading <= 3; reading++)
      expect(await storeEmpty(await requestOf(id))).toBe('UNLISTED');
    await env.core.rows(
      "UPDATE trades SET unlisted_at = unlisted_at - interval '1 minute' WHERE id = $1",
      id,
    );
    // The first lists and these may be as old as each other, however late they are stored.
    expect(await storeEmpty({ ...early, at: new Date(early.at.getTime() - 1_000) })).toBe('UNLISTED');
    expect(await storeEmpty(await requestOf(id))).toBe('ENDED');
    expect(await env.storedTrade(id)).toMatchObject({
      status: 'FAILED',
      failure_message: 'The exchange lists neither the order nor a fill of it. It is not sent again.',
    });
  });

  it('are read anew for a copy that is sent again', async () => {
    const id = await sendCopy();
    expect(await storeEmpty(await requestOf(id))).toBe('UNLISTED');
    for (let probe = 1; probe <= 6; probe++) await env.execution.storeAbsence(id);
    expect(await env.storedTrade(id)).toMatchObject({ submitted_at: null, unlisted_at: null });
  });

  it('decide after an hour although they are unclear; the trade says so', async () => {
    const id = await sendCopy(58.5 * MINUTE_MS);
    const unclear = { ...EMPTY, fills: [venueFillOf('other', 'a', '1')] };
    const outcomes = [];
    for (let reading = 1; reading <= 3; reading++) {
      outcomes.push((await env.execution.storeListing(await requestOf(id), unclear)).outcome);
      await passMinute(id);
      await passMinute(id);
    }
    expect(outcomes).toEqual(['UNCLEAR', 'UNCLEAR', 'ENDED']);
    const { status, failure_code, failure_message } = await env.storedTrade(id);
    expect({ status, failure_code }).toEqual({ status: 'FAILED', failure_code: 'not_accepted' });
    expect(failure_message).toContain('that may be it');
  });

  it('are compared with the amount that was sent, which may be less than that of the trade', async () => {
    const id = await sendCopy();
    await env.core.rows('UPDATE trades SET capped_amount = 0.5 WHERE id = $1', id);
    const request = await requestOf(id);
    const order = venueOrderOf('other', {
      venueClientOrderId: '',
      amount: '0.5',
      createdAt: request.begunAt,
    });
    const listing = { ...EMPTY, openOrders: [order] };
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
