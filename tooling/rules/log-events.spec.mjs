import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE, readLogEvents, renderLogEvents } from './log-events.mjs';

const root = join(import.meta.dirname, '..', '..');
const { events, unnamed } = readLogEvents(root);

describe('log lines', () => {
  it('each name an event', () => {
    expect(unnamed).toEqual([]);
    expect(events.length).toBeGreaterThan(50);
  });

  it('are listed in the reference page (npm run log-events updates it)', () => {
    expect(readFileSync(join(root, PAGE), 'utf8')).toBe(renderLogEvents(events));
  });
});
