/** The list of pages is complete, so that each page of the dashboard is opened by the tests that open all of them. */
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { STATES } from './page-states.mjs';
import { ADDRESSES, PAGES, withRecords } from './pages.mjs';

const app = join(import.meta.dirname, '..', '..', '..', 'apps', 'dashboard', 'src', 'app');

/** The routes of the app. A folder in parentheses is no part of a route. */
const routes = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('page.tsx') || file === 'not-found.tsx')
  .map((file) =>
    file === 'not-found.tsx'
      ? 'not-found'
      : `/${dirname(file)
          .split(sep)
          .filter((folder) => !/^\(.*\)$|^\.$/.test(folder))
          .join('/')}`,
  );

describe('the list of pages', () => {
  it('has each route of the app, and no other', () => {
    expect(routes.length).toBeGreaterThan(40);
    expect([...new Set(PAGES.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted());
  });

  it('has one address for each route', () => {
    const anyRecord = new Proxy({}, { get: () => '1' });
    const patterns = routes
      .filter((route) => route !== 'not-found')
      .map((route) => route.replaceAll(/\[\w+\]/g, '1'));
    const addresses = ADDRESSES.map(({ address }) => withRecords(address, anyRecord).replace(/\?.*/, ''));
    expect(addresses.toSorted()).toEqual(patterns.toSorted());
  });

  it.each(PAGES)('has each state of $route, or the reason why it cannot be', (page) => {
    const missing = STATES.filter((state) => {
      const reason = page.without?.[state];
      const isDescribed = state !== 'empty' || page.empty !== undefined;
      return reason === undefined ? !isDescribed : reason === '' || (state === 'empty' && isDescribed);
    });
    expect(missing).toEqual([]);
  });

  it('names no state as missing that every page has', () => {
    expect(PAGES.filter(({ without = {} }) => 'content' in without)).toEqual([]);
  });
});
