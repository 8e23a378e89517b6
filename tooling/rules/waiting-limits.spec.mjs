import { join } from 'node:path';
import { sumOf, WAITINGS } from './waiting-limits.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('who waits', () => {
  it.each(WAITINGS.map((waiting) => [waiting.what, waiting]))(
    '%s waits longer than what it waits for, by a margin',
    (_what, { caller, callee, marginMs }) => {
      expect(sumOf(root, caller)).toBeGreaterThanOrEqual(sumOf(root, callee) + marginMs);
      expect(marginMs).toBeGreaterThan(0);
    },
  );
});
