/** Which events are wanted: a kind (`trade.filled`), all of a subject (`trade.*`), or all there are (`*`). */

/** The selectors in `a,b.*`, given once or more often. */
export function selectorsOf(given: readonly string[]): readonly string[] {
  const selectors = given
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return selectors.length === 0 || selectors.includes('*') ? ['*'] : [...new Set(selectors)];
}

export function isWanted(selectors: readonly string[], type: string): boolean {
  return selectors.some((selector) => covers(selector, type));
}

/** The selectors that cover none of the kinds there are. */
export function unknownAmong(selectors: readonly string[], types: readonly string[]): readonly string[] {
  return selectors.filter((selector) => !types.some((type) => covers(selector, type)));
}

/** What is asked of the server: it takes one selector, and the rest is chosen here. */
export function serverFilterOf(selectors: readonly string[]): { readonly type?: string } {
  const [only] = selectors;
  return selectors.length === 1 && only !== undefined && only !== '*' ? { type: only } : {};
}

function covers(selector: string, type: string): boolean {
  return selector === '*' || selector === type || selector === `${type.slice(0, type.indexOf('.'))}.*`;
}
