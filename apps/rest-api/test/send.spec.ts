import { undocumentedDetail } from './send.js';

const errorOf = (code: string, detail: Readonly<Record<string, unknown>>) => ({
  code,
  message: 'a message',
  request_id: 'request',
  details: [{ code: 'a_code', message: 'a message', ...detail }],
});

it.each([
  ['rate_limited', { policy: 'general' }],
  ['permission_denied', { permission: 'ADMIN' }],
  ['permission_denied', { field: 'expires_at', limit: '2026-01-01T00:00:00.000Z' }],
  ['permission_denied', { field: 'ip_allowlist', limit: ['203.0.113.0/24'] }],
  ['validation_failed', { field: 'name' }],
])('the reference describes a detail of %s with %j', (code, detail) => {
  expect(undocumentedDetail(errorOf(code, detail))).toBeUndefined();
});

it.each([
  ['validation_failed', { surprise: 1 }, /surprise/],
  ['rate_limited', { policy: 7 }, /policy/],
  ['internal_error', {}, /have no details/],
])('a test fails if %s has a detail with %j', (code, detail, problem) => {
  expect(undocumentedDetail(errorOf(code, detail))).toMatch(problem);
});
