/**
 * Removes suggestions, and input values, which may be secrets, from a message of the GraphQL library. A message contains
 * text of the document, so every step takes linear time. The order of the steps matters.
 */
export function redactMessage(message: string): string {
  const steps = [
    withoutSuggestion,
    withoutUnrepresentableValue,
    withoutFoundValue,
    withoutEnumValue,
    withoutValueAtPath,
    withoutInvalidValue,
  ];
  return steps.reduce((text, step) => step(text), message);
}

function withoutSuggestion(text: string): string {
  const start = text.indexOf(' Did you mean ');
  return start >= 0 && text.endsWith('?') ? text.slice(0, start) : text;
}

function withoutUnrepresentableValue(text: string): string {
  const phrase = ' cannot represent ';
  let start = text.indexOf(phrase);
  while (start >= 0) {
    const colon = text.indexOf(':', start + phrase.length);
    if (colon < 0) return text;
    if (text[colon + 1] === ' ') return `${text.slice(0, colon)}.`;
    start = text.indexOf(phrase, colon);
  }
  return text;
}

function withoutFoundValue(text: string): string {
  const phrase = 'Expected value of type "';
  let start = text.indexOf(phrase);
  while (start >= 0) {
    const quote = text.indexOf('"', start + phrase.length);
    if (quote < 0) return text;
    if (text.startsWith(', found ', quote + 1)) return `${text.slice(0, quote + 1)}.`;
    start = text.indexOf(phrase, start + 1);
  }
  return text;
}

function withoutEnumValue(text: string): string {
  const start = text.indexOf('Value ');
  if (start < 0) return text;
  const enumName = findLast(text, ' does not exist in ', ' enum', start + 'Value '.length);
  return enumName === undefined
    ? text
    : `${text.slice(0, start)}The value does not exist in ${enumName.text}.`;
}

const INVALID_VALUE = ' got invalid value ';

function withoutValueAtPath(text: string): string {
  const start = text.indexOf(INVALID_VALUE);
  if (start < 0) return text;
  const path = findLast(text, ' at ', '; ', start + INVALID_VALUE.length);
  if (path === undefined) return text;
  return `${text.slice(0, start)} got an invalid value at ${path.text}${text.slice(path.end)}`;
}

function withoutInvalidValue(text: string): string {
  const start = text.indexOf(INVALID_VALUE);
  const end = text.lastIndexOf('; ');
  if (start < 0 || end < start + INVALID_VALUE.length) return text;
  return `${text.slice(0, start)} got an invalid value; ${text.slice(end + 2)}`;
}

/** Finds the last quoted text from `from` on, between `before` and `after`. `text` includes `after`. */
function findLast(
  text: string,
  before: string,
  after: string,
  from: number,
): { readonly text: string; readonly end: number } | undefined {
  const opening = `${before}"`;
  let start = text.lastIndexOf(opening);
  while (start >= from) {
    const closing = text.indexOf('"', start + opening.length);
    if (closing >= 0 && text.startsWith(after, closing + 1)) {
      const end = closing + 1 + after.length;
      return { text: text.slice(start + before.length, end), end };
    }
    start = start === 0 ? -1 : text.lastIndexOf(opening, start - 1);
  }
  return undefined;
}
