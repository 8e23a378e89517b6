import { readFileSync } from 'node:fs';
import type { TradingType } from '@trading-automation/contracts';
import { createVenue } from '../ccxt/venue.js';
import { declarationOf, VENUE_IDS } from './index.js';

/** The text of a venue's page, without the marks of Markdown. */
const pageOf = (id: string) =>
  readFileSync(new URL(`./${id}/page.md`, import.meta.url), 'utf8')
    .replaceAll(/[*_]/g, '')
    .replaceAll(/\s+/g, ' ');

/** A permission may name its level after a colon. */
const nameOf = (permission: string) => permission.split(':')[0] ?? '';

describe.each(VENUE_IDS)('the permissions of a key at %s', (id) => {
  const declaration = declarationOf(id);
  const types = Object.keys(declaration?.tradingTypes ?? {}) as TradingType[];
  const permissions = declaration?.credentials.permissions ?? {};

  it('are known for each trading type that is offered', () => {
    expect(Object.keys(permissions).sort()).toEqual([...types].sort());
    for (const { needed, refused } of Object.values(permissions))
      expect([needed.length > 0, refused.length > 0]).toEqual([true, true]);
  });

  it('have the names that the page of the venue gives them', () => {
    const names = Object.values(permissions).flatMap(({ needed, refused }) =>
      [...needed, ...refused].map(nameOf),
    );
    expect(names.filter((name) => !pageOf(id).includes(name))).toEqual([]);
  });
});

it('a key of the paper exchange has no permissions to choose', () => {
  const paper = createVenue({
    id: 'paper',
    name: 'Paper',
    adapter: VENUE_IDS[0] ?? '',
    tradingTypes: ['spot'],
    url: 'http://127.0.0.1:4010',
  } as Parameters<typeof createVenue>[0]);
  expect(paper.credentialForm.permissions).toEqual({});
});
