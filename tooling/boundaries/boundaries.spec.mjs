import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRuleNames } from './source-rules.mjs';

const fixtures = join(import.meta.dirname, 'fixtures');

/** Runs in a separate process, because Node must load the boundary tools instead of Jest. */
const report = (...roots) =>
  JSON.parse(
    execFileSync('node', [join(import.meta.dirname, 'report.mjs'), ...roots], { maxBuffer: 1e9 }).toString(),
  );

const names = readdirSync(fixtures);
/** Two packages of this repository that import other packages; it is not necessary to read all packages. */
const realPackages = `${join(import.meta.dirname, '..', '..')}:packages/runtime,packages/persistence`;
/** The reports of the fixtures, then the report of these two packages. */
const reports = report(...names.map((name) => join(fixtures, name)), realPackages);

describe('the dependency rules', () => {
  it('each have a fixture that violates them, and each fixture has a rule', () => {
    expect([...names].sort()).toEqual([...reports[0].rules, ...sourceRuleNames].sort());
  });

  it.each(names)('report only %s for its fixture', (name) => {
    const { broken } = reports[names.indexOf(name)];
    expect([...new Set(broken)]).toEqual([name]);
  });

  it('report every file that opens a connection, parses a webhook URL or names a venue folder', () => {
    for (const name of [
      'network-only-at-the-edges',
      'webhook-urls-are-read-by-the-egress-guard-alone',
      'venues-only-in-exchanges',
    ]) {
      const files = readdirSync(join(fixtures, name), { recursive: true }).filter((file) =>
        file.endsWith('.ts'),
      );
      expect(reports[names.indexOf(name)].broken).toHaveLength(files.length);
    }
  });

  it('resolve imports between workspace packages of this repository to their source files', () => {
    const { edges } = reports.at(-1);
    expect(edges).toContainEqual(['packages/runtime', 'packages/contracts']);
    expect(edges).toContainEqual(['packages/persistence', 'packages/pagination']);
  });
});
