import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { linkRepositoryFiles } from '../links.mjs';
import { fenceDiagrams, mermaidFile } from '../mermaid.mjs';
import { pageOf, root, skipped } from '../pages.mjs';
import { sections } from '../sections.mjs';

const navigation = sections();

/**
 * Resolves the Vue imports of pages from this folder, because the pages are in folders without an installed Vue.
 *
 * @type {import('vitepress').Plugin}
 */
const resolveFromHere = {
  name: 'resolve-from-here',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue($|\/)/.test(id) || !importer?.endsWith('.md')) return null;
    return this.resolve(id, fileURLToPath(import.meta.url), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  title: 'Trading automation',
  description: 'Exchange accounts, trades, copy trading and webhooks behind one signed API.',
  lang: 'en',
  cleanUrls: true,
  // An empty icon keeps browsers from requesting one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The source folder is the repository, because pages are docs/ and the README files beside the code.
  srcDir: root,
  srcExclude: skipped,
  rewrites: pageOf,
  outDir: new URL('./dist', import.meta.url).pathname,
  cacheDir: new URL('./cache', import.meta.url).pathname,
  markdown: {
    config(markdown) {
      linkRepositoryFiles(markdown);
      fenceDiagrams(markdown);
    },
  },
  vite: {
    publicDir: false,
    plugins: [resolveFromHere, mermaidFile],
    // The source folder contains the whole repository, so build output must not be watched.
    server: { watch: { ignored: ['**/dist/**', '**/.data/**', '**/.turbo/**', '**/node_modules/**'] } },
  },
  themeConfig: {
    nav: navigation.map(({ text, items }) => ({ text, link: items[0]?.link ?? '/' })),
    sidebar: navigation.map((section, index) => ({ ...section, collapsed: index > 1 })),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
