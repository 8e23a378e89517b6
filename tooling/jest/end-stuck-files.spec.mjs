import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

it('ends a test file that loops for ever, and names it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stuck-files-'));
  try {
    writeFileSync(join(folder, 'stuck.spec.js'), `it('loops', () => { for (;;); });`);
    writeFileSync(join(folder, 'other.spec.js'), `it('passes', () => expect(1).toBe(1));`);
    const config = {
      rootDir: folder,
      maxWorkers: 2,
      reporters: ['default', [join(root, 'tooling/jest/end-stuck-files.mjs'), { limitMs: 6_000 }]],
    };
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/jest/bin/jest.js'), '--ci', '--config', JSON.stringify(config)],
      { cwd: folder, encoding: 'utf8', timeout: 50_000 },
    );
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('stuck.spec.js') });
    expect(stderr).toMatch(/^Ended after 0\.1 min: .*stuck\.spec\.js$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
