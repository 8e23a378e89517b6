/** Requirements for every exchange with cross margin. */
import { Decimal } from 'decimal.js';
import type { ExchangeClient, LoanClient } from '../src/index.js';
import { failureOf, setupConformanceFixture, type TradedVenueUnderTest } from './conformance-fixture.js';

const hourAgo = () => new Date(Date.now() - 3_600_000);

export function describeMargin(name: string, setup: () => Promise<TradedVenueUnderTest>): void {
  describe(`the cross margin of a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    const loansOf = ({ loans }: ExchangeClient): LoanClient => {
      if (loans === undefined) throw new Error('the client has no calls about loans');
      return loans;
    };
    // What an account may borrow depends on the last price.
    beforeEach(async () => {
      await fixture.place(fixture.maker, fixture.order(sale));
      await fixture.place(fixture.taker, fixture.order(purchase));
    });
    const openAccount = async () => fixture.connect(await fixture.subject.openAccount({ USDT: 10_000 }));
    /** How often interest has been charged on a loan from which it has been charged `times` times since it was taken. */
    const chargeCount = (times: number) =>
      times + (fixture.subject.traits.chargesInterestAtOnce === true ? 1 : 0);
    /** The interest on 0.1 BTC, charged a number of times at a rate of 0.00001. */
    const interestOf = (charges: number) => new Decimal('0.000001').times(charges).toFixed();
    const sale = { side: 'SELL', amount: '0.1', price: '60000' } as const;
    const purchase = { side: 'BUY', amount: '0.1', price: '60000' } as const;

    it('[EX-LOAN-01] borrows only if the order asks for it, and reports the loan', async () => {
      const account = await openAccount();
      expect(await failureOf(account.placeOrder(fixture.order(sale)))).toBe('rejected/insufficient_balance');
      await fixture.place(fixture.maker, fixture.order(purchase));
      const request = fixture.order({ ...sale, autoBorrow: true });
      expect(await fixture.place(account, request)).toMatchObject({ status: 'FILLED' });
      expect(await loansOf(account).fetchLoans()).toEqual({
        BTC: { borrowed: '0.1', interest: interestOf(chargeCount(0)) },
      });
      const { balances } = await account.fetchBalances();
      // A debt is no balance: the net of the asset is the balance less the loan.
      expect(balances.BTC ?? { free: '0', locked: '0' }).toEqual({ free: '0', locked: '0' });
      expect(balances.USDT).toMatchObject({ locked: '0' });
      expect(Number(balances.USDT?.free)).toBeGreaterThan(15_000);
    });

    it('[EX-LOAN-02] returns each interest charge once, and repays with the closing order', async () => {
      const account = await openAccount();
      const since = hourAgo();
      await fixture.place(fixture.maker, fixture.order(purchase));
      await fixture.place(account, fixture.order({ ...sale, autoBorrow: true }));
      await fixture.subject.chargeInterest('BTC', '0.00001');
      const charges = await loansOf(account).fetchInterest(since);
      expect(charges.map(({ asset, amount }) => [asset, amount])).toEqual(
        Array.from({ length: chargeCount(1) }, () => ['BTC', '0.000001']),
      );
      expect(new Set(charges.map(({ id }) => id)).size).toBe(chargeCount(1));
      const { interest, interestIsPartOfLoan } = fixture.subject.traits;
      // The account has no BTC from which the interest could be taken.
      const joinsLoan = interest === 'DEDUCTED' || interestIsPartOfLoan === true;
      expect(await loansOf(account).fetchLoans()).toEqual({
        BTC: joinsLoan
          ? { borrowed: '0.100001', interest: '0' }
          : { borrowed: '0.1', interest: interestOf(chargeCount(1)) },
      });
      await fixture.place(fixture.maker, fixture.order({ ...sale, amount: '0.2' }));
      await fixture.place(account, fixture.order({ ...purchase, amount: '0.11', autoRepay: true }));
      expect(await loansOf(account).fetchLoans()).toEqual({});
    });

    it('[EX-LOAN-03] reports no loan for an account that has none', async () => {
      const account = await openAccount();
      expect(await loansOf(account).fetchLoans()).toEqual({});
      expect(await loansOf(account).fetchInterest(hourAgo())).toEqual([]);
    });
  });
}
