import { DomainError, PERMISSIONS } from '@trading-automation/contracts';
import fc from 'fast-check';
import { isAddressAllowed, isRangeWithin } from './address-allowlist.rules.js';
import {
  assertUnlimited,
  type CredentialRights,
  childRights,
  type RequestedRights,
} from './child-rights.rules.js';

const at = (iso: string) => new Date(iso);
const UNLIMITED: CredentialRights = { permissions: ['ADMIN'], expiresAt: null, ipAllowlist: [] };
const LIMITED: CredentialRights = {
  permissions: ['ADMIN'],
  expiresAt: at('2030-01-01T00:00:00Z'),
  ipAllowlist: ['203.0.113.0/24', '2001:db8::/48'],
};
const refusal = (parent: CredentialRights, requested: RequestedRights) => {
  try {
    childRights(parent, requested);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.code, ...error.details.map(({ field, code }) => `${field ?? ''} ${code}`)];
  }
};

describe('the rights of a child', () => {
  it('are those of the parent where none are requested', () => {
    const requested: RequestedRights = { permissions: ['READ'] };
    expect(refusal(LIMITED, requested)).toEqual([]);
    expect(childRights(LIMITED, requested)).toEqual({ ...LIMITED, permissions: ['READ'] });
  });

  it('may be any, if the parent has all permissions and no limit', () => {
    const requested = {
      permissions: PERMISSIONS,
      expiresAt: at('2099-01-01T00:00:00Z'),
      ipAllowlist: ['::/0'],
    };
    expect(childRights(UNLIMITED, requested)).toEqual(requested);
  });

  it('contain no permission that the parent lacks', () => {
    const parent = { ...UNLIMITED, permissions: ['TRADE'] as const };
    expect(refusal(parent, { permissions: ['READ', 'TRADE'] })).toEqual([]);
    expect(refusal(parent, { permissions: ['WITHDRAW', 'ADMIN'] })).toEqual([
      'permission_denied',
      ' permission_needed',
      ' permission_needed',
    ]);
  });

  it('end at the latest when those of the parent end', () => {
    const expiring = (expiresAt: Date | null) => refusal(LIMITED, { permissions: ['READ'], expiresAt });
    expect(expiring(at('2030-01-01T00:00:00.000Z'))).toEqual([]);
    expect(expiring(at('2030-01-01T00:00:00.001Z'))).toEqual([
      'permission_denied',
      'expires_at beyond_parent',
    ]);
    expect(expiring(null)).toEqual(['permission_denied', 'expires_at beyond_parent']);
  });

  it('are refused with one detail for each right beyond those of the parent', () => {
    const requested: RequestedRights = { permissions: ['READ'], expiresAt: null, ipAllowlist: [] };
    expect(refusal(LIMITED, requested)).toEqual([
      'permission_denied',
      'expires_at beyond_parent',
      'ip_allowlist beyond_parent',
    ]);
  });

  it('are refused with the right that the parent lacks', () => {
    const thrownBy = (parent: CredentialRights, requested: RequestedRights) => {
      try {
        childRights(parent, requested);
      } catch (error) {
        return error instanceof DomainError ? { message: error.message, details: error.details } : error;
      }
      return undefined;
    };
    const limits =
      'A credential cannot create or rotate one that expires later or is allowed from more addresses. Use a credential without these limits.';
    expect(thrownBy({ ...UNLIMITED, permissions: ['READ'] }, { permissions: ['TRADE'] })).toEqual({
      message: new DomainError('permission_denied').message,
      details: [
        { code: 'permission_needed', message: 'This needs the permission TRADE.', permission: 'TRADE' },
      ],
    });
    expect(
      thrownBy({ ...LIMITED, permissions: ['READ'] }, { permissions: ['TRADE'], expiresAt: null }),
    ).toMatchObject({
      message: new DomainError('permission_denied').message,
      details: [{ code: 'permission_needed' }, { field: 'expires_at' }],
    });
    const expiry = (got: string) => ({
      field: 'expires_at',
      code: 'beyond_parent',
      message: `The credential of this request expires at 2030-01-01T00:00:00.000Z; one that it creates must expire then or earlier, got ${got}.`,
      limit: '2030-01-01T00:00:00.000Z',
    });
    const permissions = ['READ'] as const;
    expect(thrownBy(LIMITED, { permissions, expiresAt: at('2031-01-01T00:00:00Z') })).toEqual({
      message: limits,
      details: [expiry('2031-01-01T00:00:00.000Z')],
    });
    expect(thrownBy(LIMITED, { permissions, expiresAt: null })).toEqual({
      message: limits,
      details: [expiry('no expiry')],
    });
    const addresses = (got: string) => ({
      field: 'ip_allowlist',
      code: 'beyond_parent',
      message: `The credential of this request is limited to 203.0.113.0/24, 2001:db8::/48; one that it creates must be limited to these addresses, got ${got}.`,
      limit: ['203.0.113.0/24', '2001:db8::/48'],
    });
    expect(thrownBy(LIMITED, { permissions, ipAllowlist: [] })).toEqual({
      message: limits,
      details: [addresses('every address')],
    });
    const ipAllowlist = ['198.51.100.1', '203.0.113.7', '10.0.0.0/8'];
    expect(thrownBy(LIMITED, { permissions, ipAllowlist })).toEqual({
      message: limits,
      details: [addresses('198.51.100.1, 10.0.0.0/8')],
    });
  });

  it('contain each permission once, and any addresses or expiry that the parent does not limit', () => {
    const requested = {
      permissions: ['READ', 'READ'] as const,
      expiresAt: LIMITED.expiresAt,
      ipAllowlist: ['203.0.113.9', '203.0.113.10'],
    };
    expect(childRights(UNLIMITED, requested)).toEqual({ ...requested, permissions: ['READ'] });
    expect(childRights({ ...UNLIMITED, ipAllowlist: ['203.0.113.0/24', '10.0.0.0/8'] }, requested)).toEqual({
      ...requested,
      permissions: ['READ'],
    });
  });

  it('without any limit need a parent without any limit', () => {
    expect(() => assertUnlimited(UNLIMITED)).not.toThrow();
    for (const limit of [{ expiresAt: LIMITED.expiresAt }, { ipAllowlist: ['203.0.113.9'] }])
      expect(() => assertUnlimited({ ...UNLIMITED, ...limit })).toThrow(DomainError);
    const withoutAdmin = { ...UNLIMITED, permissions: ['READ', 'TRADE', 'WITHDRAW'] as const };
    expect(() => assertUnlimited(withoutAdmin)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ permission: 'ADMIN' })] }),
    );
  });
});

