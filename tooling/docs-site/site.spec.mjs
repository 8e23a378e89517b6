import { join } from 'node:path';
import { linkRepositoryFiles } from './links.mjs';
import { addressOf, pages, root } from './pages.mjs';
import { sections } from './sections.mjs';

/** Applies `linkRepositoryFiles` to one link of a page. Returns the new address, or the HTML that replaces the link. */
function linkIn(page, href) {
  /** @type {(state: object) => void} */
  let rule = () => {};
  linkRepositoryFiles({ core: { ruler: { push: (_name, added) => (rule = added) } } });
  const open = {
    type: 'link_open',
    attrGet: () => href,
    attrSet: (_name, value) => {
      open.href = value;
    },
  };
  const close = { type: 'link_close' };
  rule({ tokens: [{ children: [open, close] }], env: { path: join(root, page) } });
  return { href: open.href, html: [open.content, close.content].filter(Boolean).join('') };
}

describe('the documentation site', () => {
  it('shows every page once and has no empty section', () => {
    const navigation = sections();
    const links = navigation.flatMap(({ items }) => items.map(({ link }) => link));
    expect(links.toSorted()).toEqual(pages().map(addressOf).toSorted());
    for (const { items } of navigation) expect(items.length).toBeGreaterThan(0);
  });

  it.each([
    ['README.md', 'docs/architecture.md#the-parts', '/architecture#the-parts'],
    [
      'docs/architecture.md',
      'adr/0005-one-pipeline-for-operations.md',
      '/adr/0005-one-pipeline-for-operations',
    ],
    ['docs/architecture.md', '../README.md', '/'],
    ['README.md', 'packages/sdk/docs', '/packages/sdk/docs/'],
    ['README.md', 'https://example.com/a', 'https://example.com/a'],
    ['README.md', '#two-commands', '#two-commands'],
    ['README.md', 'docs/no-such-page.md', 'docs/no-such-page.md'],
  ])('turns in %s the link %s into %s', (page, href, address) => {
    expect(linkIn(page, href)).toEqual({ href: address, html: '' });
  });

  it('replaces a link to a file that is not a page by its text', () => {
    expect(linkIn('README.md', 'LICENSE')).toEqual({ href: undefined, html: '<span></span>' });
  });
});
