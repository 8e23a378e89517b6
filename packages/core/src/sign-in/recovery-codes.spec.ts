import { generateRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.js';

describe('recovery codes', () => {
  it('are ten distinct codes of 80 random bits', () => {
    const codes = Array.from({ length: 100 }, generateRecoveryCodes).flat();
    expect(codes).toHaveLength(1_000);
    expect(new Set(codes).size).toBe(1_000);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  });

  it('are accepted in any case, with or without hyphens, and with O, I and L for digits', () => {
    const expected = hashOfRecoveryCode('anna', '0123-ABCD-1111-WXYZ');
    for (const text of ['0123ABCD1111WXYZ', 'o123-abcd-iLl1-wxyz', ' 0123 abcd 1111 wxyz ']) {
      expect(hashOfRecoveryCode('anna', text)).toEqual(expected);
    }
    expect(hashOfRecoveryCode('anna', '0123-ABCD-1111-WXY0')).not.toEqual(expected);
    expect(hashOfRecoveryCode('ben', '0123-ABCD-1111-WXYZ')).not.toEqual(expected);
  });
});
