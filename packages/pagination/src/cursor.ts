/**
 * The keyset cursor: where a list goes on, as one opaque text.
 *
 * 1. A cursor names a position (`sort` value and id of the last item) and what it belongs to: version, sort,
 *    order and a fingerprint of the scope (the list, its user and its filters).
 * 2. Every byte is covered by the MAC; one altered character, or a second spelling of the same bytes, is refused.
 * 3. A cursor read with another sort, order or scope is refused: it would skip or repeat items, or say
 *    something about another user's records.
 * 4. The sort value is the database's own text (microseconds, all decimals), never a JavaScript number or Date.
 * 5. Cursors are signed, not encrypted: the position can be read by its owner, who has just seen that item.
 */
import { fromBase64Url, toBase64Url } from './base64url.js';

/** The longest cursor that is read, in characters. */
export const CURSOR_LENGTH_MAX = 4096;

const VERSION = 1;
const MAC_LENGTH_MIN = 16;
const FINGERPRINT_LENGTH = 16;

/** A keyed MAC, for example HMAC-SHA256: at least 16 bytes, always of the same length. */
export type Mac = (bytes: Uint8Array) => Uint8Array;
export type SortOrder = 'asc' | 'desc';

/** What a cursor belongs to. `scope` comes from {@link cursorScope}. */
export interface CursorBinding {
  readonly sort: string;
  readonly order: SortOrder;
  readonly scope: string;
}

/** The last item of a page: its sort value as the database writes it, and its id as it is stored. */
export interface CursorPosition {
  readonly value: string;
  readonly id: string;
}

export interface CursorCodec {
  encode(binding: CursorBinding, position: CursorPosition): string;
  /** @throws {InvalidCursor} unless this codec's key made `cursor` for this very binding */
  decode(cursor: string, binding: CursorBinding): CursorPosition;
}

/** The text is no cursor of this query and user. It tells nobody why: a forger learns nothing from it. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
  constructor() {
    super(
      'cursor: not a cursor of this query; send next_cursor back unchanged, with the same filters, sort and order, or start again without a cursor',
    );
  }
}

/**
 * One text for "this list, of this user, with these filters". Filters without a value count as absent, and
 * their order does not matter; lists with equal scope must show the same records.
 */
export function cursorScope(
  list: string,
  userId: string,
  filters: Readonly<Record<string, unknown>> = {},
): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  given.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([list, userId, given]);
}

/** A codec whose cursors only `mac`'s key can make. */
export function createCursorCodec(mac: Mac): CursorCodec {
  const sign = (domain: string, bytes: Uint8Array) =>
    mac(concat(new TextEncoder().encode(`${domain}\n`), bytes));
  const fingerprint = (scope: string) =>
    toBase64Url(sign('scope', new TextEncoder().encode(scope)).subarray(0, FINGERPRINT_LENGTH));
  const macLength = sign('cursor', new Uint8Array()).length;
  if (macLength < MAC_LENGTH_MIN)
    throw new TypeError(`a cursor's MAC needs at least ${MAC_LENGTH_MIN} bytes`);

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
      // The MAC holds, so this is JSON of our own making; an older version may have another shape.
      const fields = JSON.parse(new TextDecoder().decode(body)) as unknown[];
      const [value, id] = fields.slice(4);
      const expected = [VERSION, sort, order, fingerprint(scope)];
      if (expected.some((part, index) => fields[index] !== part)) throw new InvalidCursor();
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

/** Looks at every byte, so that the time taken does not tell how much of a forged MAC was right. */
function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0);
  return difference === 0;
}
