import { jsonProblem, keyProblem } from './json.rules';

describe('keyProblem', () => {
  it('accepts keys that have an address', () => {
    expect(keyProblem('dashboard.theme-2_x')).toBeUndefined();
    for (const key of ['', '.', '..', 'Theme', 'a b', 'x'.repeat(65)]) expect(keyProblem(key)).toBeDefined();
  });
});

describe('jsonProblem', () => {
  it('accepts any JSON value', () => {
    for (const text of ['null', '"a"', '0.1', '{"a": [1, 2.50, "12345678901234567890"]}'])
      expect(jsonProblem(text)).toBeUndefined();
  });

  it.each([
    ['', 'Enter JSON'],
    ['{a: 1}', 'not JSON'],
    ['[12345678901234567890]', 'would round 12345678901234567890'],
    [`"${'x'.repeat(17_000)}"`, '17002 bytes'],
  ])('says what is wrong', (text, problem) => {
    expect(jsonProblem(text)).toContain(problem);
  });
});
