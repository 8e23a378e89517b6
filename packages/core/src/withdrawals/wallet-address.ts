import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { DomainError } from '@trading-automation/contracts';

/**
 * Returns whether 40 hex digits after `0x` can be an EVM address: all in one case, or in mixed case with a valid EIP-55
 * checksum. The checksum hashes the lower-case address. A letter is upper case if the digit at its position in the
 * hash is 8 or more.
 */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return [...lower].every((digit, index) => {
    const isUpper = Number.parseInt(hash[index] ?? '', 16) >= 8;
    return digits[index] === (isUpper ? digit.toUpperCase() : digit);
  });
}

/** @throws {DomainError} `validation_failed` if the address has mixed case and an invalid checksum */
export function assertChecksummed(address: string, field: string): void {
  if (isChecksummed(address)) return;
  throw new DomainError('validation_failed', undefined, [
    {
      field,
      code: 'bad_checksum',
      message: `${field} has an invalid EIP-55 checksum. Check its digits and their case.`,
    },
  ]);
}
