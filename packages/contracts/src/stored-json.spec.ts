import fc from 'fast-check';
import { z } from 'zod';
import { decimal } from './decimal.js';
import { storedEvent } from './event-catalogue.js';
import { compileSerializer, jsonText } from './serializer.js';
import { quoteDecimals, StoredJson, storedSchema } from './stored-json.js';

const record = z.object({
  price: decimal,
  fee: z.object({ amount: decimal, currency: z.string() }).optional(),
  fills: z.array(z.object({ amount: decimal, executed_at: z.string() })),
  levels: z.array(decimal).nullable(),
  balance: z.record(z.string(), decimal),
  version: z.number(),
  note: z.string(),
});
const envelope = z.object({ data: record });
const storedEnvelope = storedSchema(envelope, [record]);

const anyDecimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.stringMatching(/^(\.\d{0,9}[1-9])?$/))
  .map(([whole, fraction]) => `${whole}${fraction}`);
/** Strings, some of which look like JSON members or numbers. A careless search for decimals would change them. */
const anyText = fc.oneof(
  fc.string(),
  fc.constantFrom('"amount":1', '\\', '{"price":2}', '5', 'price', 'a\nb', '"'),
);
const anyRecord = fc.record({
  price: anyDecimal,
  fee: fc.option(fc.record({ amount: anyDecimal, currency: anyText }), { nil: undefined }),
  fills: fc.array(fc.record({ amount: anyDecimal, executed_at: anyText })),
  levels: fc.option(fc.array(anyDecimal)),
  balance: fc.dictionary(anyText, anyDecimal),
  version: fc.integer(),
  note: anyText,
});

describe('stored JSON', () => {
  const [writeAsNumbers, writeAsStrings] = [
    compileSerializer(envelope, 'number'),
    compileSerializer(envelope, 'string'),
  ];
  const [writeStoredAsNumbers, writeStoredAsStrings] = [
    compileSerializer(storedEnvelope, 'number'),
    compileSerializer(storedEnvelope, 'string'),
  ];

  it('is returned unchanged or, on request, with its decimals as strings', () => {
    fc.assert(
      fc.property(anyRecord, (data) => {
        const stored = StoredJson.of(writeAsNumbers({ data }));
        expect(writeStoredAsNumbers(stored)).toBe(stored.text);
        expect(writeStoredAsStrings(stored)).toBe(writeAsStrings({ data }));
      }),
    );
  });

  it('does not change numbers of members that the schema does not declare as decimals', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jsonText(value);
        expect(quoteDecimals(text, { members: [], maps: [] })).toBe(text);
      }),
    );
  });

  it('may contain any whitespace', () => {
    const text = '{ "price" :\n 1.50 , "note": "price" , "balance" : { "price": 2e3 } }';
    expect(JSON.parse(quoteDecimals(text, { members: ['price'], maps: ['balance'] }))).toEqual({
      price: '1.50',
      note: 'price',
      balance: { price: '2e3' },
    });
  });

  it('rejects records in which one member name is a decimal in one record and a plain number in another', () => {
    const other = z.object({ price: z.number() });
    expect(() => storedSchema(z.object({}), [record, other])).toThrow('price');
    const amounts = [z.object({ amount: z.number() }), z.object({ amount: decimal }), record, other];
    expect(() => storedSchema(z.object({}), amounts)).toThrow(
      new TypeError(
        'A field must have one type in all records, but these are decimals in one record and numbers in another: amount, price. Rename one of the fields.',
      ),
    );
  });

  it('quotes no plain number, also if the same name is a string elsewhere', () => {
    const plain = z.object({ note: z.number(), counts: z.record(z.string(), z.number()) });
    const schema = storedSchema(plain, [plain, z.object({ note: z.string() })]);
    const text = '{"note":1.50,"counts":{"a":2.0}}';
    expect(compileSerializer(schema, 'string')(StoredJson.of(text))).toBe(text);
  });

  it('may itself be a decimal or a list of decimals', () => {
    expect(compileSerializer(storedSchema(decimal, [decimal]), 'string')(StoredJson.of('1.50'))).toBe(
      '"1.50"',
    );
    const list = z.array(decimal);
    expect(compileSerializer(storedSchema(list, [list]), 'string')(StoredJson.of('[1.50,2]'))).toBe(
      '["1.50","2"]',
    );
  });

  it('quotes the members of a map at any level, and nothing inside them', () => {
    const names = { members: [], maps: ['balance'] };
    expect(quoteDecimals('{"balance":{"USDT":5},"x":1}', names)).toBe('{"balance":{"USDT":"5"},"x":1}');
    expect(quoteDecimals('{"a":{"balance":{"b":{"c":1}}}}', names)).toBe('{"a":{"balance":{"b":{"c":1}}}}');
  });

  it('takes no string of a list for a member name', () => {
    const text = '{"tags":["price",1.50]}';
    expect(quoteDecimals(text, { members: ['price'], maps: [] })).toBe(text);
  });

  it('is on one line: line breaks between its tokens become one space', () => {
    expect(StoredJson.of('{\r\n"a":\n1}').text).toBe('{ "a": 1}');
  });

  it('quotes the decimals of trades, accounts and rewards in an event', () => {
    const text = '{"type":"x","data":{"version":3,"price":1.10,"balance":{"USDT":5},"fee":{"amount":0.1}}}';
    expect(compileSerializer(storedEvent, 'string')(StoredJson.of(text))).toBe(
      '{"type":"x","data":{"version":3,"price":"1.10","balance":{"USDT":"5"},"fee":{"amount":"0.1"}}}',
    );
  });
});
