import { isNotified, readPreferences, withChoice } from './preferences.rules';

const DEFAULTS = { mandatory: ['key.created'], mailed: ['withdrawal.failed'] };

describe('isNotified', () => {
  it('applies the most specific choice, then the default', () => {
    const preferences = { in_app: { '*': false, 'trade.*': true, 'trade.filled': false } };
    expect(isNotified(preferences, 'in_app', 'trade.filled', DEFAULTS)).toBe(false);
    expect(isNotified(preferences, 'in_app', 'trade.failed', DEFAULTS)).toBe(true);
    expect(isNotified(preferences, 'in_app', 'copier.started', DEFAULTS)).toBe(false);
    expect(isNotified({}, 'email', 'withdrawal.failed', DEFAULTS)).toBe(true);
    expect(isNotified({}, 'email', 'trade.filled', DEFAULTS)).toBe(false);
  });

  it('never silences a mandatory event', () => {
    expect(isNotified({ email: { '*': false } }, 'email', 'key.created', DEFAULTS)).toBe(true);
  });
});

describe('withChoice', () => {
  it('stores deviations only', () => {
    const off = withChoice({}, { channel: 'in_app', type: 'trade.filled', isOn: false }, DEFAULTS);
    expect(off).toEqual({ in_app: { 'trade.filled': false } });
    expect(withChoice(off, { channel: 'in_app', type: 'trade.filled', isOn: true }, DEFAULTS)).toEqual({
      in_app: {},
    });
  });

  it('overrides a wider choice', () => {
    const wide = { email: { 'trade.*': true } };
    const choice = { channel: 'email', type: 'trade.filled', isOn: false } as const;
    expect(withChoice(wide, choice, DEFAULTS)).toEqual({ email: { 'trade.*': true, 'trade.filled': false } });
  });
});

describe('readPreferences', () => {
  it('ignores what is not a choice', () => {
    expect(readPreferences({ in_app: { 'trade.filled': false, other: 1 } })).toEqual({
      in_app: { 'trade.filled': false },
      email: {},
    });
    expect(readPreferences(null)).toEqual({ in_app: {}, email: {} });
  });
});
