import { readableLine } from './log-lines.mjs';

const now = new Date('2026-01-02T03:04:05.678Z');

describe('a readable log line', () => {
  it('shows time, service, level, message and fields of a JSON line', () => {
    const line = JSON.stringify({
      level: 'warn',
      service: 'x',
      time: 'y',
      msg: 'slow',
      took_ms: 12,
      to: 'here',
    });
    expect(readableLine('rest-api', line, { colour: false, now })).toBe(
      '03:04:05.678 rest-api           warn  slow took_ms=12 to=here',
    );
  });

  it('shows a line unchanged if it is not JSON or not an object', () => {
    expect(readableLine('rest-api', 'oh no', { colour: false, now })).toBe(
      '03:04:05.678 rest-api           info  oh no',
    );
    expect(readableLine('rest-api', '[1]', { colour: false, now })).toBe(
      '03:04:05.678 rest-api           info  [1]',
    );
  });
});
