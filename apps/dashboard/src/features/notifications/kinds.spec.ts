import { EVENT_TYPES, MAILED_BY_DEFAULT, MANDATORY_NOTIFICATIONS } from '@trading-automation/contracts';
import { DEFAULTS, KINDS, kindName } from './kinds';

const SILENT = [
  'trade.partially_filled',
  'copier.started',
  'position.opened',
  'position.changed',
  'exchange.synced',
  'funding.paid',
  'reward.claimed',
  'webhook.test',
];

describe('KINDS', () => {
  it('has every event type that notifies', () => {
    const types = KINDS.map(({ type }) => type).sort();
    expect(types).toEqual(EVENT_TYPES.filter((type) => !SILENT.includes(type)).sort());
  });

  it('has a name for each', () => {
    expect(kindName('trade.filled')).toBe('Trade filled');
    expect(kindName('trade.teleported')).toBeUndefined();
  });
});

describe('DEFAULTS', () => {
  it('are those of the contracts', () => {
    expect(DEFAULTS).toEqual({ mandatory: MANDATORY_NOTIFICATIONS, mailed: MAILED_BY_DEFAULT });
  });
});
