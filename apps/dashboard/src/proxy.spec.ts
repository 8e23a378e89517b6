import { NextRequest } from 'next/server';
import { provideSampleRuntime, SAMPLE_ORIGIN } from './process/runtime.sample';
import { config, proxy } from './proxy';

beforeEach(() => provideSampleRuntime());

const headersOf = (path = '/trades', headers: Record<string, string> = {}) =>
  proxy(new NextRequest(SAMPLE_ORIGIN + path, { headers })).headers;
/** The directives of the policy by name. */
function directives(headers = headersOf()): Record<string, readonly string[]> {
  const policy = headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values];
    }),
  );
}

describe('the Content-Security-Policy of a page', () => {
  it('allows scripts with its nonce only, which is new for every page', () => {
    const nonces = [1, 2].map(() => directives()['script-src']?.find((value) => value.startsWith("'nonce-")));
    expect(nonces[0]).toMatch(/^'nonce-[A-Za-z0-9+/]{22}=='$/);
    expect(nonces[0]).not.toBe(nonces[1]);
    const others = directives()['script-src']?.filter((value) => !value.startsWith("'nonce-"));
    expect(others).toEqual(["'self'", "'strict-dynamic'"]);
  });

  it('has no place to which data can be sent or from which code can be loaded', () => {
    expect(directives()).toMatchObject({
      'default-src': ["'self'"],
      'connect-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      'font-src': ["'self'"],
      'worker-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    });
    const styles = directives()['style-src']?.filter((value) => !/^'(?:nonce|sha256)-/.test(value));
    expect(styles).toEqual(["'self'"]);
  });

  it('reaches the server code with its nonce, whatever a client sends', () => {
    const headers = headersOf('/trades?x=1', { 'x-nonce': 'chosen', 'x-page': '//attacker.example' });
    const sent = (name: string) => headers.get(`x-middleware-request-${name}`);
    expect(directives(headers)['script-src']).toContain(`'nonce-${sent('x-nonce')}'`);
    expect(sent('content-security-policy')).toBe(headers.get('content-security-policy'));
    expect(sent('x-page')).toBe('/trades?x=1');
  });
});

describe('the other headers of a page', () => {
  it('prevent frames, guessed types, and addresses of pages at other sites', () => {
    expect(Object.fromEntries(headersOf())).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('keep the browser on TLS if the dashboard has TLS', () => {
    expect(headersOf().get('strict-transport-security')).toBeNull();
    provideSampleRuntime({ PUBLIC_URL: 'https://dashboard.example.com' });
    expect(headersOf().get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains');
  });
});

describe('the paths without these headers', () => {
  const hasHeaders = (path: string) =>
    config.matcher.some((pattern) => new RegExp(`^${pattern}$`).test(path));

  it.each(['/_next/static/chunks/a.js', '/icon.svg'])('%s is a file', (path) => {
    expect(hasHeaders(path)).toBe(false);
  });

  it.each([
    '/',
    '/trades',
    '/sign-in',
    '/api/v1/me',
    '/icon.svg/x',
    '/icon.svgx',
    '/_next/imagex',
    '/no-such',
  ])('%s has them', (path) => {
    expect(hasHeaders(path)).toBe(true);
  });
});
