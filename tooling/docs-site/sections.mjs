import { addressOf, pages, titleOf } from './pages.mjs';

/** The sections of the navigation in order. A page belongs to the first section whose pattern matches its path. */
const patterns = [
  {
    text: 'Start',
    pattern:
      /^(README|CHANGELOG|CONTRIBUTING)\.md$|^docs\/guides\/(quick-start|dashboard|cli|graphql)\.md$|^packages\/(sdk|cli)\/README\.md$/,
  },
  { text: 'Guides', pattern: /^docs\/guides\// },
  { text: 'Trading', pattern: /^docs\/(trading\/|reliability\.md$)|^apps\/paper-exchange\// },
  { text: 'Venues', pattern: /^docs\/reference\/venues\.md$|^packages\/exchanges\/src\/venues\// },
  { text: 'Security', pattern: /^docs\/security\/|^SECURITY\.md$|^packages\/signed-request\// },
  { text: 'Reference', pattern: /^docs\/(reference\/|glossary\.md$)|^packages\/sdk\/docs\// },
  { text: 'Decisions', pattern: /^docs\/adr\// },
  { text: 'Architecture', pattern: /./ },
];

/** The first pages of their sections. The other pages follow, sorted by path. */
const firstPages = ['README.md', 'docs/guides/quick-start.md', 'docs/architecture.md', 'docs/adr/README.md'];

/**
 * Returns the navigation with every page once.
 *
 * @returns {{ text: string, items: { text: string, link: string }[] }[]}
 */
export function sections() {
  const rank = (/** @type {string} */ file) =>
    firstPages.includes(file) ? firstPages.indexOf(file) : firstPages.length;
  const files = pages().toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'));
  const sectionOf = (/** @type {string} */ file) => patterns.find(({ pattern }) => pattern.test(file));
  return patterns.map((section) => ({
    text: section.text,
    items: files
      .filter((file) => sectionOf(file) === section)
      .map((file) => ({ text: titleOf(file), link: addressOf(file) })),
  }));
}
