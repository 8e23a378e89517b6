import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRuleNames } from './source-rules.mjs';

const fixtures = join(import.meta.dirname, 'fixtures');

/** In a process of its own: the boundary tools load as Node loads them, not as the test runner would. */
const report = (...roots) =>
  JSON.parse(
    execFileSync('node', [join(import.meta.dirname, 'report.mjs'), ...roots], { maxBuffer: 1e9 }).toString(),
  );

const names = readdirSync(fixtures);
const reports = report(...names.map((name) => join(fixtures, name)));

describe('the dependency rules', () => {
  it('each have a wrong fixture, and no fixture is without a rule', () => {
    expect([...names].sort()).toEqual([...reports[0].rules, ...sourceRuleNames].sort());
  });

  it.each(names)('%s fires on its fixture, and alone', (name) => {
    const { broken } = reports[names.indexOf(name)];
    expect([...new Set(broken)]).toEqual([name]);
  });

  it('see every way out of the process, and every reader of a URL', () => {
    for (const name of ['network-only-at-the-edges', 'webhook-urls-are-read-by-the-egress-guard-alone']) {
      const files = readdirSync(join(fixtures, name), { recursive: true }).filter((file) =>
        file.endsWith('.ts'),
      );
      expect(reports[names.indexOf(name)].broken).toHaveLength(files.length);
    }
  });

  it('read the real tree: imports between workspace packages are seen at their source', () => {
    const [{ edges }] = report(join(import.meta.dirname, '..', '..'));
    expect(edges).toContainEqual(['packages/runtime', 'packages/contracts']);
    expect(edges).toContainEqual(['packages/persistence', 'packages/pagination']);
  });
});
