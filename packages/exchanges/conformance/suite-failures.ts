/** Requirements when an exchange refuses, fails or answers badly, for every venue and trading type. */
import type { ExchangeClient } from '../src/index.js';
import {
  type ControlledVenueUnderTest,
  failureOf,
  foundOrder,
  setupConformanceFixture,
} from './conformance-fixture.js';
import type { RefusalKind } from './scripted/model.js';
import { AccountStreamRecorder, BookStreamRecorder } from './stream-recorders.js';

/** @param refusals the refusals that the exchange documents for the trading type */
export function describeFailures(
  name: string,
  refusals: readonly RefusalKind[],
  setup: () => Promise<ControlledVenueUnderTest>,
): void {
  describe(`the failures of a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    /** With margin, an order that may borrow, because others may read the balance before they are sent. */
    const resting = () =>
      fixture.order({
        price: '50000',
        amount: '0.1',
        autoBorrow: fixture.subject.tradingType === 'margin' ? true : undefined,
      });
    /** Calls once, so that the markets are loaded before the weather changes. */
    const warmUp = async (client: ExchangeClient) => void (await client.fetchOpenOrders());
    beforeEach(() => warmUp(fixture.taker));

    it.each<[string, 'dropsAnswers' | 'sendsHtml' | 'truncates', string]>([
      ['no answer', 'dropsAnswers', 'no_answer'],
      ['HTML instead of JSON', 'sendsHtml', 'bad_answer'],
      ['a truncated answer', 'truncates', 'bad_answer'],
    ])('[EX-UNK-03] an order that gets %s is unknown, and is then found', async (_what, fault, code) => {
      const request = resting();
      fixture.subject.setWeather({ [fault]: true });
      expect(await failureOf(fixture.taker.placeOrder(request))).toBe(`unknown/${code}`);
      expect(await failureOf(fixture.taker.fetchBalances())).toBe(`retryable/${code}`);
      fixture.subject.setWeather({});
      expect(await foundOrder(fixture.taker, request)).toMatchObject({ status: 'OPEN', amount: '0.1' });
    });

    it('[EX-UNK-04] an order during an outage is unknown, and is then absent', async () => {
      const request = resting();
      fixture.subject.setWeather({ isDown: true });
      expect(await failureOf(fixture.taker.placeOrder(request))).toMatch(/^unknown\//);
      fixture.subject.setWeather({});
      expect(await fixture.taker.findOrder(request)).toEqual({ outcome: 'ABSENT' });
    });

    it('[EX-MAINT-01] maintenance is no statement about an order', async () => {
      fixture.subject.setWeather({ refuses: 'MAINTENANCE' });
      expect(await failureOf(fixture.taker.fetchBalances())).toMatch(/^retryable\//);
      expect(await failureOf(fixture.taker.placeOrder(resting()))).toMatch(/^(?:unknown|retryable)\//);
    });

    it('[EX-RATE-02] a rate limit is no statement about an order, and reads may be repeated', async () => {
      fixture.subject.setWeather({ refuses: 'RATE_LIMIT' });
      expect(await failureOf(fixture.taker.fetchBalances())).toBe('retryable/rate_limited');
      expect(await failureOf(fixture.maker.placeOrder(resting()))).toMatch(
        /^(?:unknown|retryable)\/rate_limited$/,
      );
    });

    it('[EX-CLOCK-01] measures the clock again after a refusal for it, and then succeeds', async () => {
      if (!refusals.includes('BAD_TIMESTAMP')) {
        // The exchange has no such refusal, so that a clock is measured with the markets, or never.
        const reads = fixture.subject.clockReads();
        await fixture.taker.placeOrder(resting());
        expect(fixture.subject.clockReads()).toBe(reads);
        return;
      }
      fixture.subject.setWeather({ refuses: 'BAD_TIMESTAMP' });
      expect(await failureOf(fixture.taker.placeOrder(resting()))).toBe('retryable/refused');
      fixture.subject.setWeather({});
      const before = fixture.subject.clockReads();
      await fixture.taker.placeOrder(resting());
      expect(fixture.subject.clockReads()).toBeGreaterThan(before);
    });

    const meanings: readonly [RefusalKind, string][] = [
      ['UNKNOWN_KEY', 'fatal/credentials_rejected'],
      ['BAD_SIGNATURE', 'fatal/credentials_rejected'],
      ['NO_PERMISSION', 'fatal/credentials_rejected'],
      ['ORDER_EXPIRED', 'retryable/refused'],
      ['UNKNOWN_SYMBOL', 'rejected/not_supported'],
      ['PRICE_TICK', 'rejected/rule_violated'],
      ['AMOUNT_STEP', 'rejected/rule_violated'],
      ['MIN_AMOUNT', 'rejected/rule_violated'],
      ['MAX_AMOUNT', 'rejected/rule_violated'],
      ['MIN_NOTIONAL', 'rejected/rule_violated'],
      ['INSUFFICIENT_BALANCE', 'rejected/insufficient_balance'],
      ['INSUFFICIENT_MARGIN', 'rejected/insufficient_balance'],
      ['BORROW_LIMIT', 'rejected/insufficient_balance'],
      ['WOULD_TAKE', 'rejected/would_not_fit_book'],
      ['WOULD_NOT_FILL', 'rejected/would_not_fit_book'],
      ['DUPLICATE_CLIENT_ORDER_ID', 'rejected/duplicate_client_order_id'],
      ['UNKNOWN_ORDER', 'rejected/order_not_found'],
      ['REDUCE_ONLY', 'rejected/refused'],
      ['MAX_LEVERAGE', 'rejected/rule_violated'],
      ['OPEN_POSITION', 'rejected/refused'],
      ['POSITION_MODE', 'rejected/position_mode'],
    ];
    it.each(meanings.filter(([refusal]) => refusals.includes(refusal)))(
      '[EX-REF-01] understands the refusal %s',
      async (refusal, expected) => {
        fixture.subject.setWeather({ refuses: refusal });
        expect(await failureOf(fixture.taker.placeOrder(resting()))).toBe(expected);
      },
    );

    it('[EX-CRED-06] reports what a key may not do', async () => {
      const credentials = await fixture.subject.openAccount({ USDT: 10_000 });
      await fixture.subject.changeAccount(credentials, { canTrade: false, canWithdraw: true });
      const account = fixture.connect(credentials);
      const { reportsPermissions } = fixture.subject.traits;
      const report = await account.testCredentials();
      expect(report).toMatchObject(
        reportsPermissions ? { canTrade: false, canWithdraw: true } : { canTrade: null, canWithdraw: null },
      );
      expect(await failureOf(account.placeOrder(resting()))).toBe('fatal/credentials_rejected');
    });

    it('[EX-STR-12] reports a lost stream once, and a new one works', async () => {
      const recorder = new AccountStreamRecorder();
      fixture.maker.watch(recorder);
      await recorder.connected();
      await fixture.subject.cutStreams();
      await recorder.until(() => recorder.lost.length > 0);
      const again = new AccountStreamRecorder();
      fixture.maker.watch(again);
      await again.connected();
      await fixture.maker.placeOrder(resting());
      await again.until(() => again.orders.length > 0);
      expect([recorder.lost, recorder.orders, again.lost]).toEqual([['retryable/unreachable'], [], []]);
    });

    it('[EX-BOOK-02] begins the book again after a lost message', async () => {
      const recorder = new BookStreamRecorder();
      fixture.subject.venue.watchBook(fixture.subject.symbol, recorder);
      await recorder.until(() => recorder.kinds.length > 0);
      fixture.subject.loseBookMessage();
      await fixture.maker.placeOrder(fixture.order({ side: 'SELL', price: '60000', amount: '0.1' }));
      await fixture.maker.placeOrder(fixture.order({ side: 'SELL', price: '60100', amount: '0.2' }));
      await recorder.until(() => recorder.kinds.filter((kind) => kind === 'SNAPSHOT').length === 2);
      await recorder.until(() => recorder.asks.length === 2);
      expect(recorder.asks).toEqual([
        ['60000', '0.1'],
        ['60100', '0.2'],
      ]);
      expect(recorder.lost).toEqual([]);
    });
  });
}
