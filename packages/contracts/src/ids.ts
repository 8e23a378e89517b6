/**
 * TypeIDs: a prefix and a UUIDv7 in 26 characters of Crockford's base32, lower case (`trd_01j…`).
 *
 * 1. An id is opaque to clients and sortable by time of creation; the database stores the bare UUID.
 * 2. Parsing checks the prefix and the 26 characters, never the version of the UUID. A well-formed id without a record is
 *    "not found".
 * 3. A suffix of more than 128 bits (first character above `7`) is malformed.
 */
import { z } from 'zod';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 26;

/** Every prefix with the type of record that it identifies. */
export const ID_PREFIXES = {
  usr: 'user',
  key: 'API key',
  pbk: 'public key',
  exa: 'exchange account',
  tpr: 'trade pair',
  str: 'strategy',
  cpr: 'copier',
  trd: 'trade',
  fil: 'fill',
  rwd: 'reward',
  rwt: 'reward type',
  wdr: 'withdrawal',
  wad: 'withdrawal address',
  ntf: 'notification',
  whk: 'webhook',
  evt: 'event',
  dlv: 'delivery',
  dlq: 'dead letter',
  sig: 'signal',
  lot: 'lot',
  pos: 'position',
  fnd: 'funding payment',
  dec: 'decision',
  ses: 'session',
  rqt: 'request',
} as const;

export type IdPrefix = keyof typeof ID_PREFIXES;
/** A public id with the prefix `P`, for example `Id<'trd'>` for a trade. */
export type Id<P extends IdPrefix = IdPrefix> = string & { readonly __prefix?: P };

const UUID_DIGITS = 32;
const HYPHEN = 0x2d;
/** The value of each hexadecimal digit by character code; -1 for any other character. */
const HEX_VALUES = Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);
/** The two base32 characters of each ten-bit value. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!);

/**
 * Encodes a UUID (8-4-4-4-12, any case) as a public id. A page of records has hundreds of ids, so the bits
 * are encoded ten at a time in a small integer. This is several times faster than one 128-bit BigInt.
 *
 * @throws {TypeError} if `uuid` is not a UUID
 */
export function encodeId<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  let id = `${prefix}_`;
  // 26 characters hold 130 bits, so the first two bits are padding.
  let bits = 0;
  let bitsHeld = 2;
  let digits = 0;
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i);
    if (code === HYPHEN) continue;
    const value = HEX_VALUES[code] ?? -1;
    if (value < 0) throw new TypeError('expected a UUID');
    bits = (bits << 4) | value;
    bitsHeld += 4;
    digits++;
    if (bitsHeld < 10) continue;
    bitsHeld -= 10;
    id += PAIRS[bits >> bitsHeld];
    bits &= (1 << bitsHeld) - 1;
  }
  if (digits !== UUID_DIGITS) throw new TypeError('expected a UUID');
  return id as Id<P>;
}

/** Returns the UUID of a public id with this prefix, or null if the id is malformed. */
export function decodeId(prefix: IdPrefix, text: string): string | null {
  if (!text.startsWith(`${prefix}_`)) return null;
  const suffix = text.slice(prefix.length + 1);
  if (suffix.length !== SUFFIX_LENGTH || suffix[0]! > '7') return null;
  let value = 0n;
  for (const character of suffix) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = (value << 5n) | BigInt(digit);
  }
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function descriptionOf(prefix: IdPrefix): string {
  const record = ID_PREFIXES[prefix];
  return `Id of ${/^[aeiA]/.test(record) ? 'an' : 'a'} ${record} (\`${prefix}_…\`).`;
}

/** Schema of an id in a response. */
export function idOf(prefix: IdPrefix) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][${ALPHABET}]{25}$`))
    .meta({ format: 'typeid', description: descriptionOf(prefix) });
}

/**
 * Schema of an id in a request. It accepts any string: malformed, unknown and foreign ids all fail in the
 * look-up with 404 `not_found`.
 */
export function idInput<P extends IdPrefix>(prefix: P) {
  return z
    .string()
    .transform((text) => text as Id<P>)
    .meta({
      format: 'typeid',
      idPrefix: prefix,
      description: descriptionOf(prefix),
    });
}
