/**
 * JSON that was written once and goes out as it was: no field is looked at, and every digit stays. Its decimals are
 * numbers whatever form of decimals a caller asks for.
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

/** A schema whose values are answered from what was stored; it tells what stands in it. */
export function stored<Schema extends z.ZodType>(schema: Schema): z.ZodType<StoredJson, z.input<Schema>> {
  return schema.meta({ stored: true }) as unknown as z.ZodType<StoredJson, z.input<Schema>>;
}
