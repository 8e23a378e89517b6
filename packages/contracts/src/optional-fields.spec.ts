import { z } from 'zod';
import { decimalInput } from './decimal.js';
import { jsonSchemaOf } from './json-schema.js';
import { nameText, text } from './operation.js';
import { OPERATIONS } from './operations.js';
import { compileNullRemoval, nullableFieldsOf, UPDATE } from './optional-fields.js';

const inner = z.strictObject({ must: z.string(), may: z.string().optional() });
const body = z.strictObject({
  required: z.string(),
  optional: z.string().optional(),
  withDefault: z.number().default(1),
  prefaulted: inner.prefault({ must: 'x' }),
  clearable: z.string().nullable().optional(),
  anything: z.unknown().optional(),
  price: decimalInput().optional(),
  nested: inner,
  list: z.array(inner).optional(),
  map: z.record(z.string(), inner).optional(),
  update: z.strictObject({ may: z.string().optional(), inside: inner.optional() }).meta(UPDATE).optional(),
});
const remove = compileNullRemoval(body);

describe('null in a body', () => {
  it.each(['optional', 'withDefault', 'prefaulted', 'price', 'list', 'update'])(
    'means that %s is absent',
    (name) => {
      expect(remove({ required: 'x', [name]: null })).toEqual({ required: 'x' });
    },
  );

  it.each(['required', 'nested', 'clearable', 'anything', 'unknown'])(
    'is left in %s, whose own schema decides',
    (name) => {
      expect(remove({ [name]: null })).toEqual({ [name]: null });
    },
  );

  it('is removed at every level, but not from an update', () => {
    const given = {
      map: { any: { must: null, may: null } },
      nested: { must: null, may: null },
      list: [{ must: 'x', may: null }, null, 1],
      update: { may: null, inside: { must: 'x', may: null } },
    };
    expect(remove(given)).toEqual({
      map: { any: { must: null } },
      nested: { must: null },
      list: [{ must: 'x' }, null, 1],
      update: { may: null, inside: { must: 'x' } },
    });
  });

  it.each([null, undefined, 1, 'text', [null], [[]]])('leaves %j, which is no object, unchanged', (value) => {
    expect(remove(value)).toEqual(value);
  });

  it('is published for exactly the fields from which it is removed', () => {
    const { root } = jsonSchemaOf(body, 'input');
    const properties = root.properties as Record<string, { anyOf?: object[] }>;
    const published = Object.keys(properties).filter((name) =>
      properties[name]!.anyOf?.some((option) => JSON.stringify(option) === '{"type":"null"}'),
    );
    expect(published).toEqual(nullableFieldsOf(body));
    const query = jsonSchemaOf(body, 'input', { showsNulls: false });
    expect(JSON.stringify(query).match(/"null"/g)).toHaveLength(1);
  });
});

it.each(OPERATIONS.filter(({ method, body: schema }) => schema && method !== 'PUT'))(
  'the body of $id is an update exactly if the method is PATCH',
  ({ method, body: schema }) => {
    expect(schema!.meta()?.isUpdate === true).toBe(method === 'PATCH');
  },
);

describe('a name', () => {
  it.each(['a', ' x ', '1', '漢', '😀', '👩‍👩‍👧', 'é', 'e\u0301', '-', '\u0e01\u0e34', '\u202Eabc'])(
    'can be %j, which has a visible character',
    (name) => {
      expect(nameText({ max: 100 }).safeParse(name).success).toBe(true);
    },
  );

  it.each([
    ['a space', ' '],
    ['a tab and a line feed', '\t\n'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a byte order mark', '\ufeff'],
    ['bidirectional controls', '\u202e\u2066\u2069'],
    ['a soft hyphen', '\u00ad'],
    ['a Hangul filler', '\u3164'],
    ['a blank Braille pattern', '\u2800'],
    ['a variation selector', '\ufe0f'],
    ['tag characters', '\u{e0041}'],
    ['a combining mark alone', '\u0301'],
    ['a line separator', '\u2028'],
  ])('cannot consist of %s', (_characters, name) => {
    expect(nameText({ max: 100 }).safeParse(name).error?.issues).toMatchObject([
      { code: 'custom', params: { code: 'not_visible' } },
    ]);
    expect(text({ max: 100 }).safeParse(name).success).toBe(true);
  });

  it.each(
    OPERATIONS.flatMap(({ id, body: schema }) =>
      Object.entries(schema?.shape ?? {})
        .filter(([field]) => ['name', 'account_name', 'label'].includes(field))
        .map(([field, member]) => ({ id, field, member: member as z.ZodType })),
    ),
  )('in the field $field of $id needs a visible character', ({ member }) => {
    expect(member.safeParse('\u200b').success).toBe(false);
    expect(member.safeParse('x').success).toBe(true);
  });
});
