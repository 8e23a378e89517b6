import { apiPathOf } from './api-path';

const ORIGIN = 'http://127.0.0.1:3000';

describe('the path of the API', () => {
  it.each([
    ['/api/v1/me', '/v1/me'],
    ['/api/v1/trades?limit=2&status=FILLED', '/v1/trades?limit=2&status=FILLED'],
    ['/api/v1/settings/a.b', '/v1/settings/a.b'],
    ['/api/v1/events/x%3Cscript%3E', '/v1/events/x%3Cscript%3E'],
    ['/api/v1/x/../me', '/v1/me'],
    ['/api/v1/events?type=a%2Fb', '/v1/events?type=a%2Fb'],
  ])('of %s is %s', (path, expected) => {
    expect(apiPathOf(ORIGIN + path)).toBe(expected);
  });

  it.each([
    '/api/v1',
    '/api/v1/../healthz',
    '/api/v1/%2e%2e/openapi.json',
    '/api/v1/.%2E/openapi.json',
    '/api/v1/..%2fmetrics',
    '/api/v1/..%2F..%2Fmetrics',
    '/api/v1/..%5cmetrics',
    '/api/v1/..\\..\\metrics',
    // The API would be reached at another host, such as api.example.compi.
    '/%61pi/v1/me',
    '/a%70i/v1/me',
    '/ap%69/v1/me',
    '/API/v1/me',
    '/api/v2/me',
    '/api/openapi.json',
  ])('of %s does not exist', (path) => {
    expect(apiPathOf(ORIGIN + path)).toBeUndefined();
  });
});
