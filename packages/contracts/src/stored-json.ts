/**
 * JSON that is stored as text and returned unchanged: with every digit, and with fields that are not in the schema.
 *
 * If the caller requests decimals as strings, a number is quoted if one of the records that the JSON may hold has a
 * decimal of this name. All other bytes stay the same.
 */
import type { z } from 'zod';

export class StoredJson {
  private constructor(
    /** The JSON text on one line. */
    readonly text: string,
  ) {}

  /** @throws {SyntaxError} if the text is not valid JSON: the stored value is corrupt */
  static of(text: string): StoredJson {
    JSON.parse(text);
    // JSON strings cannot contain raw line breaks, so every line break here is whitespace.
    return new StoredJson(text.replace(/[\r\n]+/g, ' '));
  }
}

/** The member names of the decimals in stored JSON. */
export interface DecimalNames {
  /** Members whose values are decimals or lists of decimals. */
  readonly members: readonly string[];
  /** Members whose values are objects in which every member is a decimal. */
  readonly maps: readonly string[];
}

/**
 * Returns a schema whose values are {@link StoredJson}; the schema itself only documents their
 * structure.
 *
 * @param records schemas of the records that the stored JSON may hold; their decimals are quoted on request
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

/**
 * @throws {TypeError} if a name belongs to a decimal in one record and to a plain number in another, because stored
 *   decimals and plain numbers differ only in their names
 */
function decimalNamesIn(records: readonly z.ZodType[]): DecimalNames {
  const kinds = new Map<string, Set<string>>();
  for (const record of records) collectKinds('', record as unknown as ZodNode, kinds);
  const namesOf = (kind: string) => [...kinds].filter(([, ofName]) => ofName.has(kind)).map(([name]) => name);
  const numbers = new Set(namesOf('number'));
  const members = namesOf('decimal');
  const ambiguous = members.filter((name) => numbers.has(name));
  if (ambiguous.length > 0)
    throw new TypeError(
      `A field must have one type in all records, but these are decimals in one record and numbers in another: ${ambiguous.join(', ')}. Rename one of the fields.`,
    );
  return { members, maps: namesOf('decimals') };
}

function collectKinds(name: string, schema: ZodNode, kinds: Map<string, Set<string>>): void {
  const { def } = schema;
  const isDecimal = isDecimalSchema(schema);
  if (isDecimal || def.type === 'number') {
    const known = kinds.get(name) ?? new Set();
    kinds.set(name, known.add(isDecimal ? 'decimal' : 'number'));
  } else if (def.type === 'object') {
    for (const [member, inner] of Object.entries(def.shape ?? {})) collectKinds(member, inner, kinds);
  } else if (isDecimalSchema(def.valueType)) {
    kinds.set(name, (kinds.get(name) ?? new Set()).add('decimals'));
  } else {
    const inner = def.element ?? def.innerType;
    if (inner !== undefined) collectKinds(name, inner, kinds);
  }
}

const isDecimalSchema = (schema: ZodNode | undefined) => schema?.meta()?.format === 'decimal';

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g;
const KEY_END = /\s*:/y;

/**
 * Returns the JSON with its decimals quoted.
 *
 * @param text valid JSON
 */
export function quoteDecimals(text: string, { members, maps }: DecimalNames): string {
  const [decimals, decimalMaps] = [new Set(members), new Set(maps)];
  /** For each open object, the name of its current member; for each open list, the name of the list's member. */
  const path: string[] = [''];
  return text.replace(TOKEN, (token, at: number) => {
    if (token === '{' || token === '[') path.push(path.at(-1)!);
    else if (token === '}' || token === ']') path.pop();
    else if (token[0] !== '"') {
      return decimals.has(path.at(-1)!) || decimalMaps.has(path.at(-2)!) ? `"${token}"` : token;
    } else {
      KEY_END.lastIndex = at + token.length;
      if (KEY_END.test(text)) path[path.length - 1] = JSON.parse(token);
    }
    return token;
  });
}
