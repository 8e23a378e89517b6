import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReadingOld } from './reading-age.rules';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const position = (secondsAgo: number, margin_ratio: string | undefined, is_supported = true) => ({
  updated_at: new Date(now - secondsAgo * 1_000).toISOString(),
  margin_ratio,
  is_supported,
});

describe('the reading of a position', () => {
  it.each([
    ['1.3', true, 90, 91],
    ['1.99', true, 90, 91],
    [undefined, true, 90, 91],
    ['8', false, 90, 91],
    ['2', true, 990, 991],
  ])('with a margin ratio of %s is old in time', (ratio, isSupported, current, old) => {
    expect(isReadingOld(position(current, ratio, isSupported), true, now)).toBe(false);
    expect(isReadingOld(position(old, ratio, isSupported), true, now)).toBe(true);
  });

  it('is old at once in an account that is not active, which is not read', () => {
    expect(isReadingOld(position(1, '8'), false, now)).toBe(true);
  });

  it('may be as old as the service lets it get while the margin is ample', () => {
    const root = join(import.meta.dirname, '../../../../..');
    const rules = readFileSync(join(root, 'packages/core/src/positions/margin-estimates.ts'), 'utf8');
    expect(rules).toContain("const AMPLE_RATIO = '2';");
    expect(rules).toContain('const READING_AGE_MAX_MS = 900_000;');
  });
});
