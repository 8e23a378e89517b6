import { stoppedByUser } from './stopped-copiers.rules';

const paused = (stopped_at: string, status_reason: 'USER' | 'DRAWDOWN' = 'USER') => ({
  status: 'PAUSED' as const,
  status_reason,
  started_at: '2026-03-01T08:00:00.000Z',
  stopped_at,
});
const [early, late] = ['2026-03-01T10:00:00.000Z', '2026-03-01T12:00:00.000Z'] as const;

describe('stoppedByUser', () => {
  it('counts the copiers that the user paused, with the last time', () => {
    expect(stoppedByUser([paused(late), paused(early), paused(late, 'DRAWDOWN')])).toEqual({
      count: 2,
      at: late,
    });
  });

  it.each(['ACTIVE', 'CLOSE_ONLY'] as const)('is undefined while a copier is %s', (status) => {
    expect(stoppedByUser([paused(early), { ...paused(late), status }])).toBeUndefined();
  });

  it('is undefined without a copier that the user stopped', () => {
    expect(stoppedByUser([])).toBeUndefined();
    expect(stoppedByUser([paused(early, 'DRAWDOWN')])).toBeUndefined();
    expect(stoppedByUser([{ status: 'PAUSED' }])).toBeUndefined();
  });
});
