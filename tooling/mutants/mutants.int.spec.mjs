import { join } from 'node:path';
import { run } from '../launch/commands.mjs';

it('every mutant of the sample is killed by a unit test, or listed', async () => {
  const main = join(import.meta.dirname, 'main.mjs');
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { code, stdout, stderr } = await run('node', [main, '--as-built', '--sample'], { env });
  expect([stderr, code]).toEqual(['', 0]);
  const [, mutants, killed] = /^delivery +(\d+) +(\d+) /m.exec(stdout) ?? [];
  expect(Number(mutants)).toBeGreaterThan(30);
  expect(Number(killed)).toBeGreaterThan(30);
}, 300_000);
