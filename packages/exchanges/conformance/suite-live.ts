/** Runs the checks for real exchanges on the scripted exchange, so that a run at an exchange does not fail by a fault of its own. */
import type { ControlledVenueUnderTest } from './conformance-fixture.js';
import { setupConformanceFixture } from './conformance-fixture.js';
import { LIVE_CHECKS } from './live-checks.js';

export function describeLiveChecks(name: string, setup: () => Promise<ControlledVenueUnderTest>): void {
  describe(`the checks at an exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup, { USDT: 1_000_000, BTC: 100 });
    let ticking: NodeJS.Timeout;
    let isStopped: boolean;
    beforeEach(async () => {
      isStopped = false;
      const { maker, order } = fixture;
      for (const [side, price] of [
        ['BUY', '59990'],
        ['SELL', '60010'],
      ] as const)
        await fixture.place(maker, order({ side, price, amount: '1' }));
      await fixture.place(maker, order({ side: 'SELL', price: '60000', amount: '0.1' }));
      await fixture.place(fixture.taker, order({ side: 'BUY', price: '60000', amount: '0.1' }));
      if (fixture.subject.tradingType === 'perpetual') await fixture.subject.payFunding('0.0001');
      // Other clients change the book all the time.
      const tick = async () => {
        const request = order({ side: 'BUY', price: '59000', amount: '0.1' });
        await maker.placeOrder(request).catch(() => undefined);
        await maker.cancelOrder(request).catch(() => undefined);
        if (!isStopped) ticking = setTimeout(() => void tick(), 20);
      };
      ticking = setTimeout(() => void tick(), 20);
    });
    afterEach(() => {
      isStopped = true;
      clearTimeout(ticking);
    });

    const applies = ({ tradingTypes }: (typeof LIVE_CHECKS)[number]) =>
      tradingTypes === undefined || tradingTypes.some((type) => name.endsWith(type));

    it.each(LIVE_CHECKS.filter(applies).map((check) => [check.id, check.title, check] as const))(
      '[%s] %s',
      async (_id, _title, check) => {
        const { venue, tradingType, symbol } = fixture.subject;
        const client = await fixture.connectAccount();
        await check.run({ venue, client, tradingType, symbol, maxNotional: 1_500 });
      },
    );
  });
}
