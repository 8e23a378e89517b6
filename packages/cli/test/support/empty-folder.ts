import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of this test file's own; it is gone with it. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  made.push(folder);
  return folder;
}
