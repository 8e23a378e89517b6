/** Checks of EVM addresses before they are sent. The API checks them again. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

/** Returns what is wrong with an address, and how to fix it; undefined if it can be used. */
export function addressProblem(address: string): string | undefined {
  if (address === '') return 'Enter the address that receives the tokens.';
  if (!address.startsWith('0x')) return 'An EVM address begins with 0x.';
  if (!ADDRESS.test(address))
    return address.length === 42
      ? 'An EVM address has only the digits 0–9 and a–f after 0x.'
      : `An EVM address has 42 characters; got ${address.length}. Copy it again.`;
  if (ZERO.test(address))
    return 'This is the zero address, which no key can spend from. Use your own address.';
  if (!isChecksummed(address))
    return 'The checksum in the letter case is wrong, so a digit may be wrong too. Copy the address again.';
  return undefined;
}

/** Returns whether the letter case of an address is a valid EIP-55 checksum, or carries none. */
function isChecksummed(address: string): boolean {
  const digits = address.slice(2);
  return hasOneCase(digits) || digits === withChecksum(digits.toLowerCase());
}

/** Returns whether the letter case of an address proves that no digit was mistyped. */
export function hasChecksum(address: string): boolean {
  return !hasOneCase(address.slice(2)) && isChecksummed(address);
}

const hasOneCase = (digits: string) => digits === digits.toLowerCase() || digits === digits.toUpperCase();

/** A letter is upper case if the digit at its position in the hash of the lower-case address is 8 or more. */
function withChecksum(lower: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return [...lower]
    .map((digit, i) => (Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
}

/** Splits an address into 0x and groups of four digits, which people compare. */
export function groupsOf(address: string): readonly string[] {
  return [address.slice(0, 2), ...(address.slice(2).match(/.{1,4}/g) ?? [])];
}

/** Returns what to do about an address that the book already has; undefined if it is new. Letter case does not matter. */
export function knownAddressProblem(
  address: string,
  book: readonly { readonly address: string; readonly label?: string | undefined }[],
): string | undefined {
  const known = book.find((entry) => entry.address.toLowerCase() === address.toLowerCase());
  if (known === undefined) return undefined;
  const name = known.label === undefined ? 'without a label' : `as “${known.label}”`;
  return `This address is in your book already, ${name}. To rename it, delete it there first.`;
}
