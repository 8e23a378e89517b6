import * as sdk from '@trading-automation/sdk';
import * as realtime from '@trading-automation/sdk/realtime.mjs';
import * as signer from '@trading-automation/sdk/signer.mjs';
import * as testing from '@trading-automation/sdk/testing.mjs';
import * as webhooks from '@trading-automation/sdk/webhooks.mjs';
import { listen, play } from '../play.mjs';

globalThis.played = async (settings) => ({
  ...(await play({ sdk, signer, testing, webhooks }, settings)),
  heard: await listen({ sdk, realtime, signer }, settings),
});
