import { readRecordings } from '../../../conformance/scripted/recordings.js';
import { prepareGate } from './client.js';

const recordings = readRecordings(new URL('dialect/recordings.json', import.meta.url));

describe('the amount step of a contract of Gate', () => {
  const [recorded] = recordings.answers.get(
    'PerpetualFutures/ExchangeData/GetContracts',
  ) as readonly object[];
  const stepOf = (changes: object) => {
    const client = {
      exceptions: { exact: {} },
      sign: () => ({}),
      parseOHLCV: () => [],
      fetchTicker: async () => ({}),
      parseContractMarket: (_contract: unknown, _settle: string) => ({
        precision: { amount: '1', price: '0.1' },
      }),
    };
    prepareGate(client);
    return client.parseContractMarket({ ...recorded, ...changes }, 'usdt').precision;
  };

  it.each([
    ['the smallest size of a contract with decimal sizes', {}, '0.1'],
    ['a finer one', { order_size_min: '0.05' }, '0.05'],
    ['one contract, if sizes are whole', { enable_decimal: false }, '1'],
    ['one contract, if it is not stated', { enable_decimal: undefined }, '1'],
    // Without the header, the exchange truncates the smallest size.
    ['one contract, if the smallest size is truncated', { order_size_min: '0' }, '1'],
    ['one contract, if the smallest size is larger', { order_size_min: '1' }, '1'],
  ])('is %s', (_, changes, step) => {
    expect(stepOf(changes)).toEqual({ amount: step, price: '0.1' });
  });
});
