import type { EmergencyStop } from '@trading-automation/sdk';
import { stillOpenOf } from './still-open.rules';

const orders = (...ids: string[]) => ids.map((id) => ({ id })) as EmergencyStop<'string'>['closing'];

it('an order that closes a position is not one whose cancellation is awaited', () => {
  const open = stillOpenOf({ still_open: orders('resting', 'close'), closing: orders('close', 'filled') });
  expect(open.map(({ id }) => id)).toEqual(['resting']);
});
