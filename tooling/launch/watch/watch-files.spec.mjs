import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { watchFiles } from './watch-files.mjs';

let folder;
let watching;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-watch-'));
  writeFileSync(join(folder, 'a.ts'), 'a');
});
afterEach(() => {
  watching?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Changes files, and resolves with all reported files once they include the expected ones. */
function reportedAfter(change, expected) {
  const reported = new Set();
  return new Promise((resolve) => {
    watching = watchFiles([folder], (files) => {
      for (const file of files) reported.add(relative(folder, file));
      if (expected.every((file) => reported.has(file))) resolve([...reported].sort());
    });
    change();
  });
}

describe('watchFiles', () => {
  it('reports a file that an editor replaces by renaming, and no unchanged file', async () => {
    writeFileSync(join(folder, 'b.ts'), 'b');
    const replace = () => {
      writeFileSync(join(folder, 'a.ts.new'), 'longer');
      renameSync(join(folder, 'a.ts.new'), join(folder, 'a.ts'));
    };
    const reported = await reportedAfter(replace, ['a.ts']);
    expect(reported.filter((file) => file !== 'a.ts.new')).toEqual(['a.ts']);
  });

  it('reports files in a folder that was created later, and removed files', async () => {
    const change = () => {
      mkdirSync(join(folder, 'new', 'deep'), { recursive: true });
      writeFileSync(join(folder, 'new', 'deep', 'c.ts'), 'c');
      rmSync(join(folder, 'a.ts'));
    };
    const deep = join('new', 'deep', 'c.ts');
    expect(await reportedAfter(change, ['a.ts', deep])).toEqual(['a.ts', deep]);
  });
});
