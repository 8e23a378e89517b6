import { EVENT_TYPES, MANDATORY_NOTIFICATIONS } from '@trading-automation/contracts';
import { KINDS } from './kinds';

const SILENT = [
  'trade.partially_filled',
  'copier.started',
  'exchange.synced',
  'reward.claimed',
  'webhook.test',
];

describe('KINDS', () => {
  it('has every event type that notifies', () => {
    expect([...KINDS].sort()).toEqual(EVENT_TYPES.filter((type) => !SILENT.includes(type)).sort());
    for (const type of MANDATORY_NOTIFICATIONS) expect(KINDS).toContain(type);
  });
});
