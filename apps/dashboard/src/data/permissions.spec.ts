import { includesPermission, permissionWords } from './permissions';

describe('includesPermission', () => {
  it('knows what a permission includes', () => {
    expect(includesPermission(['ADMIN'], 'WITHDRAW')).toBe(true);
    expect(includesPermission(['TRADE'], 'READ')).toBe(true);
    expect(includesPermission(['TRADE'], 'WITHDRAW')).toBe(false);
    expect(includesPermission([], 'READ')).toBe(false);
  });
});

describe('permissionWords', () => {
  it('says what a credential may do', () => {
    expect(permissionWords(['ADMIN'])).toBe('all permissions');
    expect(permissionWords(['READ', 'TRADE'])).toBe('the permissions Read, Trade');
    expect(permissionWords(['READ'])).toBe('the permission Read');
  });
});
