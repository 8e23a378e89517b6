import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Every link of a page to a file of this repository leads to that file, and to that heading of it. */
const root = join(import.meta.dirname, '..', '..');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', '*.md'], {
  cwd: root,
  encoding: 'utf8',
});
const pages = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));

/** What a reader sees as text: code is no link. */
const proseOf = (text) =>
  text
    .replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2 *$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`/g, 'code');

/** Targets of links and images, but those that lead out of the repository. */
function linksIn(text) {
  return [...proseOf(text).matchAll(/\]\(\s*<?([^\s)<>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
    .map(([, target]) => String(target))
    .filter((target) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/** Anchors of a page: its headings as they are shown on GitHub, and what has an id of its own. */
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

/** Why a link leads nowhere; undefined where it leads somewhere. */
function faultOf(page, link) {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
  if (relative(root, file).startsWith('..')) return `${link} leads out of the repository`;
  if (!existsSync(file)) return `${link}: there is no such file`;
  if (anchor === undefined || anchor === '') return undefined;
  if (statSync(file).isDirectory() || !file.endsWith('.md')) return undefined;
  return hasAnchor(file, anchor) ? undefined : `${link}: the page has no such heading`;
}

describe('links between pages', () => {
  it('are found: there are pages, and most have some', () => {
    expect(pages).toContain('README.md');
    expect(linksIn(readFileSync(join(root, 'README.md'), 'utf8'))).toContain('docs/architecture.md');
    expect(linksIn('[a](b.md#c "d") ![e](<f.png>) `[g](h)` [i](https://j) [k](mailto:l)')).toEqual([
      'b.md#c',
      'f.png',
    ]);
  });

  it('a missing file and a missing heading are faults, and nothing else is', () => {
    expect(faultOf('README.md', 'docs/no-such-page.md')).toContain('no such file');
    expect(faultOf('README.md', 'docs/architecture.md#no-such-heading')).toContain('no such heading');
    expect(faultOf('README.md', '../elsewhere.md')).toContain('out of the repository');
    expect(faultOf('docs/architecture.md', '../README.md#two-commands')).toBeUndefined();
  });

  it.each(pages)('%s: each leads to a file that is there, and to a heading that is in it', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    expect(linksIn(text).flatMap((link) => faultOf(page, link) ?? [])).toEqual([]);
  });
});
