import { join } from 'node:path';
import { COLLABORATORS_MAX, ConstructorCounter, PRODUCT } from './constructors.mjs';
import { proseFiles } from './prose.mjs';

const root = join(import.meta.dirname, '..', '..');
const FIXTURE = 'tooling/rules/fixtures/constructors/classes.ts';
const counter = new ConstructorCounter(root);
const violationsIn = (/** @type {string} */ file) =>
  counter
    .count(file)
    .filter(({ collaborators }) => collaborators.length > COLLABORATORS_MAX)
    .map(({ className, collaborators }) => `${file}: ${className} takes ${collaborators.join(', ')}`);

describe('the collaborators of a constructor', () => {
  const counted = counter.count(FIXTURE);

  it.each([
    [
      'TakesBundle',
      ['everything.clock', 'everything.first', 'everything.second', 'everything.onError', 'everything.log'],
    ],
    [
      'TakesNestedBundle',
      [
        'options.inner.clock',
        'options.inner.first',
        'options.inner.second',
        'options.inner.onError',
        'options.inner.log',
      ],
    ],
    ['TakesFive', ['clock', 'first', 'second', 'third', 'onEnd']],
    ['TakesDestructured', ['onStart', 'onEnd']],
    ['TakesPort', ['port']],
    ['TakesPick', ['some.clock', 'some.first', 'rest']],
    ['TakesRecord', ['record.clock', 'record.store']],
    ['TakesValues', []],
    ['TakesDefaults', ['now', 'store']],
  ])('of %s are %j', (className, collaborators) => {
    expect(counted.find((each) => each.className === className)?.collaborators).toEqual(collaborators);
  });
});

describe('a constructor', () => {
  it(`takes at most ${COLLABORATORS_MAX} collaborators`, () => {
    const files = proseFiles(root).filter((file) => PRODUCT.test(file));
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap(violationsIn)).toEqual([]);
  });

  it('with more collaborators is reported', () => {
    const found = violationsIn(FIXTURE).map((line) => /: (\w+) takes/.exec(line)?.[1]);
    expect(found).toEqual(['TakesBundle', 'TakesNestedBundle', 'TakesFive']);
  });
});
