import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { decodeId, encodeId, ID_PREFIXES, type IdPrefix, idOf } from './ids.js';

const prefixes = Object.keys(ID_PREFIXES) as IdPrefix[];

describe('ids', () => {
  it('equal the TypeIDs of the public typeid-js library for the same UUIDs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.uuid({ version: 7 }), (prefix, uuid) => {
        const theirs = TypeID.fromUUID(prefix, uuid).toString();
        expect(encodeId(prefix, uuid)).toBe(theirs);
        expect(decodeId(prefix, theirs)).toBe(uuid);
        expect(idOf(prefix).safeParse(theirs).success).toBe(true);
      }),
    );
  });

  it('are the same for an upper-case UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(encodeId('trd', uuid.toUpperCase())).toBe(encodeId('trd', uuid));
      }),
    );
  });

  it.each([
    ['a digit short', '0190a6f2-7c3a-7b1e-8f00-123456789ab'],
    ['a digit long', '0190a6f2-7c3a-7b1e-8f00-123456789abcd'],
    ['with another letter', '0190a6f2-7c3a-7b1e-8f00-123456789abg'],
    ['with a letter beyond ASCII', '0190a6f2-7c3a-7b1e-8f00-123456789abé'],
    ['empty', ''],
  ])('reject a UUID that is %s', (_case, uuid) => {
    expect(() => encodeId('trd', uuid)).toThrow(TypeError);
  });

  it('sort like their UUIDs', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(encodeId('trd', a) < encodeId('trd', b)).toBe(a < b);
      }),
    );
  });

  it('are decoded for any UUID version: an unknown id is not malformed', () => {
    expect(decodeId('trd', 'trd_7zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  });

  it.each([
    ['another prefix', 'key_01h455vb4pex5vsknk084sn02q'],
    ['no prefix', '01h455vb4pex5vsknk084sn02q'],
    ['25 characters', 'trd_01h455vb4pex5vsknk084sn02'],
    ['27 characters', 'trd_01h455vb4pex5vsknk084sn02qq'],
    ['upper case', 'trd_01H455VB4PEX5VSKNK084SN02Q'],
    ['a letter outside the alphabet', 'trd_01h455vb4pex5vsknk084sn02u'],
    ['more than 128 bits', 'trd_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['nothing', ''],
  ])('with %s are malformed', (_case, text) => {
    expect(decodeId('trd', text)).toBeNull();
  });
});
