import { StatementNames } from './statement-names.js';

const textOf = (n: number) => `SELECT ${n} AS n`;

describe('a statement', () => {
  it('gets a name with its eighth use, and keeps it while it is used', () => {
    const names = new StatementNames();
    for (let use = 1; use < 8; use++) expect(names.nameFor('SELECT 1 AS one')).toBeUndefined();
    const name = names.nameFor('SELECT 1 AS one');
    expect(name).toMatch(/^s_[0-9a-f]{32}$/);
    for (let n = 0; n < 5_000; n++) names.nameFor(textOf(n));
    expect(names.nameFor('SELECT 1 AS one')).toBe(name);
  });

  it('gets no name if it is long, because each connection would keep it', () => {
    const names = new StatementNames();
    const padded = (length: number) => textOf(1).padEnd(length, ' ');
    for (let use = 1; use < 8; use++) names.nameFor(padded(8_000));
    expect(names.nameFor(padded(8_000))).toBeDefined();
    for (let use = 0; use < 100; use++) expect(names.nameFor(padded(8_001))).toBeUndefined();
  });

  it('gets a name if it is long only because of its indentation', () => {
    const names = new StatementNames();
    const indented = `${textOf(1)}${`\n${' '.repeat(90)}-- lines`.repeat(100)}`;
    for (let use = 1; use < 8; use++) names.nameFor(indented);
    expect(names.nameFor(indented)).toBeDefined();
  });

  it('gets no name if its uses are far apart', () => {
    const names = new StatementNames();
    const used: (string | undefined)[] = [];
    for (let n = 0; n < 10_000; n++) {
      names.nameFor(textOf(n));
      if (n % 1_000 === 0) used.push(names.nameFor('SELECT 1 AS one'));
    }
    expect(used).toEqual(Array(10).fill(undefined));
  });

  it('loses its name if too many others were used since', () => {
    const names = new StatementNames();
    for (let use = 0; use < 8; use++) names.nameFor('SELECT 1 AS one');
    for (let n = 0; n < 400; n++) for (let use = 0; use < 8; use++) names.nameFor(textOf(n));
    expect(names.nameFor('SELECT 1 AS one')).toBeUndefined();
    expect(names.nameFor(textOf(399))).toBeDefined();
  });
});
