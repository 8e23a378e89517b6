import { readRecordings } from '../../../conformance/scripted/recordings.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { balancesOf, wallet } from './account.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the balances of an account of OKX', () => {
  const ccxt = { safeCurrencyCode: (code: string) => code } as unknown as CcxtClient;
  const { data } = recordings.answers.get('UnifiedApi/Account/GetAccountBalance') as {
    readonly data: readonly [{ readonly details: readonly [object] }];
  };
  const read = (changes: object, ofAccount: object = {}) => {
    const details = [{ ...data[0].details[0], ...changes }];
    return balancesOf(ccxt, wallet.parse({ ...data[0], ...ofAccount, details }));
  };

  it('lack the margin and the loss of a position, beside what a strategy holds', () => {
    // 150 of the frozen balance are the strategy's, the rest is the margin. The loss is 7.5456.
    expect(read({})).toStrictEqual({
      USDT: { free: '4834.317093622894', locked: '158.573', marginDeducted: '16.11628529' },
    });
  });

  /** Cash of 1,000 of which orders on spot lock 300 and positions 400. */
  const shared = { cashBal: '1000', availBal: '300', frozenBal: '700', stgyEq: '0', upl: '0' };

  it.each([
    ['no result', {}, { imr: '400' }, '400'],
    ['a loss', { availBal: '250', upl: '-50' }, { imr: '400' }, '450'],
    ['a profit', { availBal: '900', upl: '600' }, { imr: '400' }, '-200'],
    ['a profit that is not available', { upl: '600' }, { imr: '400' }, '400'],
    ['a loss that is not subtracted', { upl: '-50' }, { imr: '400' }, '400'],
    ['a margin that other currencies cover, too', {}, { imr: '900' }, '700'],
    ['a margin of the currency alone', { imr: '400' }, { imr: '', adjEq: '' }, '400'],
    ['an isolated position', { isoEq: '40' }, { imr: '360' }, '400'],
    ['orders on spot alone', {}, { imr: '0' }, undefined],
    ['another currency', { ccy: 'BTC' }, { imr: '400' }, undefined],
  ])('with %s lack the margin and not what orders on spot lock', (_, changes, ofAccount, deducted) => {
    const [balance] = Object.values(read({ ...shared, ...changes }, ofAccount));
    expect(balance).toMatchObject({ locked: '700' });
    expect(balance!.marginDeducted).toBe(deducted);
  });
});
