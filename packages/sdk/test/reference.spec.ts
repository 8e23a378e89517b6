/**
 * Checks the content of docs/, which scripts/reference.mjs writes. A separate check, `npm run drift`, verifies that
 * docs/ is up to date.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from '../src/index.js';

const folder = new URL('../docs/', import.meta.url);
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const textOf = (name: string) => pages.find((page) => page.name === name)?.text ?? '';

/** Returns every resource of a client with its path and its methods at run time. */
function resourcesOf(owner: object, path: string): { path: string; methods: string[] }[] {
  return Object.entries(owner).flatMap(([name, resource]) => {
    if (typeof resource !== 'object' || resource === null || !('operations' in resource)) return [];
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
    const methods = members.filter(
      (member) => member !== 'constructor' && typeof (resource as never)[member] === 'function',
    );
    return [{ path: `${path}.${name}`, methods }, ...resourcesOf(resource, `${path}.${name}`)];
  });
}

const resources = resourcesOf(new Client({ baseURL: 'http://127.0.0.1:4000', apiKey: 'none' }), 'client');

describe('the reference', () => {
  it('has resources', () => {
    expect(resources.length).toBeGreaterThanOrEqual(19);
  });

  it.each(resources)('has a page of $path with an example of each method', ({ path, methods }) => {
    const row = textOf('README.md')
      .split('\n')
      .find((line) => line.startsWith(`| [\`${path}\`](`));
    const page = textOf(/\]\(([^)]+)\)/.exec(String(row))?.[1] ?? '');
    expect(page.split('\n')[0]).toBe(`# ${path}`);
    const sections = page.split(/^#### (?=\w+\()/m).slice(1);
    expect(sections.map((section) => section.split('(')[0]).sort()).toEqual([...methods].sort());
    for (const section of sections) expect(section).toContain('##### Example\n\n```ts\n');
  });

  it.each(pages)('$name contains no path, no date and no internals', ({ text }) => {
    expect(text).not.toMatch(/\/(?:home|root|work|tmp|Users)\/|node_modules|Defined in/);
    expect(text).not.toMatch(/Generated (?:by|on|using)|__namedParameters|Caller|\bthen\(\)/);
  });
});
