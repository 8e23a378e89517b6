import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissingCode, loadLate, MissingCodeError, onMissingCode, wasCodeMissing } from './late-code';

/** Fails the first times, as an import does whose file is not on the server. */
const importFailing = (times: number) => {
  let calls = 0;
  return {
    calls: () => calls,
    load: async () => {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error('Failed to load chunk'), { name: 'ChunkLoadError' });
      return 'code';
    },
  };
};

describe('late code', () => {
  it('is imported a second time after a failure, and no listener is called', async () => {
    const { load, calls } = importFailing(1);
    await expect(loadLate(load)).resolves.toBe('code');
    expect(calls()).toBe(2);
    expect(wasCodeMissing()).toBe(false);
  });

  it('is missing after the second failure: the caller and the listeners learn of it', async () => {
    const { load, calls } = importFailing(2);
    const seen: boolean[] = [];
    const stop = onMissingCode(() => seen.push(wasCodeMissing()));
    const failure = await loadLate(load).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MissingCodeError);
    expect(failure).toMatchObject({ name: 'MissingCodeError', cause: { name: 'ChunkLoadError' } });
    expect(calls()).toBe(2);
    expect(seen).toEqual([true]);
    stop();
    await loadLate(importFailing(2).load).catch(() => undefined);
    expect(seen).toEqual([true]);
  });

  it.each([
    ['late code', new MissingCodeError(undefined), true],
    ['the code of a page', Object.assign(new Error('404'), { name: 'ChunkLoadError' }), true],
    ['a failed request', new TypeError('Failed to fetch'), false],
    ['nothing', undefined, false],
  ])('is recognised: %s', (_, error, expected) => {
    expect(isMissingCode(error)).toBe(expected);
  });

  it('is never imported in another way', () => {
    const src = join(import.meta.dirname, '..');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(?<!\.spec)\.tsx?$/.test(path),
    );
    const imports = files.flatMap((path) =>
      // A statement that imports at run time, from its beginning to the import.
      [...readFileSync(join(src, path), 'utf8').matchAll(/[^;]*?(?<!typeof )\bimport\(['"]/g)].map(
        ([statement]) => ({ path, statement }),
      ),
    );
    expect(imports.length).toBeGreaterThan(40);
    const others = imports.filter(
      ({ path, statement }) =>
        path !== join('shell', 'preload.ts') && !/\b(?:onDemand|loadLate)\b/.test(statement),
    );
    expect(others).toEqual([]);
  });
});
