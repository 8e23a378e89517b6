import { OPERATIONS } from '../operations.js';
import { accessSamples } from './access.js';
import { eventSamples, notificationSamples, settingSamples } from './account-data.js';
import { copyingSamples } from './copying.js';
import { exchangeAccountClosingSamples, exchangeAccountSamples } from './exchange-accounts.js';
import { rewardSamples } from './rewards.js';
import type { Sample } from './sample.js';
import { serviceSamples } from './service.js';
import { emergencyStopSamples, tradePairSamples, tradeSamples } from './trades.js';
import { deadLetterSamples, webhookClosingSamples, webhookSamples } from './webhooks.js';
import { withDerivedSamples } from './with-derived.js';

export { exampleOf, SAMPLE_FIXTURES } from './examples.js';
export { exampleId, referenceIn, resolve, type Sample } from './sample.js';

/** Every sample, in an order in which they can run. */
export const SAMPLES: readonly Sample[] = withDerivedSamples(OPERATIONS, [
  ...serviceSamples,
  ...accessSamples,
  ...webhookSamples,
  ...exchangeAccountSamples,
  ...tradePairSamples,
  ...tradeSamples,
  ...copyingSamples,
  ...rewardSamples,
  ...notificationSamples,
  ...settingSamples,
  ...eventSamples,
  ...deadLetterSamples,
  ...emergencyStopSamples,
  ...webhookClosingSamples,
  ...exchangeAccountClosingSamples,
]);
