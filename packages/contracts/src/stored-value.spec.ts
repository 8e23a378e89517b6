import fc from 'fast-check';
import { z } from 'zod';
import { decimal } from './decimal.js';
import { compileSerializer } from './serializer.js';
import { StoredJson, storedSchema } from './stored-json.js';
import { compileStoredValue } from './stored-value.js';

const record = z.object({
  id: z.string(),
  amount: decimal,
  missing: decimal.optional(),
  nothing: z.string().nullable(),
  count: z.number(),
  isOn: z.boolean(),
  balance: z.record(z.string(), decimal),
  data: storedSchema(z.object({ amount: decimal }), [z.object({ amount: decimal })]),
  nested: z.array(z.object({ price: decimal, any: z.unknown() })),
  byName: z.record(z.string(), storedSchema(z.unknown())),
  anything: z.any(),
  optionalData: storedSchema(z.unknown()).optional(),
  nullableData: storedSchema(z.unknown()).nullable(),
  readonlyData: storedSchema(z.unknown()).readonly(),
});
const { write, restore } = compileStoredValue(record);

const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), fc.stringMatching(/^(\d{0,17}[1-9])?$/))
  .map(([minus, whole, fraction]) => `${minus ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`);
const texts = fc.oneof(
  fc.constantFrom(
    '{"amount":1.50}',
    '{"amount":123456789012345678901234567890.10}',
    '-1e-4000',
    '"\\u2028ü😀"',
    'null',
  ),
  fc.json(),
);
const stored = texts.map((text) => StoredJson.of(text));
const values = fc.record(
  {
    id: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    amount: decimals,
    missing: decimals,
    nothing: fc.constantFrom(null, 'x'),
    count: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    isOn: fc.boolean(),
    balance: fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), decimals),
    data: stored,
    nested: fc.array(
      fc.record({ price: decimals, any: fc.jsonValue().filter((value) => !Object.is(value, -0)) }),
    ),
    byName: fc.dictionary(fc.string(), stored),
    anything: fc.jsonValue().filter((value) => !Object.is(value, -0)),
    optionalData: stored,
    nullableData: fc.oneof(fc.constant(null), stored),
    readonlyData: stored,
  },
  {
    requiredKeys: [
      ...(['id', 'amount', 'nothing', 'count', 'isOn', 'balance', 'data', 'nested', 'byName'] as const),
      ...(['anything', 'nullableData', 'readonlyData'] as const),
    ],
  },
);

it('a restored value renders to the same bytes as the original, with numbers and with strings', () => {
  const renderers = [compileSerializer(record, 'number'), compileSerializer(record, 'string')];
  fc.assert(
    fc.property(values, (value) => {
      const restored = restore(JSON.parse(write(value)));
      for (const render of renderers) expect(render(restored)).toBe(render(value));
      expect(write(restored)).toBe(write(value));
    }),
  );
});

it('a value that does not match the schema is not written', () => {
  expect(() => write({ id: 'x' })).toThrow('the response lacks the field amount');
});
