import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileInto } from './compile.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trading-automation-compile-'));
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
  mkdirSync(join(folder, 'dist', 'deep'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = (name) => join(folder, 'src', name);
const built = (name) => join(folder, 'dist', name);

describe('compileInto', () => {
  it('writes a module with its source map, and deletes the build info, so that the next full build writes every file', async () => {
    writeFileSync(built('.tsbuildinfo'), '{}');
    writeFileSync(source('deep/sum.ts'), 'export const sum = (a: number, b: number): number => a + b;\n');
    await compileInto(folder, [source('deep/sum.ts')]);
    const { sum } = await import(built('deep/sum.js'));
    expect(sum(1, 2)).toBe(3);
    expect(JSON.parse(readFileSync(built('deep/sum.js.map'), 'utf8')).sources).toEqual([
      '../../src/deep/sum.ts',
    ]);
    expect(existsSync(built('.tsbuildinfo'))).toBe(false);
  });

  it('writes no file if one file does not compile', async () => {
    writeFileSync(source('good.ts'), 'export const good = 1;\n');
    writeFileSync(source('bad.ts'), 'export const = ;\n');
    await expect(compileInto(folder, [source('good.ts'), source('bad.ts')])).rejects.toThrow('bad.ts');
    expect(existsSync(built('good.js'))).toBe(false);
  });

  it('removes the output of a removed file, and ignores specs', async () => {
    for (const end of ['.js', '.js.map', '.d.ts']) writeFileSync(built(`old${end}`), '');
    writeFileSync(source('a.spec.ts'), 'it("works", () => {});\n');
    await compileInto(folder, [source('old.ts'), source('a.spec.ts')]);
    for (const end of ['.js', '.js.map', '.d.ts']) expect(existsSync(built(`old${end}`))).toBe(false);
    expect(existsSync(built('a.spec.js'))).toBe(false);
  });
});
