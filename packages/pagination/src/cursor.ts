/**
 * The keyset cursor: an opaque string that says where a list continues.
 *
 * 1. A cursor contains a position (sort value and id of the item after which the list continues) and its binding:
 *    version, sort, order and a fingerprint of the scope (the list, its user and its filters).
 * 2. The MAC covers every byte. A changed character or another encoding of the same bytes is rejected.
 * 3. A cursor whose sort, order or scope differs from the query's is rejected: it would skip or repeat items, or reveal
 *    records of another user.
 * 4. The sort value is the text that the database returns, with microseconds and all decimals. It is never a JavaScript
 *    number or Date.
 * 5. Cursors are signed, not encrypted. Users can read the position, but they already received the item at it.
 */
import { fromBase64Url, toBase64Url } from './base64url.js';

/** Maximum length of a cursor in characters. */
export const CURSOR_LENGTH_MAX = 4096;

const VERSION = 1;
const MAC_LENGTH_MIN = 16;
const FINGERPRINT_LENGTH = 16;

/** A keyed MAC, for example HMAC-SHA256: at least 16 bytes, always of the same length. */
export type Mac = (bytes: Uint8Array) => Uint8Array;
export type SortOrder = 'asc' | 'desc';

/** The query to which a cursor is bound. `scope` comes from {@link cursorScope}. */
export interface CursorBinding {
  readonly sort: string;
  readonly order: SortOrder;
  readonly scope: string;
}

/** The item after which the list continues: its sort value as the database's text, and its stored id. */
export interface CursorPosition {
  readonly value: string;
  readonly id: string;
}

export interface CursorCodec {
  encode(binding: CursorBinding, position: CursorPosition): string;
  /** @throws {InvalidCursor} if the cursor was not created with this key for this binding */
  decode(cursor: string, binding: CursorBinding): CursorPosition;
}

/**
 * The cursor is invalid for this query and user. The message does not say why, so that it does not help a forger.
 */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
  constructor() {
    super(
      'cursor: not valid for this query; send next_cursor unchanged, with the same filters, sort and order, or start again without a cursor',
    );
  }
}

/**
 * Returns the scope of a cursor: the list, its user and its filters. Undefined filters count as absent. The order of
 * the filters does not matter. Lists with an equal scope must contain the same records.
 */
export function cursorScope(
  list: string,
  userId: string,
  filters: Readonly<Record<string, unknown>> = {},
): string {
  const present = Object.entries(filters).filter(([, value]) => value !== undefined);
  present.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([list, userId, present]);
}

/** Creates a codec. Its cursors can be created only with the key of `mac`. */
export function createCursorCodec(mac: Mac): CursorCodec {
  const sign = (domain: string, bytes: Uint8Array) =>
    mac(concat(new TextEncoder().encode(`${domain}\n`), bytes));
  const fingerprint = (scope: string) =>
    toBase64Url(sign('scope', new TextEncoder().encode(scope)).subarray(0, FINGERPRINT_LENGTH));
  const macLength = sign('cursor', new Uint8Array()).length;
  if (macLength < MAC_LENGTH_MIN)
    throw new TypeError(`The MAC must have at least ${MAC_LENGTH_MIN} bytes; got ${macLength}.`);

  return {
    encode({ sort, order, scope }, { value, id }) {
      const body = new TextEncoder().encode(
        JSON.stringify([VERSION, sort, order, fingerprint(scope), value, id]),
      );
      return toBase64Url(concat(body, sign('cursor', body)));
    },

    decode(cursor, { sort, order, scope }) {
      const bytes = cursor.length <= CURSOR_LENGTH_MAX ? fromBase64Url(cursor) : null;
      if (bytes === null || bytes.length <= macLength) throw new InvalidCursor();
      const body = bytes.subarray(0, -macLength);
      if (!equalBytes(sign('cursor', body), bytes.subarray(-macLength))) throw new InvalidCursor();
      // The MAC is valid, so this JSON is from this codec; an older version may have other fields.
      const fields = JSON.parse(new TextDecoder().decode(body)) as unknown[];
      const [value, id] = fields.slice(4);
      const expected = [VERSION, sort, order, fingerprint(scope)];
      if (expected.some((field, index) => fields[index] !== field)) throw new InvalidCursor();
      if (typeof value !== 'string' || typeof id !== 'string') throw new InvalidCursor();
      return { value, id };
    },
  };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** Compares all bytes in constant time, so that timing does not reveal how much of a forged MAC matches. */
function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
