import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { decodeId, encodeId, ID_PREFIXES, type IdPrefix, idOf } from './ids.js';

const prefixes = Object.keys(ID_PREFIXES) as IdPrefix[];

describe('ids', () => {
  it('equal the TypeIDs that the typeid-js library creates for the same UUIDs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.uuid({ version: 7 }), (prefix, uuid) => {
        const expected = TypeID.fromUUID(prefix, uuid).toString();
        expect(encodeId(prefix, uuid)).toBe(expected);
        expect(decodeId(prefix, expected)).toBe(uuid);
        expect(idOf(prefix).safeParse(expected).success).toBe(true);
      }),
    );
  });

  it('do not depend on the case of the UUID', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(encodeId('trd', uuid.toUpperCase())).toBe(encodeId('trd', uuid));
      }),
    );
  });

  it.each([
    ['lacks a digit', '0190a6f2-7c3a-7b1e-8f00-123456789ab'],
    ['has an extra digit', '0190a6f2-7c3a-7b1e-8f00-123456789abcd'],
    ['has a letter that is not hexadecimal', '0190a6f2-7c3a-7b1e-8f00-123456789abg'],
    ['has a letter outside ASCII', '0190a6f2-7c3a-7b1e-8f00-123456789abé'],
    ['is empty', ''],
  ])('are not created from a UUID that %s', (_case, uuid) => {
    expect(() => encodeId('trd', uuid)).toThrow(TypeError);
  });

  it('sort like their UUIDs', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(encodeId('trd', a) < encodeId('trd', b)).toBe(a < b);
      }),
    );
  });

  it('can contain a UUID of any version, even of a version that the product never creates', () => {
    expect(decodeId('trd', 'trd_7zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  });

  it.each([
    ['have another prefix', 'key_01h455vb4pex5vsknk084sn02q'],
    ['have no prefix', '01h455vb4pex5vsknk084sn02q'],
    ['have 25 characters after the prefix', 'trd_01h455vb4pex5vsknk084sn02'],
    ['have 27 characters after the prefix', 'trd_01h455vb4pex5vsknk084sn02qq'],
    ['have upper-case letters', 'trd_01H455VB4PEX5VSKNK084SN02Q'],
    ['contain a letter outside the alphabet', 'trd_01h455vb4pex5vsknk084sn02u'],
    ['encode more than 128 bits', 'trd_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['are empty', ''],
  ])('are malformed if they %s', (_case, text) => {
    expect(decodeId('trd', text)).toBeNull();
  });
});
