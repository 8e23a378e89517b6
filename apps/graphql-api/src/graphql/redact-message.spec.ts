import fc from 'fast-check';
import { redactMessage } from './redact-message.js';

/** The rules as regular expressions, which take quadratic time. */
const byExpressions = (message: string) =>
  message
    .replace(/ Did you mean .*\?$/s, '')
    .replace(/( cannot represent [^:]*): .*$/s, '$1.')
    .replace(/(Expected value of type "[^"]*"), found .*$/s, '$1.')
    .replace(/Value .* does not exist in ("[^"]*" enum).*$/s, 'The value does not exist in $1.')
    .replace(/ got invalid value .*( at "[^"]*"; )/s, ' got an invalid value$1')
    .replace(/ got invalid value .*; /s, ' got an invalid value; ');

const PARTS = [
  ' Did you mean ',
  '?',
  ' cannot represent ',
  ': ',
  ':',
  'Expected value of type "',
  '"',
  ', found ',
  'Value ',
  ' does not exist in "',
  ' enum',
  ' got invalid value ',
  ' at "',
  '; ',
  'secret',
  ' ',
  '\n',
  '$1',
];

describe('a redacted message', () => {
  it('is the one that the rules define, for any sequence of their parts', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }), (parts) => {
        expect(redactMessage(parts.join(''))).toBe(byExpressions(parts.join('')));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['Float cannot represent non numeric value: "s3cret"', 'Float cannot represent non numeric value.'],
    ['Expected value of type "Int", found "s3cret".', 'Expected value of type "Int".'],
    [
      'Value "s3cret" does not exist in "Side" enum. Did you mean x?',
      'The value does not exist in "Side" enum.',
    ],
    [
      'Variable "$a" got invalid value "s3cret" at "a.b"; Expected x.',
      'Variable "$a" got an invalid value at "a.b"; Expected x.',
    ],
    [
      'Variable "$a" got invalid value "s3cret"; Expected x.',
      'Variable "$a" got an invalid value; Expected x.',
    ],
    ['Cannot query field "x" on type "Y". Did you mean "s3cret"?', 'Cannot query field "x" on type "Y".'],
  ])('%j loses its value: %j', (message, expected) => {
    expect(redactMessage(message)).toBe(expected);
  });
});
