/**
 * Conversion between bytes and hex. Keys, nonces, digests and signatures are sent as lower-case hex of a fixed length, so
 * that two different strings never represent the same value.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const LOWER_HEX = /^[0-9a-f]*$/;
const encoder = new TextEncoder();

/** Returns whether `value` is the lower-case hex of exactly `byteLength` bytes. */
export function isLowerHex(value: string, byteLength: number): boolean {
  return value.length === byteLength * 2 && LOWER_HEX.test(value);
}

/** Returns the UTF-8 bytes of a string; bytes are returned unchanged. */
export function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

export { bytesToHex, hexToBytes };
