import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { addressOf, pages, root } from './pages.mjs';

/**
 * Turns links between Markdown files of the repository into links between pages of the site. A link to a file that is not
 * a page, such as a source file, is replaced by its text. A link to a missing file is kept and fails the build.
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
export function linkRepositoryFiles(markdown) {
  const knownPages = new Set(pages());
  markdown.core.ruler.push('repository-links', (state) => {
    for (const block of state.tokens) {
      /** @type {boolean[]} for each open link, whether it remains a link */
      const open = [];
      for (const token of block.children ?? []) {
        if (token.type === 'link_close' && open.pop() === false) Object.assign(token, htmlToken('</span>'));
        if (token.type !== 'link_open') continue;
        const target = targetOf(String(token.attrGet('href')), state.env.realPath ?? state.env.path);
        open.push(target !== null);
        if (target === null) Object.assign(token, htmlToken('<span>'));
        else token.attrSet('href', target);
      }
    }
  });

  /**
   * @param {string} href
   * @param {string} page the absolute path of the file that contains the link
   * @returns {string | null} null if the link leads to a file that is not a page
   */
  function targetOf(href, page) {
    if (/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const file = resolve(dirname(page), decodeURIComponent(path));
    const name = relative(root, file);
    const index = join(name, 'README.md');
    const pageFile = knownPages.has(name) ? name : knownPages.has(index) ? index : undefined;
    if (pageFile !== undefined) return addressOf(pageFile) + (anchor === undefined ? '' : `#${anchor}`);
    return existsSync(file) ? null : href;
  }
}

/** @param {string} content */
const htmlToken = (content) => ({ type: 'html_inline', tag: '', attrs: null, nesting: 0, content });
