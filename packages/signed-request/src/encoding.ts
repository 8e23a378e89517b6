/**
 * Bytes and their one text form. Everything that crosses the wire is lower-case hex of a fixed length: one
 * value has one spelling, so two texts that differ never name the same key, nonce or signature.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const LOWER_HEX = /^[0-9a-f]*$/;
const encoder = new TextEncoder();

/** Is `value` the lower-case hex of exactly `byteLength` bytes? */
export function isLowerHex(value: string, byteLength: number): boolean {
  return value.length === byteLength * 2 && LOWER_HEX.test(value);
}

/** UTF-8 bytes of a text; bytes pass through untouched. */
export function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? encoder.encode(data) : data;
}

export { bytesToHex, hexToBytes };
