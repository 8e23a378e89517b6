import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compares text with test/golden/<name>.txt. `UPDATE_GOLDEN=1` rewrites the file; review the diff. */
export function expectGolden(name: string, text: string): void {
  const file = fileURLToPath(new URL(`../golden/${name}.txt`, import.meta.url));
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : `no golden file ${name}.txt`);
}
