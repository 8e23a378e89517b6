import type { EmergencyStop } from '@trading-automation/sdk';

/** The orders that the stop has not cancelled yet. Those that close positions are open, too, and are to be filled. */
export const stillOpenOf = ({
  still_open,
  closing,
}: Pick<EmergencyStop<'string'>, 'still_open' | 'closing'>) =>
  still_open.filter(({ id }) => !closing.some((order) => order.id === id));
