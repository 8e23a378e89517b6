import { join } from 'node:path';
import { ConstructorCounter } from './constructors.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('the collaborators of a constructor', () => {
  const counted = new ConstructorCounter(root).count('tooling/rules/fixtures/constructors/classes.ts');

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
    ['TakesValues', []],
  ])('of %s are %j', (className, collaborators) => {
    expect(counted.find((each) => each.className === className)?.collaborators).toEqual(collaborators);
  });
});
