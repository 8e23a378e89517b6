/**
 * JSON that was written once and goes out as it was: every digit stays, and no schema decides what is shown.
 *
 * For who asks for decimals as strings, those numbers of it are quoted that are decimals in the records that it may
 * hold; all else stays byte for byte.
 */
import type { z } from 'zod';

export class StoredJson {
  private constructor(
    /** The JSON text on one line. */
    readonly text: string,
  ) {}

  /** @throws {SyntaxError} where the text is no JSON: what is stored is broken */
  static of(text: string): StoredJson {
    JSON.parse(text);
    // Outside of strings, which can't hold them raw, line ends are space.
    return new StoredJson(text.replace(/[\r\n]+/g, ' '));
  }
}

/** Where the decimals of stored JSON are, by the names of members. */
export interface DecimalNames {
  /** Members that are decimals themselves, or lists of them. */
  readonly members: readonly string[];
  /** Members whose own members are decimals, whatever their names. */
  readonly maps: readonly string[];
}

/**
 * A schema whose values are answered from what was stored; it tells what stands in it.
 *
 * @param records what the stored JSON may hold: their decimals are quoted on demand
 */
export function storedSchema<Schema extends z.ZodType>(
  schema: Schema,
  records: readonly z.ZodType[] = [],
): z.ZodType<StoredJson, z.input<Schema>> {
  const meta = { stored: decimalNamesIn(records) };
  return schema.meta(meta) as unknown as z.ZodType<StoredJson, z.input<Schema>>;
}

interface ZodNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Record<string, ZodNode>;
    readonly element?: ZodNode;
    readonly innerType?: ZodNode;
    readonly valueType?: ZodNode;
  };
  meta(): { format?: string } | undefined;
}

/** @throws where one name is a decimal here and another number there: names alone could not tell them apart */
function decimalNamesIn(records: readonly z.ZodType[]): DecimalNames {
  const kinds = new Map<string, Set<string>>();
  for (const record of records) collectKinds('', record as unknown as ZodNode, kinds);
  const namesOf = (kind: string) => [...kinds].filter(([, has]) => has.has(kind)).map(([name]) => name);
  const numbers = new Set(namesOf('number'));
  const members = namesOf('decimal');
  const torn = members.filter((name) => numbers.has(name));
  if (torn.length > 0)
    throw new TypeError(`${torn.join(', ')}: a decimal in one record, a number in another`);
  return { members, maps: namesOf('decimals') };
}

function collectKinds(name: string, schema: ZodNode, kinds: Map<string, Set<string>>): void {
  const { def } = schema;
  const isDecimal = def.type === 'string' && schema.meta()?.format === 'decimal';
  if (isDecimal || def.type === 'number') {
    const known = kinds.get(name) ?? new Set();
    kinds.set(name, known.add(isDecimal ? 'decimal' : 'number'));
  } else if (def.type === 'object') {
    for (const [member, inner] of Object.entries(def.shape ?? {})) collectKinds(member, inner, kinds);
  } else if (def.type === 'record' && isDecimalSchema(def.valueType)) {
    kinds.set(name, (kinds.get(name) ?? new Set()).add('decimals'));
  } else {
    const inner = def.element ?? def.innerType;
    if (inner !== undefined) collectKinds(name, inner, kinds);
  }
}

const isDecimalSchema = (schema: ZodNode | undefined) => schema?.meta()?.format === 'decimal';

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g;
const KEY_END = /\s*:/y;

/** The JSON with its decimals quoted. @param text valid JSON */
export function quoteDecimals(text: string, { members, maps }: DecimalNames): string {
  const [decimals, decimalMaps] = [new Set(members), new Set(maps)];
  /** The member that each open object or list belongs to; of the innermost object, the one being read. */
  const path: string[] = [''];
  return text.replace(TOKEN, (token, at: number) => {
    if (token === '{' || token === '[') path.push(path.at(-1)!);
    else if (token === '}' || token === ']') path.pop();
    else if (!token.startsWith('"')) {
      return decimals.has(path.at(-1)!) || decimalMaps.has(path.at(-2)!) ? `"${token}"` : token;
    } else {
      KEY_END.lastIndex = at + token.length;
      if (KEY_END.test(text)) path[path.length - 1] = JSON.parse(token);
    }
    return token;
  });
}
