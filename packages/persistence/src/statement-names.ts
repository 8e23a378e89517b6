/**
 * Decides which statements run by name. A named statement saves parsing and planning, but the server keeps it for each
 * connection. Clients choose the filters of a list, so only statements that are used often get a name.
 */
import { createHash } from 'node:crypto';
import { NAMED_STATEMENTS_MAX } from './bounded-client.js';

/** A statement gets a name with its eighth use among the last one to two generations of statements without a name. */
const USES_MIN = 8;
const GENERATION_SIZE = 500;
/**
 * Longer statements are never named: a connection would keep up to 2 MiB for each. They read statistics of many tables, and
 * are planned at each use. Indentation does not count, because it has no influence on the plan.
 */
const NAMED_LENGTH_MAX = 8_000;

/**
 * Matches `*` in a select list, but neither a multiplication nor `count(*)` nor `* FROM unnest` or `* FROM (`: there, the
 * statement itself defines the columns.
 */
const STAR = /(?<!\(\s*)\*(?=\s*(?:[,);]|$|FROM\b(?!\s+(?:unnest\b|\())))/i;

/** Names at most as many statements as a connection keeps, and counts a bounded number of others. */
export class StatementNames {
  /** The names by text, the least recently used first. */
  private readonly names = new Map<string, string>();
  private uses = new Map<string, number>();
  private previousUses: ReadonlyMap<string, number> = new Map();
  private counted = 0;

  /**
   * Records a use of a statement. Returns its name; undefined if it is used rarely.
   *
   * @throws {TypeError} if it selects `*`
   */
  nameFor(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined) {
      this.names.delete(text);
      this.names.set(text, known);
      return known;
    }
    assertColumnsNamed(text);
    if (isTooLong(text)) return undefined;
    if (this.count(text) < USES_MIN) return undefined;
    if (this.names.size >= NAMED_STATEMENTS_MAX) this.names.delete(this.names.keys().next().value!);
    const name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.names.set(text, name);
    return name;
  }

  private count(text: string): number {
    if (++this.counted > GENERATION_SIZE) {
      this.previousUses = this.uses;
      this.uses = new Map();
      this.counted = 1;
    }
    const uses = (this.uses.get(text) ?? 0) + 1;
    this.uses.set(text, uses);
    return uses + (this.previousUses.get(text) ?? 0);
  }
}

function isTooLong(text: string): boolean {
  return text.length > NAMED_LENGTH_MAX && text.replaceAll(/\n\s+/g, '\n').length > NAMED_LENGTH_MAX;
}

/** @throws {TypeError} if a statement selects `*` instead of naming its columns */
export function assertColumnsNamed(text: string): void {
  if (STAR.test(text))
    throw new TypeError(`A prepared statement must name its columns instead of *: ${text}`);
}

const names = new StatementNames();

/** Returns the `name` of a query, without one if the statement is used rarely. @throws {TypeError} if it selects `*` */
export function nameOf(text: string): { readonly name?: string } {
  const name = names.nameFor(text);
  return name === undefined ? {} : { name };
}
