/** Runs the type tests in `types/` on the published build. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './consumer-projects.js';

const sdk = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'types');

describe('the public types', () => {
  it('pass all type tests', async () => {
    const output = await runProgram(join(sdk, 'node_modules', '.bin', 'tstyche'), [], {
      cwd: sdk,
      env: { TSTYCHE_NO_COLOR: 'true', TSTYCHE_NO_INTERACTIVE: 'true' },
    });
    const files = readdirSync(folder).filter((file) => file.endsWith('.tst.ts'));
    const testCounts = files.map(
      (file) => readFileSync(join(folder, file), 'utf8').match(/^ *test\(/gm)!.length,
    );
    const count = testCounts.reduce((sum, tests) => sum + tests, 0);
    expect(output).toContain(`Test files: ${files.length} passed, ${files.length} total`);
    expect(output).toContain(`Tests:      ${count} passed, ${count} total`);
    // tstyche needs an API for tools, which TypeScript 7 does not have.
    expect(output).toContain('TypeScript 6.');
  }, 120_000);
});
