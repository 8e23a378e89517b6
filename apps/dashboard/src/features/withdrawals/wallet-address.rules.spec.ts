import { addressProblem, groupsOf, hasChecksum, knownAddressProblem } from './wallet-address.rules';

const VALID = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('addressProblem', () => {
  it('accepts a valid checksum and addresses in one case', () => {
    for (const address of [VALID, VALID.toLowerCase(), `0x${VALID.slice(2).toUpperCase()}`])
      expect(addressProblem(address)).toBeUndefined();
  });

  it.each([
    ['', 'Enter the address'],
    ['5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'begins with 0x'],
    [VALID.slice(0, 41), 'has 42 characters; got 41'],
    [`${VALID.slice(0, 41)}g`, 'only the digits'],
    [`0x${'0'.repeat(40)}`, 'zero address'],
    [VALID.replace('aAe', 'AAe'), 'checksum'],
  ])('says what is wrong with %p', (address, problem) => {
    expect(addressProblem(address)).toContain(problem);
  });
});

describe('hasChecksum', () => {
  it('needs mixed case', () => {
    expect(hasChecksum(VALID)).toBe(true);
    expect(hasChecksum(VALID.toLowerCase())).toBe(false);
  });
});

describe('groupsOf', () => {
  it('keeps every digit', () => {
    const groups = groupsOf(VALID);
    expect(groups).toHaveLength(11);
    expect(groups.join('')).toBe(VALID);
  });
});

describe('knownAddressProblem', () => {
  it('names the entry of an address in any letter case', () => {
    const book = [{ address: VALID.toLowerCase(), label: 'Ledger' }];
    expect(knownAddressProblem(VALID, book)).toContain('“Ledger”');
    expect(knownAddressProblem(VALID, [{ address: VALID }])).toContain('without a label');
  });

  it('accepts a new address', () => {
    expect(knownAddressProblem(VALID, [])).toBeUndefined();
  });
});
