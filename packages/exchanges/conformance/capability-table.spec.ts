import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { declarationOf, VENUE_IDS } from '../src/venues/index.js';
import { capabilityPage, type ProvenVenue } from './capability-table.js';
import type { Dialect } from './scripted/dialect.js';

const PAGE = new URL('../../../docs/reference/venues.md', import.meta.url);

async function provenVenue(id: string): Promise<ProvenVenue> {
  const declaration = declarationOf(id);
  if (declaration === undefined) throw new Error(`there is no venue ${id}`);
  const file = new URL(`../src/venues/${id}/dialect/dialect.ts`, import.meta.url);
  if (!existsSync(file)) return { declaration, dialect: undefined };
  const { dialect } = (await import(file.pathname)) as { readonly dialect: Dialect };
  return { declaration, dialect };
}

describe('the table of venues', () => {
  it('is up to date', async () => {
    const venues: ProvenVenue[] = [];
    for (const id of VENUE_IDS) venues.push(await provenVenue(id));
    const page = capabilityPage(venues);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
