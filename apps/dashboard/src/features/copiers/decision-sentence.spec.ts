import { DECISION_CODES, DECISION_OUTCOMES } from '@trading-automation/contracts';
import { REASON_NAMES, REASONS } from './decision-reasons';
import { type DecisionToExplain, decisionSentence } from './decision-sentence';

const decision = (overrides: Partial<DecisionToExplain> = {}): DecisionToExplain => ({
  symbol: 'BTC/USDT',
  kind: 'OPEN',
  outcome: 'SKIPPED',
  inputs: {},
  target_amount: '0.05',
  sent_amount: '0',
  filled_amount: '0',
  ...overrides,
});
const sentence = (overrides: Partial<DecisionToExplain>) => decisionSentence(decision(overrides), 'en-US');
const skip = (code: string, inputs: DecisionToExplain['inputs'], kind = 'OPEN') =>
  sentence({ code, inputs, kind });
const BAD_WORDS = /undefined|null|NaN|\bno reason\b|has the code/;

describe('the sentence about a decision', () => {
  it('has words for exactly the codes of the API', () => {
    expect(Object.keys(REASONS).sort()).toEqual([...DECISION_CODES].sort());
    expect(Object.keys(REASON_NAMES).sort()).toEqual([...DECISION_CODES].sort());
  });

  it.each(DECISION_OUTCOMES.flatMap((outcome) => DECISION_CODES.map((code) => [outcome, code] as const)))(
    'is readable without any number: %s, %s',
    (outcome, code) => {
      for (const kind of ['OPEN', 'INCREASE', 'REDUCE', 'CLOSE']) {
        const text = sentence({ outcome, code, kind });
        expect(text).toMatch(/^[A-Z].*\.$/);
        expect(text).not.toMatch(BAD_WORDS);
      }
    },
  );

  it('names the pair of the copier and its currency if it is not that of the strategy', () => {
    const inputs = { copier_symbol: 'BTC/USDC', reference_price: '60000' };
    expect(sentence({ outcome: 'COPIED', inputs, sent_amount: '0.05', filled_amount: '0.05' })).toBe(
      "Opened 0.05 BTC on BTC/USDC. The strategy's price was 60,000.00 USDT.",
    );
    const numbers = { ...inputs, rule: 'free_quote', value: '3000', limit: '10' };
    expect(skip('INSUFFICIENT_BALANCE', numbers)).toMatch(/USDC/);
  });

  it.each([
    ['NOT_ACTIVE', { rule: 'status', value: 'PAUSED', limit: 'ACTIVE' }, /copier was paused/],
    ['NOT_ACTIVE', { rule: 'status', value: 'CLOSE_ONLY', limit: 'ACTIVE' }, /close only/],
    ['NOT_HELD', { rule: 'watermark', value: 10, limit: 12 }, /with signal 10, .* after signal 12/],
    ['NOT_HELD', { rule: 'held', value: '0', limit: null }, /held nothing of this lot/],
    ['PAIR_BLOCKED', { rule: 'allowed_pairs', value: 'BTC/USDT' }, /BTC\/USDT is not among the pairs/],
    ['PAIR_BLOCKED', { rule: 'blocked_pairs', value: 'BTC/USDT' }, /never copies/],
    ['PAIR_UNAVAILABLE', { rule: 'pair', value: 'BTC/USDT' }, /does not offer BTC\/USDT/],
    ['SIDE_BLOCKED', { rule: 'allowed_sides', value: 'SELL', limit: 'BUY' }, /side SELL, and only BUY/],
    ['SIDE_BLOCKED', { rule: 'no_borrowing', value: 'SELL', limit: 'BUY' }, /copies never borrow/],
    ['STALE_SIGNAL', { rule: 'max_signal_age_ms', value: 72_400, limit: 60_000 }, /72\.4 s old.* 60 s/],
    [
      'OFF_MARKET',
      { rule: 'max_slippage_bps', value: '104.2', limit: 50, book_mid: '60000', reference_price: '60625.2' },
      /60,625\.20 USDT.* 60,000\.00 USDT.* 104\.20 bps .* 50 bps/,
    ],
    ['OFF_MARKET', { rule: 'order_book', value: null, limit: 50 }, /no recent order book/],
    ['STALE_EQUITY', { rule: 'leader_equity', value: null, limit: null }, /strategy's account/],
    ['STALE_EQUITY', { rule: 'equity', value: null, limit: null }, /your account/],
    ['DAILY_LOSS', { rule: 'max_daily_loss_quote', value: '10.5', limit: '10' }, /10\.50 USDT.* 10\.00 USDT/],
    ['DRAWDOWN', { rule: 'max_drawdown_percent', value: '5.1', limit: '5' }, /5\.10 %.* 5\.00 %/],
    ['MAX_TRADES', { rule: 'max_open_trades', value: 3, limit: 3 }, /3 lots were open, and the limit is 3/],
    ['MAX_TRADE', { rule: 'max_trade_quote', value: '100.5', limit: '50' }, /100\.50 USDT.* 50\.00 USDT/],
    ['MAX_TRADE', { rule: 'max_amount', value: '1', limit: '0.4' }, /1\.00 BTC .* 0\.40 BTC/],
    ['MAX_TRADE', { rule: 'max_notional', value: null, limit: '50' }, /exchange's maximum .* 50\.00 USDT/],
    ['MAX_TRADE', { rule: 'max_trade_quote', value: '900', limit: '900' }, /more than .* of 900\.00 USDT/],
    ['MAX_OPEN', { rule: 'max_open_quote', value: '60', limit: '100' }, /60\.00 USDT.* 100\.00 USDT/],
    ['BELOW_MINIMUM', { rule: 'min_notional', value: '3.015', limit: '5' }, /3\.015 USDT is .* 5\.00 USDT/],
    ['BELOW_MINIMUM', { rule: 'min_amount', value: '0', limit: '0.001' }, /rounds down to nothing/],
    ['BELOW_MINIMUM', { rule: 'sellable_notional', value: '5', limit: '5.25' }, /sold again .* 5\.25 USDT/],
    [
      'INSUFFICIENT_BALANCE',
      { rule: 'free_quote', value: '100.5', limit: '80' },
      /100\.50 USDT.* 80\.00 USDT/,
    ],
    ['INSUFFICIENT_BALANCE', { rule: 'free_base', value: '1', limit: '0.5' }, /1\.00 BTC.* 0\.50 BTC/],
    ['SLIPPAGE', { limit_price: '60300' }, /limit price of 60,300\.00 USDT/],
    ['SLIPPAGE', { rule: 'price_tick', value: '0.003', limit: '0.01' }, /no price step/],
  ] as const)('names the numbers of %s: %j', (code, inputs, words) => {
    const text = skip(code, inputs);
    expect(text).toMatch(words);
    expect(text).not.toMatch(BAD_WORDS);
  });

  it('says what was copied, how it was sized, and how price and time compare', () => {
    expect(
      sentence({
        outcome: 'COPIED',
        sent_amount: '0.05',
        filled_amount: '0.05',
        latency_ms: 42,
        slippage_bps: '1.5',
        inputs: { ratio: '0.25', leader_amount: '0.2', reference_price: '60000' },
      }),
    ).toBe(
      "Opened 0.05 BTC. The size is 0.25 × the 0.20 BTC of the strategy so far. The strategy's price was 60,000.00 USDT; the copy's was 1.50 bps worse. The order was sent after 42\u202fms.",
    );
  });

  it('says by how much a copy was reduced, and why', () => {
    const inputs = { rule: 'max_trade_quote', value: '3000', limit: '1800' };
    expect(
      sentence({ outcome: 'CLAMPED', code: 'MAX_TRADE', sent_amount: '0.03', filled_amount: '0.03', inputs }),
    ).toBe(
      'Opened 0.03 BTC instead of 0.05 BTC: it would cost 3,000.00 USDT, and the limit for one entry is 1,800.00 USDT.',
    );
  });

  it('says that an amount was raised, and that a lot was open at the start', () => {
    const text = sentence({
      outcome: 'COPIED',
      sent_amount: '0.08',
      filled_amount: '0.08',
      inputs: { rounded_up: true, copy_existing: true },
    });
    expect(text).toContain('of a lot that was open at the start');
    expect(text).toContain('raised from 0.05 BTC');
  });

  it('uses the present tense for a simulation', () => {
    const simulated = { ...decision({ outcome: 'COPIED', kind: 'CLOSE', sent_amount: '0.05' }) };
    expect(decisionSentence({ ...simulated, filled_amount: undefined }, 'en-US')).toBe('Closes 0.05 BTC.');
  });

  it('says how far a pending order is, and why the rest waits', () => {
    expect(sentence({ outcome: 'PENDING', sent_amount: '0.05', filled_amount: '0.02' })).toBe(
      'An order for 0.05 BTC was sent; 0.02 BTC is filled so far.',
    );
    expect(sentence({ outcome: 'PENDING', kind: 'CLOSE', code: 'RATE_LIMITED' })).toBe(
      'The exit is not final yet. The rest waits: the rate limit of the exchange was reached.',
    );
  });

  it('says that planning failed, and shows a code of a later release', () => {
    expect(sentence({ outcome: 'FAILED', inputs: { rule: 'planning' } })).toMatch(/internal error/);
    expect(sentence({ outcome: 'FAILED', code: 'NEW_CODE', sent_amount: '1' })).toBe(
      'The order for 1.00 BTC failed: the reason has the code NEW_CODE.',
    );
  });
});
