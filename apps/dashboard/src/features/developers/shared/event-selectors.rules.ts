/** Event selectors of a webhook: a type, a subject with `.*`, or `*` for all. */

const subjectOf = (type: string) => type.slice(0, type.indexOf('.'));

export interface Subject<T> {
  readonly subject: string;
  readonly types: readonly T[];
}

/** Groups event types by subject, in the order of the list. */
export function subjectsOf<T extends { readonly type: string }>(types: readonly T[]): readonly Subject<T>[] {
  const subjects = [...new Set(types.map(({ type }) => subjectOf(type)))];
  return subjects.map((subject) => ({
    subject,
    types: types.filter(({ type }) => subjectOf(type) === subject),
  }));
}

export function isChosen(selectors: readonly string[], type: string): boolean {
  return selectors.some(
    (selector) => selector === '*' || selector === type || selector === `${subjectOf(type)}.*`,
  );
}

/** Returns whether single types of a subject are chosen, but not the subject itself. */
export function isPartlyChosen(selectors: readonly string[], subject: string): boolean {
  return !selectors.includes(`${subject}.*`) && selectors.some((selector) => subjectOf(selector) === subject);
}

/** Adds or removes a selector. A subject replaces its types. */
export function toggled(selectors: readonly string[], selector: string): readonly string[] {
  if (selectors.includes(selector)) return selectors.filter((other) => other !== selector);
  const kept = selector.endsWith('.*')
    ? selectors.filter((other) => subjectOf(other) !== subjectOf(selector))
    : selectors;
  return [...kept, selector];
}

/** Describes selectors in a few words: "All events", "trade.filled and 2 more". */
export function selectorText(selectors: readonly string[]): string {
  if (selectors.includes('*')) return 'All events';
  const [first = '', ...rest] = selectors;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
