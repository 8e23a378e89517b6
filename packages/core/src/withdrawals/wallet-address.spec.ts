import { getAddress } from '@ethersproject/address';
import fc from 'fast-check';
import { isChecksummed } from './wallet-address.js';

/** The addresses of the examples in EIP-55. */
const PUBLISHED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];
const MIXED_CASE = PUBLISHED.slice(4);
const isAcceptedByReference = (address: string): boolean => {
  try {
    return getAddress(address) !== '';
  } catch {
    return false;
  }
};
const digitsOf = (address: string) => address.slice(2);

describe('the checksum of an address', () => {
  it.each(PUBLISHED)('is valid in the published address %s', (address) => {
    expect(isChecksummed(address)).toBe(true);
  });

  it.each(PUBLISHED)(
    'is not checked if all letters of %s are lower case or all are upper case',
    (address) => {
      expect(isChecksummed(`0x${digitsOf(address).toLowerCase()}`)).toBe(true);
      expect(isChecksummed(`0x${digitsOf(address).toUpperCase()}`)).toBe(true);
    },
  );

  it.each(MIXED_CASE)('is invalid if the case of one letter of %s is changed', (address) => {
    const letters = [...digitsOf(address)].flatMap((digit, at) => (/[a-f]/i.test(digit) ? [at] : []));
    for (const at of letters) {
      const digits = [...digitsOf(address)];
      const digit = digits[at]!;
      digits[at] = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
      expect(isChecksummed(`0x${digits.join('')}`)).toBe(false);
    }
  });

  it('is valid if and only if another library accepts it, for any address in any mix of cases', () => {
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
    const uppers = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(address, uppers, (bytes, isUpper) => {
        const lower = Buffer.from(bytes).toString('hex');
        expect(isChecksummed(getAddress(`0x${lower}`))).toBe(true);
        const mixedCase = [...lower].map((digit, at) => (isUpper[at] ? digit.toUpperCase() : digit)).join('');
        expect(isChecksummed(`0x${mixedCase}`)).toBe(isAcceptedByReference(`0x${mixedCase}`));
      }),
    );
  });

  it('is valid for only one mixed-case form of an address', () => {
    const anyMixedCase = fc.tuple(
      fc.constantFrom(...MIXED_CASE),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    );
    fc.assert(
      fc.property(anyMixedCase, ([address, uppers]) => {
        const digits = [...digitsOf(address).toLowerCase()]
          .map((digit, at) => (uppers[at] ? digit.toUpperCase() : digit))
          .join('');
        const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
        expect(isChecksummed(`0x${digits}`)).toBe(isOneCase || `0x${digits}` === address);
      }),
    );
  });
});
