/** React shows every value as text. These are the ways around it; no file may use one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = readdirSync(import.meta.dirname, { recursive: true })
  .map(String)
  .filter((path) => /(?<!\.spec)\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }));

const pathsWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('a value of a user', () => {
  it.each([
    /dangerouslySetInnerHTML/,
    /\b(?:inner|outer)HTML\b/,
    /\binsertAdjacentHTML\b|\bcreateContextualFragment\b|\bDOMParser\b/,
    /\bdocument\.write/,
    /\bsrcDoc\b/i,
    /\beval\(|\bnew Function\b/,
    /\bset(?:Timeout|Interval)\(\s*['"`]/,
  ])('is never read as HTML or as code: no file has %s', (pattern) => {
    expect(sources.length).toBeGreaterThan(200);
    expect(pathsWith(pattern)).toEqual([]);
  });

  it('is never the beginning of an address: it follows a path of the dashboard', () => {
    const template = /\b(?:href=\{|router\.(?:push|replace)\(|location\.assign\()`([^`]*)`/g;
    const addresses = sources.flatMap(({ path, text }) =>
      [...text.matchAll(template)].map(([, address = '']) => `${path}: ${address}`),
    );
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter((address) => !/: \/[a-z]/.test(address))).toEqual([]);
  });
});
