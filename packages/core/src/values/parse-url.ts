/**
 * The URL that a text is, by the WHATWG parser; undefined where it is none.
 *
 * Not by `URL.canParse`: that of Node 20, once it is compiled (some thousands of calls), refuses every URL with a
 * character between U+0080 and U+00FF.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
