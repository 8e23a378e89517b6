/**
 * Removes what may be a secret from a string that the product did not write itself.
 *
 * The result keeps only what can be recognised as harmless: words, short numbers, ids, times and hosts. Quoted text, JSON,
 * the paths and queries of URLs, the value after a name such as `token=`, and every other run of 16 or more characters
 * become `…`.
 */
const REMOVED = '…';

const URLS = /(?<![a-z0-9+.-])([a-z0-9+.-]+:\/\/)(?:[^\s/?#@"'`]*@)?([^\s/?#"'`]*)[^\s"'`]*/gi;
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'(?!\w)|`[^`]*`?/g;
const JSON_TEXT = /[{[][\s\S]*[}\]]/g;
const NAMED_VALUE =
  /(?<![\w-])([\w-]*(?:key|secret|token|password|passphrase|signature|authorization|bearer|cookie|nonce|seed|code))(\s*[:=]\s*|\s+is\s+)(?:(?:bearer|basic)\s+)?\S+/gi;
const LONG_RUN = /[^\s(),;]{16,}/g;

const HARMLESS = [
  // An id of a record: a prefix and 26 characters, of which the first ones are a time.
  /^[a-z]{3}_01[0-9a-hjkmnp-tv-z]{24}[.:]?$/,
  // A UUID of version 7; a job's id ends with the number of the attempt.
  /^01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?:-a\d{1,3})?[.:]?$/,
  /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z?[.:]?$/,
  /^\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?[.:]?$/,
  // Words of letters, joined by punctuation: an identifier, a host, a path without digits, an option and its value.
  /^[^\w]{0,2}[A-Za-z]+(?:[.:/_=-]+[A-Za-z]+)*[.:/_-]*(?::\d{1,5})?[^\w]?$/,
];

/** A word of more than 32 letters, or more than three punctuation marks in a row. */
const UNUSUAL = /[A-Za-z]{33}|[.:/_-]{4}/;

/** Bounds the time that the expressions above take, which grows with the square of the length at worst. */
const LONGEST_TEXT = 4_000;

export function removeSecrets(text: string): string {
  return cutToLength(text)
    .replace(URLS, (_, scheme: string, host: string) => `${scheme}${host}`)
    .replace(JSON_TEXT, REMOVED)
    .replace(QUOTED, REMOVED)
    .replace(NAMED_VALUE, (_, name: string, separator: string) => `${name}${separator}${REMOVED}`)
    .replace(LONG_RUN, (run) => (isHarmless(run) ? run : REMOVED));
}

/** Cuts a long text before a run of characters, so that no part of a secret is left of it. */
function cutToLength(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT).replace(/\S+$/, '')}${REMOVED}`;
}

/** A camel-case or upper-case identifier is a word; a random string of letters alternates its case. */
function isHarmless(run: string): boolean {
  const [url, host] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/i.exec(run) ?? [];
  if (url !== undefined)
    return host === '' || /^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i.test(host ?? '');
  return HARMLESS.some((form) => form.test(run)) && !UNUSUAL.test(run) && !alternates(run);
}

const alternates = (run: string) => (run.match(/[a-z][A-Z]/g)?.length ?? 0) > run.length / 5;
