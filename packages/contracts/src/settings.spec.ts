import { JsonNumber } from './decimal.js';
import { SETTING_VALUE_MAX_BYTES, settingPut } from './settings.js';

const codesOf = (body: unknown) =>
  settingPut
    .safeParse(body)
    .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : issue.code));

describe('a value of a setting', () => {
  it.each([
    null,
    false,
    0,
    '',
    [],
    {},
    new JsonNumber('1e999'),
    { deep: [{ er: new JsonNumber('0.1000000000000000000000001') }] },
  ])('may be %j, and is handed on as it is', (value) => {
    expect(settingPut.parse({ value }).value).toBe(value);
  });

  it('must be there, alone', () => {
    expect(codesOf({})).toHaveLength(1);
    expect(codesOf({ value: 1, key: 'k' })).toEqual(['unrecognized_keys']);
  });

  it('has at most 16 KiB as JSON in UTF-8, to the byte', () => {
    const quotes = 2;
    const most = SETTING_VALUE_MAX_BYTES - quotes;
    expect(codesOf({ value: 'a'.repeat(most) })).toBeUndefined();
    expect(codesOf({ value: 'a'.repeat(most + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: 'é'.repeat(most / 2) })).toBeUndefined();
    expect(codesOf({ value: 'é'.repeat(most / 2 + 1) })).toEqual(['too_big']);
    expect(codesOf({ value: new JsonNumber('1'.repeat(SETTING_VALUE_MAX_BYTES + 1)) })).toEqual(['too_big']);
  });
});
