import { safeReturnPath } from './return-path';

describe('the page after a sign-in', () => {
  it.each([
    ['/', '/'],
    ['/trades', '/trades'],
    ['/trades?status=FILLED&side=BUY', '/trades?status=FILLED&side=BUY'],
    ['/trades#x', '/trades'],
    ['/a/../trades', '/trades'],
  ])('%s is %s', (wanted, path) => {
    expect(safeReturnPath(wanted)).toBe(path);
  });

  it.each([
    undefined,
    ['/trades', '/'],
    '',
    'trades',
    'https://attacker.example/',
    '//attacker.example',
    '/\\attacker.example',
    '/\t/attacker.example',
    '/x/..//attacker.example',
    'javascript:alert(1)',
    '/api/v1/me',
    '/api',
    '/sign-in?return=/trades',
    '/trades/../api/session',
  ])('%p leads to the overview', (wanted) => {
    expect(safeReturnPath(wanted)).toBe('/');
  });
});
