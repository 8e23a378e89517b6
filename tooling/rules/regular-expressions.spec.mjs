import { join } from 'node:path';
import { PRODUCT } from './constructors.mjs';
import { proseFiles } from './prose.mjs';
import { BOUNDED_INPUT, BUILT, complexitiesOf, readExpressions } from './regular-expressions.mjs';

const root = join(import.meta.dirname, '..', '..');
const FIXTURE = 'tooling/rules/fixtures/regular-expressions/expressions.ts';
const textOf = (/** @type {{ source: string, flags: string }} */ { source, flags }) => `/${source}/${flags}`;

describe('the time that a regular expression can take', () => {
  const judged = [
    ['^[^\\w]?(?:[A-Za-z]{1,24}[.:/_-]{0,3})+(?::\\d{1,5})?[^\\w]?$', 'exponential'],
    ['^(?:a|a)*b$', 'exponential'],
    ['\\/+$', 'polynomial of degree 2'],
    ['a.*b.*c$', 'polynomial of degree 3'],
    ['^a*\\d+$', null],
    ['^(?!b)a*$', null],
    ['abc', null],
  ];
  const found = complexitiesOf(judged.map(([source]) => ({ source: String(source), flags: '' })));

  it.each(judged.map(([source, expected], i) => [source, expected, found[i]]))(
    '%s is %s',
    (_source, expected, actual) => {
      expect(actual).toBe(expected);
    },
  );

  it('is judged for every expression of a file, also if it is built at run time', () => {
    const { written, built } = readExpressions(root, [FIXTURE]);
    expect(written.map(textOf)).toEqual(['/^(a+)+$/i', '/\\d+/g']);
    expect(built).toEqual([FIXTURE]);
  });
});

describe('regular expressions of the product', () => {
  const { written, built } = readExpressions(
    root,
    proseFiles(root).filter((file) => PRODUCT.test(file)),
  );

  it('take linear time, or their input is bounded', () => {
    const unbounded = written.filter(
      (expression) => BOUNDED_INPUT[expression.file]?.[textOf(expression)] === undefined,
    );
    const distinct = [...new Map(unbounded.map((expression) => [textOf(expression), expression])).values()];
    const complexities = complexitiesOf(distinct);
    const problems = distinct.flatMap((expression, i) =>
      complexities[i] === null ? [] : [`${expression.file}: ${textOf(expression)} is ${complexities[i]}`],
    );
    expect(written.length).toBeGreaterThan(150);
    expect(problems).toEqual([]);
  });

  it('are listed as bounded only as long as they exist', () => {
    const existing = new Set(written.map((expression) => `${expression.file} ${textOf(expression)}`));
    const listed = Object.entries(BOUNDED_INPUT).flatMap(([file, expressions]) =>
      Object.keys(expressions).map((text) => `${file} ${text}`),
    );
    expect(listed.filter((each) => !existing.has(each))).toEqual([]);
  });

  it('are built at run time only in the listed files', () => {
    expect(built.toSorted()).toEqual(Object.keys(BUILT).toSorted());
  });
});
