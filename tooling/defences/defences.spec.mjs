import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plant } from '../planted-faults/plant.mjs';
import { DEFENCES } from './defences.mjs';
import { groupsOf, selectDefences } from './groups.mjs';
import { openProgress } from './progress.mjs';
import { removeAll } from './remove.mjs';
import { SURVIVORS_MAX, tableOf, titleOf, verdictOf } from './report.mjs';
import { SURVIVORS } from './survivors.mjs';

const root = join(import.meta.dirname, '..', '..');
const held = { kind: 'held', by: 'a nonce is used once', seconds: 3 };
const survived = { kind: 'survived', by: '', seconds: 2 };
const defence = (name, changes) => ({
  area: 'nonces',
  name,
  file: 'a.ts',
  find: 'a',
  replace: 'b',
  tests: ['a.spec.ts'],
  ...changes,
});

describe('the table of defences', () => {
  it('has at least 80, each with a unique name', () => {
    expect(new Set(DEFENCES.map(titleOf)).size).toBe(DEFENCES.length);
    expect(DEFENCES.length).toBeGreaterThanOrEqual(80);
  });

  it('covers each of these areas', () => {
    const areas = new Set(DEFENCES.map(({ area }) => area));
    const expected = [
      ...['signing', 'nonces', 'API keys', 'sessions', 'rights of children', 'worlds', 'lock-outs'],
      ...['sign-in links', 'mail caps', 'withdrawals', 'outbound requests', 'JSON', 'idempotency', 'tenants'],
      ...['leader privacy', 'rate limits', 'fairness', 'leases of workers', 'exactly once'],
      ...['boot refusals', 'log redaction'],
    ];
    expect(expected.filter((area) => !areas.has(area))).toEqual([]);
  });

  it('has a sample of 8 to 16 defences that unit tests hold', () => {
    const sample = DEFENCES.filter(({ isSample }) => isSample);
    expect(sample.length).toBeGreaterThanOrEqual(8);
    expect(sample.length).toBeLessThanOrEqual(16);
    expect(sample.flatMap(({ tests }) => tests).filter((path) => /\.(?:int|e2e)\.spec/.test(path))).toEqual(
      [],
    );
  });

  it.each(DEFENCES)('can be removed from the current source: $area: $name', ({ file, tests, ...fault }) => {
    const source = readFileSync(join(root, file), 'utf8');
    expect(plant(source, fault)).not.toBe(source);
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
  });

  it('names each survivor with a reason; at most one in twenty survives', () => {
    const titles = DEFENCES.map(titleOf);
    expect(Object.keys(SURVIVORS).filter((title) => !titles.includes(title))).toEqual([]);
    expect(Object.values(SURVIVORS).filter((reason) => reason.length < 20)).toEqual([]);
    expect(Object.keys(SURVIVORS).length).toBeLessThanOrEqual(DEFENCES.length * SURVIVORS_MAX);
  });
});

describe('a selection', () => {
  it('selects by words of the area or the name, and the sample', () => {
    const [one, other] = [defence('one', { isSample: true }), defence('other', { area: 'JSON' })];
    const select = (...words) => selectDefences([one, other], { words, isSample: false });
    expect(select()).toEqual([one, other]);
    expect(select('JSON')).toEqual([other]);
    expect(select('one', 'JSON: other')).toEqual([one, other]);
    expect(selectDefences([one, other], { words: [], isSample: true })).toEqual([one]);
    expect(() => select('absent')).toThrow('No defence has an area or name with absent.');
  });

  it('is grouped by specs, the largest group first', () => {
    const [a, b, c] = [defence('a'), defence('b', { tests: ['b.spec.ts', 'c.spec.ts'] }), defence('c')];
    expect(groupsOf([b, a, c])).toEqual([
      { tests: ['a.spec.ts'], defences: [a, c] },
      { tests: ['b.spec.ts', 'c.spec.ts'], defences: [b] },
    ]);
  });
});

