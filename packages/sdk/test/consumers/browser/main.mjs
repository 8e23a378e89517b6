import * as sdk from '@trading-automation/sdk';
import * as realtime from '@trading-automation/sdk/realtime.mjs';
import * as signer from '@trading-automation/sdk/signer.mjs';
import * as testing from '@trading-automation/sdk/testing.mjs';
import * as webhooks from '@trading-automation/sdk/webhooks.mjs';
import { listen, runScenario } from '../scenario.mjs';

globalThis.runInPage = async (settings) => ({
  ...(await runScenario({ sdk, signer, testing, webhooks }, settings)),
  received: await listen({ sdk, realtime, signer }, settings),
});
