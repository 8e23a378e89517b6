import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { addressOf, pages, root } from './pages.mjs';

/**
 * Makes links between Markdown files of the repository links between pages of the site. A link to a file that is no
 * page, such as a source file, becomes its text; a link to a file that does not exist stays, and fails the build.
 *
 * @param {import('vitepress').MarkdownRenderer} markdown
 */
export function linkRepositoryFiles(markdown) {
  const known = new Set(pages());
  markdown.core.ruler.push('repository-links', (state) => {
    for (const block of state.tokens) {
      /** @type {boolean[]} whether each open link stays one */
      const open = [];
      for (const token of block.children ?? []) {
        if (token.type === 'link_close' && open.pop() === false) Object.assign(token, plain('</span>'));
        if (token.type !== 'link_open') continue;
        const target = targetOf(String(token.attrGet('href')), state.env.realPath ?? state.env.path);
        open.push(target !== null);
        if (target === null) Object.assign(token, plain('<span>'));
        else token.attrSet('href', target);
      }
    }
  });

  /**
   * @param {string} href
   * @param {string} page absolute path of the file that holds the link
   * @returns {string | null} null where the link leads to a file that is no page
   */
  function targetOf(href, page) {
    if (/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const file = resolve(dirname(page), decodeURIComponent(path));
    const name = relative(root, file);
    const index = join(name, 'README.md');
    const found = known.has(name) ? name : known.has(index) ? index : undefined;
    if (found !== undefined) return addressOf(found) + (anchor === undefined ? '' : `#${anchor}`);
    return existsSync(file) ? null : href;
  }
}

/** @param {string} content */
const plain = (content) => ({ type: 'html_inline', tag: '', attrs: null, nesting: 0, content });
