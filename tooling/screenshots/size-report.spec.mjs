import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BYTES_MAX, sizeReport } from './size-report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'trading-automation-screenshots-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('counts the pictures of all folders, and fails above the limit', () => {
  mkdirSync(join(folder, 'light-1440'));
  writeFileSync(join(folder, 'light-1440', 'trades.webp'), Buffer.alloc(BYTES_MAX - 10));
  writeFileSync(join(folder, 'other.webp'), Buffer.alloc(10));
  writeFileSync(join(folder, 'README.md'), 'not a picture');
  expect(sizeReport(folder)).toEqual({
    line: '2 pictures of 4.00 MB together, limit 4.00 MB: met',
    isWithinLimit: true,
  });
  writeFileSync(join(folder, 'third.webp'), Buffer.alloc(1));
  expect(sizeReport(folder).isWithinLimit).toBe(false);
});
