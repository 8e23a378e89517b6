import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../launch/paths.mjs';
import { AREAS, areasNamed, forgottenFiles, SAMPLE, sourceFiles } from './areas.mjs';
import { asAccepted, judge, problemsOf } from './judge.mjs';
import { fingerprintOf, readResult, storeResult } from './results.mjs';

const mutant = (overrides = {}) => ({
  file: 'packages/a/src/a.rules.ts',
  lineNumber: 4,
  line: 'return a < b;',
  mutator: 'EqualityOperator',
  original: 'a < b',
  replacement: 'a <= b',
  status: 'Survived',
  ...overrides,
});
const accepted = (overrides = {}) => {
  const { lineNumber: _, status: __, ...entry } = mutant();
  return { ...entry, reason: 'equivalent: a and b are never equal', ...overrides };
};
const killed = (count) => Array.from({ length: count }, () => mutant({ status: 'Killed' }));
const problems = (mutants, list) => problemsOf(judge(mutants, list));

describe('the judgement', () => {
  it('is free of problems if every survivor is listed with a reason', () => {
    expect(problems([...killed(19), mutant()], [accepted()])).toEqual([]);
  });

  it('counts a timeout as killed, no coverage as survival, and an unusable mutant as neither', () => {
    const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError'];
    const all = statuses.map((status) => mutant({ status }));
    expect(judge(all, [])).toMatchObject({ killed: 2, survived: 2, invalid: 1 });
    expect(() => judge([mutant({ status: 'Pending' })], [])).toThrow('got Pending');
  });

  it('names a survivor that is not listed', () => {
    expect(problems([...killed(30), mutant({ status: 'NoCoverage' })], [])).toEqual([
      'SURVIVED packages/a/src/a.rules.ts:4 EqualityOperator: a < b → a <= b',
    ]);
  });

  it.each(['file', 'line', 'mutator', 'original', 'replacement'])(
    'compares the %s of a survivor',
    (field) => {
      const { unlisted, gone } = judge([mutant()], [accepted({ [field]: 'other' })]);
      expect([unlisted.length, gone.length]).toEqual([1, 1]);
    },
  );

  it('names a listed survivor that is killed now', () => {
    const [problem, ...others] = problems(killed(30), [accepted()]);
    expect(problem).toContain('LISTED BUT GONE packages/a/src/a.rules.ts');
    expect(others).toEqual([]);
  });

  it('compares how many equal mutants survive', () => {
    const twice = [...killed(60), mutant(), mutant()];
    expect(problems(twice, [accepted({ count: 2 })])).toEqual([]);
    expect(judge(twice, [accepted()]).unlisted).toHaveLength(1);
    expect(judge(twice, [accepted({ count: 3 })]).gone).toHaveLength(1);
  });

  it('names a listed survivor without a reason', () => {
    expect(problems([...killed(30), mutant()], [accepted({ reason: ' ' })])).toEqual([
      'WITHOUT A REASON packages/a/src/a.rules.ts: `return a < b;`. Say why it may survive.',
    ]);
  });

  it('fails if more than 5 % survive, even if all are listed', () => {
    expect(problems([...killed(18), mutant()], [accepted()])).toEqual([
      '5.3 % of the mutants survive; at most 5.0 % may.',
    ]);
  });
});

it('unlisted survivors are written in the form of the list, without a reason', () => {
  expect(asAccepted([mutant(), mutant(), mutant({ line: 'other' })])).toEqual([
    accepted({ count: 2, reason: '' }),
    accepted({ line: 'other', reason: '' }),
  ]);
});

describe('the areas', () => {
  it('contain every rules file of the repository, or say what holds it instead', () => {
    expect(forgottenFiles(sourceFiles())).toEqual([]);
  });

  it('report a new rules file in a folder of an area, or in a folder that no area names', () => {
    const file = 'packages/core/src/webhooks/deep/new.rules.ts';
    const other = 'packages/core/src/new-feature/new.rules.ts';
    expect(forgottenFiles([...sourceFiles(), file, other])).toEqual([file, other]);
    expect(forgottenFiles(['packages/core/src/trades/trade.rules.ts'])).toEqual([]);
  });

  it('name files and unit specs that exist, each file once', () => {
    const files = AREAS.flatMap((area) => area.files);
    const all = [...files, ...AREAS.flatMap(({ specs }) => specs)];
    expect(all.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
    expect(all.filter((file) => file.includes('.int.spec.'))).toEqual([]);
    expect(areasNamed([SAMPLE.area])[0].files).toContain(SAMPLE.file);
  });

  it('are found by name, and an unknown name lists the choices', () => {
    expect(areasNamed([])).toEqual(AREAS);
    expect(areasNamed(['egress']).map(({ name }) => name)).toEqual(['egress']);
    expect(() => areasNamed(['egres'])).toThrow(
      'unknown area: egres. Use signed-request, access, egress, json, ',
    );
  });
});

it('the list of survivors gives a reason for each, and names mutated files only', () => {
  const list = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'));
  const files = AREAS.flatMap((area) => area.files);
  expect(list.filter(({ reason }) => reason.trim().length < 10)).toEqual([]);
  expect(list.filter(({ file }) => !files.includes(file))).toEqual([]);
});

describe('a stored result', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is used only for the sources of which it was made', () => {
    const result = { fingerprint: 'one', mutants: [mutant()], seconds: 3 };
    expect(readResult(folder, 'access', 'one')).toBeUndefined();
    storeResult(folder, 'access', result);
    expect(readResult(folder, 'access', 'one')).toEqual(result);
    expect(readResult(folder, 'access', 'two')).toBeUndefined();
  });

  it('has a fingerprint that depends on the files and the specs', () => {
    const [area] = areasNamed(['delivery']);
    const fingerprint = fingerprintOf(area);
    expect(fingerprintOf(area)).toBe(fingerprint);
    expect(fingerprintOf({ ...area, specs: area.specs.slice(1) })).not.toBe(fingerprint);
  });
});