describe('a range', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.0/24'],
    ['203.0.113.128/25', '203.0.113.0/24'],
    ['203.0.113.0/24', '203.0.113.77/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['203.0.113.9', '::ffff:203.0.113.0/120'],
    ['2001:db8:0:0::1', '2001:DB8::/32'],
    ['2001:db8::/48', '2001:db8::/48'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['203.0.113.9/32', '203.0.113.9'],
    ['10.0.0.0/8', '::ffff:0:0/96'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%s lies within %s', (inner, outer) => {
    expect(isRangeWithin(inner, outer)).toBe(true);
  });

  it.each([
    ['203.0.113.0/24', '203.0.113.0/25'],
    ['203.0.112.0/23', '203.0.113.0/24'],
    ['203.0.112.255', '203.0.113.0/24'],
    ['203.0.114.0', '203.0.113.0/24'],
    ['0.0.0.0/0', '203.0.113.0/24'],
    ['203.0.113.9', '::/0'],
    ['::/0', '0.0.0.0/0'],
    ['::ffff:0:0/95', '0.0.0.0/0'],
    ['2001:db8:1::/48', '2001:db8::/48'],
    ['2001:db8::2', '2001:db8::1'],
    ['2001:db8::/127', '2001:db8::1'],
    ['10.0.0.0/8', '::ffff:0:0/95'],
  ])('%s does not lie within %s', (inner, outer) => {
    expect(isRangeWithin(inner, outer)).toBe(false);
  });

  it('within another one allows no address that the other one rejects', () => {
    const octet = fc.integer({ min: 0, max: 3 });
    const v4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
    const v6 = fc.tuple(octet, octet).map(([a, b]) => `2001:db8:${a}::${b}`);
    const range = fc.oneof(
      v4,
      v6,
      v4.map((address) => `::ffff:${address}`),
      fc.tuple(v4, fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
      fc.tuple(v6, fc.integer({ min: 0, max: 128 })).map(([address, bits]) => `${address}/${bits}`),
      fc.tuple(v4, fc.integer({ min: 90, max: 128 })).map(([address, bits]) => `::ffff:${address}/${bits}`),
    );
    fc.assert(
      fc.property(range, range, fc.oneof(v4, v6), (inner, outer, address) => {
        if (isRangeWithin(inner, outer) && isAddressAllowed([inner], address))
          expect(isAddressAllowed([outer], address)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
