import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const createdFolders: string[] = [];
afterAll(() => {
  for (const folder of createdFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Creates an empty folder. It is deleted after the tests of the file. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  createdFolders.push(folder);
  return folder;
}
