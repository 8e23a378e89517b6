import { jwksUriIn } from './discovery.js';

const ISSUER = 'https://accounts.example.com';
const KEYS = 'https://keys.example.net/keys?v=3';

describe('a discovery document', () => {
  it('names the URL of the keys, which may be on another host', () => {
    expect(jwksUriIn({ issuer: ISSUER, jwks_uri: KEYS, more: 1 }, ISSUER)?.href).toBe(KEYS);
  });

  it('of an issuer with an http URL may name an http URL of the keys', () => {
    const issuer = 'http://127.0.0.1:4000';
    expect(jwksUriIn({ issuer, jwks_uri: `${issuer}/jwks` }, issuer)?.port).toBe('4000');
  });

  it.each([
    ['of another issuer', { issuer: 'https://accounts.example.com.evil.com', jwks_uri: KEYS }],
    ['of the issuer with a slash', { issuer: `${ISSUER}/`, jwks_uri: KEYS }],
    ['with an http URL of the keys', { issuer: ISSUER, jwks_uri: 'http://keys.example.net/keys' }],
    ['with a file URL of the keys', { issuer: ISSUER, jwks_uri: 'file:///keys' }],
    ['without a URL of the keys', { issuer: ISSUER }],
    ['that is not an object', 'issuer'],
  ])('%s is not trusted', (_what, document) => {
    expect(jwksUriIn(document, ISSUER)).toBeNull();
  });
});
