import { recordText } from './event-record.rules';

describe('the description of an event', () => {
  it('names the record and its state', () => {
    expect(recordText({ id: 'trd_1', symbol: 'BTC/USDT', status: 'PARTIALLY_FILLED' })).toBe(
      'BTC/USDT, partially filled',
    );
    expect(recordText({ name: 'bot' })).toBe('bot');
    expect(recordText({ id: 'wdr_1', amount: '85', currency: 'SVC-TEST', status: 'PENDING' })).toBe(
      '85 SVC-TEST, pending',
    );
  });

  it('is empty for a record without a name', () => {
    expect(recordText({ id: 'x', name: 7 })).toBe('');
  });
});
