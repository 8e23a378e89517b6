/** Event selectors: one event type (`trade.filled`), all types with a prefix (`trade.*`), or all types (`*`). */

/** Parses the values of a repeatable option; each value is one or more selectors: `trade.filled,reward.*`. */
export function selectorsOf(values: readonly string[]): readonly string[] {
  const selectors = values
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return selectors.length === 0 || selectors.includes('*') ? ['*'] : [...new Set(selectors)];
}

export function isSelected(selectors: readonly string[], type: string): boolean {
  return selectors.some((selector) => matches(selector, type));
}

/** Returns the selectors that match none of the event types. */
export function unknownAmong(selectors: readonly string[], types: readonly string[]): readonly string[] {
  return selectors.filter((selector) => !types.some((type) => matches(selector, type)));
}

/** Returns the filter for the server, which supports one selector. The client itself applies several selectors. */
export function serverFilterOf(selectors: readonly string[]): { readonly type?: string } {
  const [only] = selectors;
  return selectors.length === 1 && only !== undefined && only !== '*' ? { type: only } : {};
}

function matches(selector: string, type: string): boolean {
  return selector === '*' || selector === type || selector === `${type.slice(0, type.indexOf('.'))}.*`;
}
