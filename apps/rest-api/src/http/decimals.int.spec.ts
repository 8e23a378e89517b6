import fc from 'fast-check';
import { type NotesApi, sendJson, startNotesApi } from '../../test/notes-api.js';

let api: NotesApi;
beforeAll(async () => {
  api = await startNotesApi();
});
afterAll(() => api.close());

/** Generates the parts of a decimal, from which the tests compute the expected response without a parser. */
const decimal = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: fc.stringMatching(/^(0|[1-9]\d{0,19})$/),
  fraction: fc.stringMatching(/^\d{0,18}$/),
});

function canonical({ sign, whole, fraction }: { sign: string; whole: string; fraction: string }): string {
  const decimals = fraction.replace(/0+$/, '');
  const plain = decimals === '' ? whole : `${whole}.${decimals}`;
  return plain === '0' ? '0' : sign + plain;
}

describe('an amount', () => {
  it('has the same digits in the response as in the raw body', async () => {
    await fc.assert(
      fc.asyncProperty(decimal, fc.boolean(), fc.boolean(), async (parts, asString, wantsString) => {
        const { sign, whole, fraction } = parts;
        const sent = sign + (fraction === '' ? whole : `${whole}.${fraction}`);
        const accept = wantsString ? 'application/json; decimals=string' : 'application/json';
        const body = `{"name":"x","price":${asString ? `"${sent}"` : sent}}`;
        const { status, text } = await sendJson(api, 'POST', '/v1/notes', body, { accept });
        const expected = wantsString ? `"${canonical(parts)}"` : canonical(parts);
        expect([status, text]).toEqual([
          201,
          `{"success":true,"data":{"id":"n1","name":"x","price":${expected}}}`,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('may have trailing zeros beyond 18 places as a number, because its value needs none', async () => {
    const { status, text } = await sendJson(
      api,
      'POST',
      '/v1/notes',
      '{"name":"x","price":0.1000000000000000000000}',
    );
    expect([status, text]).toEqual([201, '{"success":true,"data":{"id":"n1","name":"x","price":0.1}}']);
  });

  it('is absent if it is optional and null', async () => {
    const { status, text } = await sendJson(api, 'POST', '/v1/notes', '{"name":"x","price":null}');
    expect([status, text]).toEqual([201, '{"success":true,"data":{"id":"n1","name":"x"}}']);
  });

  it('may have an exponent', async () => {
    const shift = fc.integer({ min: 0, max: 8 });
    await fc.assert(
      fc.asyncProperty(decimal, shift, fc.constantFrom('e', 'E'), async (parts, places, e) => {
        const { sign, whole, fraction } = parts;
        fc.pre(fraction.length + places <= 18 && whole.length > places);
        const point = whole.length - places;
        const mantissa = `${sign}${whole.slice(0, point)}.${whole.slice(point)}${fraction}0`;
        const sent = `${mantissa}${e}${places % 2 === 0 ? '+' : ''}${places}`;
        const { text } = await sendJson(api, 'POST', '/v1/notes', `{"name":"x","price":${sent}}`);
        expect(text).toContain(`"price":${canonical(parts)}}`);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['0.1234567890123456789', 'too_many_decimals'],
    ['1e-19', 'too_many_decimals'],
    ['123456789012345678901', 'too_many_digits'],
    ['1e20', 'too_many_digits'],
    ['1e400', 'too_many_digits'],
    ['1e99999', 'not_a_decimal'],
    ['"NaN"', 'not_a_decimal'],
    ['"Infinity"', 'not_a_decimal'],
    ['"0x10"', 'not_a_decimal'],
    ['"1e5"', 'not_a_decimal'],
    ['"+1"', 'not_a_decimal'],
    ['"01"', 'not_a_decimal'],
    ['"-00.5"', 'not_a_decimal'],
    ['".5"', 'not_a_decimal'],
    ['"1."', 'not_a_decimal'],
    ['""', 'not_a_decimal'],
    ['" 1"', 'not_a_decimal'],
    ['"1\\n"', 'not_a_decimal'],
    ['"0.1000000000000000000"', 'too_many_decimals'],
    ['"123456789012345678901.5"', 'too_many_digits'],
    ['true', 'invalid'],
  ])('sent as %s is rejected, not rounded', async (sent, code) => {
    const { status, json } = await sendJson(api, 'POST', '/v1/notes', `{"name":"x","price":${sent}}`);
    expect([status, json.error?.code]).toEqual([422, 'validation_failed']);
    expect(json.error?.details).toEqual([{ field: 'price', code, message: expect.any(String) }]);
  });
});
