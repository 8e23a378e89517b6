import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Every link of a page to a file of this repository must lead to an existing file and an existing heading. */
const root = join(import.meta.dirname, '..', '..');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', '*.md'], {
  cwd: root,
  encoding: 'utf8',
});
const pages = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));

/** Removes code and comments, because their links are not checked. */
const proseOf = (text) =>
  text
    .replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2 *$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`/g, 'code');

/** Returns the targets of links and images within the repository. */
function linksIn(text) {
  return [...proseOf(text).matchAll(/\]\(\s*<?([^\s)<>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
    .map(([, target]) => String(target))
    .filter((target) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/** Returns the anchors of a page: the GitHub slugs of its headings, and the ids of anchor elements. */
function anchorsOf(text) {
  const counts = new Map();
  const headings = text.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2 *$/gm, '').matchAll(/^#{1,6} +(.+?) *#* *$/gm);
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
  for (const [, heading] of headings) {
    const slug = slugOf(String(heading));
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function slugOf(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** @type {Map<string, Set<string>>} */
const anchorsByPage = new Map();
function hasAnchor(file, anchor) {
  const anchors = anchorsByPage.get(file) ?? anchorsOf(readFileSync(file, 'utf8'));
  anchorsByPage.set(file, anchors);
  return anchors.has(decodeURIComponent(anchor).toLowerCase()) || anchors.has(decodeURIComponent(anchor));
}

/** Returns the problem with a link; undefined if the link is valid. */
function problemOf(page, link) {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
  if (relative(root, file).startsWith('..')) return `${link} leads out of the repository`;
  if (!existsSync(file)) return `${link}: no such file`;
  if (anchor === undefined || anchor === '') return undefined;
  if (statSync(file).isDirectory() || !file.endsWith('.md')) return undefined;
  return hasAnchor(file, anchor) ? undefined : `${link}: the page has no such heading`;
}

describe('links between pages', () => {
  it('are found in prose; links in code and links to other sites are ignored', () => {
    expect(pages).toContain('README.md');
    expect(linksIn(readFileSync(join(root, 'README.md'), 'utf8'))).toContain('docs/architecture.md');
    expect(linksIn('[a](b.md#c "d") ![e](<f.png>) `[g](h)` [i](https://j) [k](mailto:l)')).toEqual([
      'b.md#c',
      'f.png',
    ]);
  });

  it('are broken only if the file or the heading does not exist, or the file is outside the repository', () => {
    expect(problemOf('README.md', 'docs/no-such-page.md')).toContain('no such file');
    expect(problemOf('README.md', 'docs/architecture.md#no-such-heading')).toContain('no such heading');
    expect(problemOf('README.md', '../elsewhere.md')).toContain('out of the repository');
    expect(problemOf('docs/architecture.md', '../README.md#two-commands')).toBeUndefined();
  });

  it.each(pages)('in %s all lead to existing files and headings', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    expect(linksIn(text).flatMap((link) => problemOf(page, link) ?? [])).toEqual([]);
  });
});
