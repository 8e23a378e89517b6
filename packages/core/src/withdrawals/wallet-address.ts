import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * Whether 40 hex digits behind `0x` can be an EVM address: of one case, or in mixed case with a right EIP-55 checksum
 * (a letter is upper case where the same digit of the hash of the lower-case address is 8 or more).
 */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return [...lower].every((digit, place) => {
    const isUpper = Number.parseInt(hash[place] ?? '', 16) >= 8;
    return digits[place] === (isUpper ? digit.toUpperCase() : digit);
  });
}