describe('a removal', () => {
  const removed = async (
    outcomes,
    { groups, isCheckedBefore = false, endsAtMs = Number.POSITIVE_INFINITY },
  ) => {
    const [recorded, lines, checked] = [[], [], []];
    await removeAll([{ folder: 'copy' }], groups, {
      progress: { record: ({ name }, { kind }) => recorded.push(`${name}: ${kind}`) },
      isCheckedBefore,
      endsAtMs,
      print: (line) => lines.push(line),
      runs: {
        runUnmodified: async (_copy, tests) => {
          checked.push(...tests);
          return outcomes.unmodified ?? { kind: 'missed' };
        },
        runFault: async (_copy, { name }) => ({ outcome: outcomes[name], seconds: 4 }),
      },
    });
    return { recorded, lines, checked };
  };
  const outcomes = {
    one: { kind: 'found', by: 'a test' },
    other: { kind: 'missed' },
    third: { kind: 'unusable', why: 'no assertion failed' },
  };
  const groups = groupsOf([
    defence('one'),
    defence('other'),
    defence('third', { tests: ['a.spec.ts', 'b.spec.ts'] }),
  ]);

  it('is recorded if it proves something', async () => {
    expect(await removed(outcomes, { groups })).toEqual({
      recorded: ['one: held', 'other: survived'],
      lines: [
        'nonces: one: held: a test (4 s)',
        'nonces: other: survived (4 s)',
        'nonces: third: unproven: no assertion failed (4 s)',
      ],
      checked: ['a.spec.ts', 'b.spec.ts'],
    });
  });

  it('proves nothing if its specs fail on the unmodified source', async () => {
    const unmodified = { kind: 'found', by: 'a test' };
    const { recorded, lines } = await removed({ ...outcomes, unmodified }, { groups });
    expect(recorded).toEqual([]);
    expect(lines[0]).toBe('nonces: one: unproven: the specs fail on the unmodified source (0 s)');
  });

  it('does not begin after the time is over, and needs no check if the specs ran before', async () => {
    expect((await removed(outcomes, { groups, endsAtMs: 0 })).recorded).toEqual([]);
    expect((await removed(outcomes, { groups, isCheckedBefore: true })).checked).toEqual([]);
  });
});

describe('the progress of a run', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'defences-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is resumed on the same source only', () => {
    const open = (fingerprint) => openProgress({ file: join(folder, 'data', 'defences.json'), fingerprint });
    open('one').record(defence('a'), held);
    expect(open('one').resultOf(defence('a'))).toEqual(held);
    expect(open('one').resultOf(defence('a', { replace: 'c' }))).toBeUndefined();
    expect(open('other').resultOf(defence('a'))).toBeUndefined();
    expect(open(null).resultOf(defence('a'))).toBeUndefined();
  });

  it('is forgotten for defences that are removed again, and kept for the others', () => {
    const progress = openProgress({ file: null, fingerprint: null });
    const [a, b] = [defence('a'), defence('b', { find: 'b', replace: 'a' })];
    progress.record(a, held);
    progress.record(b, survived);
    progress.forget([b]);
    expect([progress.resultOf(a), progress.resultOf(b)]).toEqual([held, undefined]);
  });
});

describe('the report', () => {
  const results = [
    { defence: defence('a nonce'), result: held },
    { defence: defence('listed'), result: survived },
  ];

  it('is a table with the test that holds each defence', () => {
    expect(tableOf([...results, { defence: defence('absent'), result: undefined }]).split('\n')).toEqual([
      'area    defence  result      seconds  test',
      'nonces  a nonce  held        3        a nonce is used once',
      'nonces  listed   survived    2',
      'nonces  absent   not proven',
    ]);
  });

  it('passes if every survivor is listed and survives', () => {
    const survivors = { 'nonces: listed': 'another defence behind it holds.' };
    expect(verdictOf(results, survivors)).toEqual({
      isPassed: true,
      lines: [
        'survives: nonces: listed: another defence behind it holds.',
        '1 of 2 defences held, 1 survived, 0 not proven',
      ],
    });
  });

  it.each([
    ['an unlisted survivor', {}, results, 'no test fails without the defence: nonces: listed'],
    [
      'a listed survivor that a test holds',
      { 'nonces: a nonce': 'reason', 'nonces: listed': 'reason' },
      results,
      'a test now holds it, so remove it from survivors.mjs: nonces: a nonce',
    ],
    [
      'a defence that was not removed',
      {},
      [{ defence: defence('late'), result: undefined }],
      'not proven: nonces: late',
    ],
  ])('fails with %s', (_what, survivors, given, line) => {
    const verdict = verdictOf(given, survivors);
    expect(verdict.isPassed).toBe(false);
    expect(verdict.lines[0]).toBe(line);
  });
});
