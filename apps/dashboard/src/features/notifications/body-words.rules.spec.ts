import { bodyWords } from './body-words.rules';

describe('the text of a notification', () => {
  it.each([
    [
      'trade.filled',
      'Trade BUY 0.10 BTC/USDT is filled at 30000.500000000000000000.',
      'The order to buy 0.1 BTC/USDT is filled at 30000.5.',
    ],
    [
      'trade.cancelled',
      'Trade SELL 2.000 BTC/USDT was cancelled by the exchange; filled: 0.',
      'The order to sell 2 BTC/USDT was cancelled by the exchange; filled: 0.',
    ],
    [
      'copier.stopped',
      'Copier “C” was stopped (DAILY_LOSS). Open lots left unmanaged: 2.',
      'Copier “C” was stopped: its limit of the daily loss was reached. Open lots left unmanaged: 2.',
    ],
    [
      'copier.trade_skipped',
      'A copier skipped a trade of its strategy: BELOW_MINIMUM.',
      'A copier skipped a trade of its strategy: below minimum.',
    ],
    [
      'webhook.deactivated',
      'No more events are sent to https://a.example/is_active: 10 attempts in a row failed. Once its receiver responds, set is_active to true and retry its dead letters.',
      'No more events are sent to https://a.example/is_active: 10 attempts in a row failed. Once its receiver responds, activate it and retry its dead letters.',
    ],
    [
      'strategy.multiplier_kept',
      'They keep the mode; new copiers need allow_multiplier.',
      'They keep the mode; new copiers need your consent in the settings of the strategy.',
    ],
  ])('%s has no code: %s', (kind, body, words) => {
    expect(bodyWords(kind, body)).toBe(words);
  });

  it('is that of the API if a later release words it otherwise, or has other codes', () => {
    for (const [kind, body] of [
      ['copier.stopped', 'Copier “C” was stopped (NEW_REASON).'],
      ['copier.trade_skipped', 'A copier skipped a trade of its strategy: constructor.'],
      ['trade.filled', 'An order is filled.'],
      ['rocket.launched', 'Trade BUY was_stopped (USER).'],
      ['constructor.x', 'x'],
    ] as const)
      expect(bodyWords(kind, body)).toBe(body);
  });

  it('keeps names and addresses as they are', () => {
    const body = 'Copier “v1.100 (USER)” holds lots that its strategy has closed.';
    expect(bodyWords('copier.drift', body)).toBe(body);
    const address = 'The withdrawal of 5.10 SVC to 0x1.00 is completed.';
    expect(bodyWords('withdrawal.completed', address)).toBe(address);
  });
});
