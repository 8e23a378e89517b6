import { JsonNumber } from './decimal.js';
import { SETTING_VALUE_MAX_BYTES, settingPut } from './settings.js';

const codesOf = (body: unknown) =>
  settingPut
    .safeParse(body)
    .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : issue.code));

describe('the value of a setting', () => {
  it.each([
    null,
    false,
    0,
    '',
    [],
    {},
    new JsonNumber('1e999'),
    { list: [{ nested: new JsonNumber('0.1000000000000000000000001') }] },
  ])('may be %j, which is stored unchanged', (value) => {
    expect(settingPut.parse({ value }).value).toBe(value);
  });

  it('is required and the only field', () => {
    expect(codesOf({})).toHaveLength(1);
    expect(codesOf({ value: 1, key: 'k' })).toEqual(['unrecognized_keys']);
  });

  it('is limited to exactly 16 KiB of JSON in UTF-8', () => {
    const quotes = 2;
    const maxLength = SETTING_VALUE_MAX_BYTES - quotes;
    expect(codesOf({ value: 'a'.repeat(maxLength) })).toBeUndefined();
    expect(codesOf({ value: 'a'.repeat(maxLength + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: 'é'.repeat(maxLength / 2) })).toBeUndefined();
    expect(codesOf({ value: 'é'.repeat(maxLength / 2 + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: new JsonNumber('1'.repeat(SETTING_VALUE_MAX_BYTES + 1)) })).toEqual(['too_big']);
  });
});
