/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { EVENT_TYPES, type EventType, notification } from '@trading-automation/contracts';
import fc from 'fast-check';
import { type EventData, notificationContentOf } from './notification.rules.js';

const trade = { id: 'trd_1', side: 'BUY', amount: '0.10', symbol: 'BTC/USDT', filled_amount: '0.05' };

/** Event types that create no notification. */
const TYPES_WITHOUT_NOTIFICATION: readonly EventType[] = [
  'trade.created',
  'trade.partially_filled',
  'copier.started',
  'position.opened',
  'position.changed',
  'exchange.synced',
  'funding.paid',
  'reward.claimed',
  'webhook.test',
];

describe('notificationContentOf', () => {
  it('returns a notification for every event type except the listed ones', () => {
    for (const kind of EVENT_TYPES) {
      expect(notificationContentOf(kind, { id: 'x_1' }) === null ? [kind] : []).toEqual(
        TYPES_WITHOUT_NOTIFICATION.includes(kind) ? [kind] : [],
      );
    }
  });

  it('returns a valid notification or null for any record, and never throws', () => {
    const fields = [
      'name',
      'url',
      'side',
      'amount',
      'symbol',
      'code',
      'failure',
      'open_lots',
      'cancel_reason',
    ];
    const data = fc.dictionary(
      fc.constantFrom('id', 'pubkey', 'status_reason', '__proto__', ...fields),
      fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('a\u0000b')),
    );
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), data, (kind, record) => {
        const content = notificationContentOf(kind, record as EventData);
        if (content === null) return;
        expect(typeof record.id).toBe('string');
        const { severity, title, body, resource, resourceId } = content;
        const schema = notification.omit({ id: true, created_at: true });
        const item = { kind, severity, title, body, data: { resource, id: resourceId }, is_read: false };
        expect(schema.parse(item)).toEqual(item);
        expect(title).not.toBe('');
        expect(body).not.toBe('');
        // Postgres rejects U+0000 in strings.
        expect(JSON.stringify(content)).not.toContain('\\u0000');
      }),
    );
  });

  it('rule 23: reports a new trade only if it was found by comparison with the exchange', () => {
    const bodyOf = (origin: string) => notificationContentOf('trade.created', { ...trade, origin })?.body;
    expect(bodyOf('EXTERNAL')).toBe(
      'Trade BUY 0.10 BTC/USDT was found at the exchange; it was not placed through this platform.',
    );
    expect(bodyOf('RECONCILIATION')).toMatch(/the exchange holds another amount/);
    for (const origin of ['API', 'STRATEGY', 'COPIER', 'toString']) expect(bodyOf(origin)).toBeUndefined();
  });

  it('omits fields that the record lacks', () => {
    for (const kind of EVENT_TYPES) {
      const { title, body } = notificationContentOf(kind, { id: 'x_1' }) ?? { title: '', body: '' };
      expect(`${title} ${body}`).not.toMatch(/undefined|null|object|NaN|[“”]| {2}|\(\)/);
    }
  });

  it('returns null for an unknown type', () => {
    expect(notificationContentOf('trade.exploded' as EventType, { id: 'trd_1' })).toBeNull();
    expect(notificationContentOf('constructor' as EventType, { id: 'trd_1' })).toBeNull();
  });

  it.each([
    [
      'trade.filled',
      { ...trade, average_price: '30000.5' },
      'INFO',
      'Trade BUY 0.10 BTC/USDT is filled at 30000.5.',
    ],
    [
      'trade.closed',
      { ...trade, realized_pnl: '-3' },
      'INFO',
      'Trade BUY 0.10 BTC/USDT is closed; realized result: -3.',
    ],
    [
      'trade.failed',
      { ...trade, failure: { message: 'Too small.' } },
      'WARNING',
      'Trade BUY 0.10 BTC/USDT failed: Too small.',
    ],
    [
      'trade.cancelled',
      { ...trade, cancel_reason: 'EXCHANGE' },
      'WARNING',
      'Trade BUY 0.10 BTC/USDT was cancelled by the exchange; filled: 0.05.',
    ],
    [
      'copier.stopped',
      { id: 'cpr_1', name: 'C', status_reason: 'DAILY_LOSS', open_lots: [{}, {}] },
      'WARNING',
      'Copier “C” was stopped (DAILY_LOSS). Open lots left unmanaged: 2.',
    ],
    [
      'copier.stopped',
      { id: 'cpr_1', name: 'C', status_reason: 'USER' },
      'INFO',
      'Copier “C” was stopped (USER).',
    ],
    [
      'exchange.credentials_rejected',
      { id: 'exa_1', account_name: 'Main' },
      'CRITICAL',
      'Account “Main” cannot trade until you enter valid credentials.',
    ],
    [
      'exchange.permissions_changed',
      { id: 'exa_1', account_name: 'Main', is_active: true, can_trade: false, can_withdraw: false },
      'WARNING',
      'Account “Main”: the rights of its credentials changed. They cannot trade: allow them to trade at the exchange, or replace them.',
    ],
    [
      'exchange.permissions_changed',
      { id: 'exa_1', account_name: 'Main', is_active: true, can_trade: false, can_withdraw: true },
      'CRITICAL',
      'Account “Main”: the rights of its credentials changed. They cannot trade: allow them to trade at the exchange, or replace them. They may withdraw: replace them by ones that cannot.',
    ],
    [
      'exchange.permissions_changed',
      { id: 'exa_1', account_name: 'Main', is_active: true, can_trade: true, can_withdraw: null },
      'CRITICAL',
      'Account “Main”: the rights of its credentials changed. The exchange does not report whether they may withdraw.',
    ],
    [
      'exchange.permissions_changed',
      { id: 'exa_1', account_name: 'Main', is_active: false, can_trade: true, can_withdraw: false },
      'CRITICAL',
      'Account “Main”: the exchange now reports a kind or mode of account that cannot be traded here. Switch it at the exchange.',
    ],
    [
      'trade_pair.deactivated',
      { id: 'tpr_1', symbol: 'BTC/USDT', exchange: 'paper', inactive_reason: 'PAUSED' },
      'WARNING',
      'Orders on BTC/USDT at paper are refused: the exchange paused the pair. It is traded again as soon as the exchange resumes it.',
    ],
    [
      'trade_pair.deactivated',
      { id: 'tpr_1', symbol: 'BTC/USDT', exchange: 'paper', inactive_reason: 'DELISTED' },
      'WARNING',
      'Orders on BTC/USDT at paper are refused: the exchange no longer lists the pair. Its lots stay listed.',
    ],
    [
      'trade_pair.deactivated',
      { id: 'tpr_1', symbol: 'BTC/USDT', inactive_reason: 'REPLACED', replaced_by: 'tpr_2' },
      'WARNING',
      'Orders on BTC/USDT are refused: the exchange lists another pair under its symbol, tpr_2. Lots of the old pair stay listed. Strategies that name the old pair must name the new one.',
    ],
    [
      'trade_pair.deactivated',
      { id: 'tpr_1', inactive_reason: 'MOVED' },
      'WARNING',
      'Orders on a pair are refused: the exchange does not trade the pair. Its lots stay listed.',
    ],
    [
      'position.margin_call',
      { id: 'pos_1', side: 'LONG', symbol: 'BTC/USDT:USDT', margin_ratio: '1.2' },
      'CRITICAL',
      'Position LONG BTC/USDT:USDT is close to liquidation: the margin balance ÷ the maintenance margin is 1.2. Add margin or reduce the position.',
    ],
    [
      'position.liquidated',
      { id: 'pos_1', side: 'SHORT', symbol: 'BTC/USDT:USDT' },
      'CRITICAL',
      'Position SHORT BTC/USDT:USDT was liquidated by the exchange, in whole or in part.',
    ],
    [
      'position.closed',
      { id: 'pos_1', side: 'LONG', symbol: 'BTC/USDT:USDT', realized_pnl: '-3.5' },
      'INFO',
      'Position LONG BTC/USDT:USDT is closed; realized result: -3.5.',
    ],
    [
      'webhook.deactivated',
      { id: 'whk_1', url: 'https://example.com/in', consecutive_failures: '10' },
      'WARNING',
      'No more events are sent to https://example.com/in: 10 attempts in a row failed. Once its receiver responds, set is_active to true and retry its dead letters.',
    ],
    [
      'withdrawal.failed',
      { id: 'wdr_1', amount: '5', failure: { message: 'No gas' } },
      'WARNING',
      'The withdrawal of 5 failed: No gas; the amount was returned to your balance.',
    ],
  ] as const)('describes %s: %j', (kind, data, severity, body) => {
    expect(notificationContentOf(kind, data)).toMatchObject({ severity, body, resourceId: data.id });
  });

  it('does not report a cancellation by the user', () => {
    expect(notificationContentOf('trade.cancelled', { ...trade, cancel_reason: 'USER' })).toBeNull();
  });

  it('distinguishes API keys from public keys', () => {
    expect(notificationContentOf('key.revoked', { id: 'key_1', name: 'bot' })).toMatchObject({
      resource: 'api_key',
    });
    expect(notificationContentOf('key.revoked', { id: 'pbk_1', pubkey: '02ab' })).toMatchObject({
      resource: 'public_key',
    });
  });
});
