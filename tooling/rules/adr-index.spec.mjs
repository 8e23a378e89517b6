import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `docs/adr/README.md` must list every ADR in order, with its title and status. */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'adr');
const files = readdirSync(folder)
  .filter((file) => /^\d{4}-.+\.md$/.test(file))
  .sort();

/** Returns the index row that the file of an ADR must have. */
function rowOf(file) {
  const text = readFileSync(join(folder, file), 'utf8');
  const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
  const [, status] = /^Status: (.+)$/m.exec(text) ?? [];
  return { number, title, file, status };
}

/** Returns the rows of the index. */
function listedRows() {
  const rows = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(
    /^\| (\d+) +\| \[(.+)\]\((\S+\.md)\) +\| (.+?) +\|$/gm,
  );
  return [...rows].map(([, number, title, file, status]) => ({ number, title, file, status }));
}

describe('the index of ADRs', () => {
  it.each(files)('contains %s, which has a number, a title and a status', (file) => {
    const { number, title, status } = rowOf(file);
    expect(Number(number)).toBe(Number(file.slice(0, 4)));
    expect(title).not.toBe('');
    expect(status).toMatch(/^(proposed|accepted|rejected|deprecated|superseded by|accepted;|accepted,)/);
  });

  it('lists every ADR with its title and status', () => {
    expect(listedRows()).toEqual(files.map(rowOf));
  });
});
