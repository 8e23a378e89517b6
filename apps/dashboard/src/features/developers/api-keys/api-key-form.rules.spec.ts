import { bodyOf, EMPTY_FORM, fieldErrors } from './api-key-form.rules';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('the form of an API key', () => {
  it('expires after the chosen number of days', () => {
    const form = { ...EMPTY_FORM, name: ' bot ', expiry: '7', permissions: ['READ', 'TRADE'] };
    expect(bodyOf(form, NOW)).toEqual({
      name: 'bot',
      permissions: ['READ', 'TRADE'],
      expires_at: '2026-01-08T00:00:00.000Z',
    });
  });

  it('may only read unless more is chosen, and leaves out what was not chosen, so that the API uses its defaults', () => {
    expect(bodyOf({ ...EMPTY_FORM, name: 'bot', expiry: 'never' }, NOW)).toEqual({
      name: 'bot',
      permissions: ['READ'],
    });
  });

  it('accepts lines, commas and spaces between addresses', () => {
    const form = { ...EMPTY_FORM, allowlist: '203.0.113.7, 198.51.100.0/24\n\n 2001:db8::/32 ' };
    expect(bodyOf(form, NOW).ip_allowlist).toEqual(['203.0.113.7', '198.51.100.0/24', '2001:db8::/32']);
  });

  it('passes an invalid date on, so that it is rejected and not ignored', () => {
    expect(bodyOf({ ...EMPTY_FORM, expiry: 'date', date: 'soon' }, NOW).expires_at).toBe('soon');
  });

  it('names the address that is wrong, and keeps the first issue of a field', () => {
    const form = { ...EMPTY_FORM, allowlist: '203.0.113.7\nhome' };
    const issues = [
      { field: 'ip_allowlist.1', message: 'Expected an IP address or a CIDR range.' },
      { field: 'ip_allowlist', message: 'Too many.' },
      { field: 'other', message: 'Unknown.' },
    ];
    expect(fieldErrors(issues, form)).toEqual({
      allowlist: 'home: Expected an IP address or a CIDR range.',
    });
  });
});
