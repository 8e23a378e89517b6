import * as sdk from '@trading-automation/sdk';
import * as realtime from '@trading-automation/sdk/realtime';
import * as signer from '@trading-automation/sdk/signer';
import * as testing from '@trading-automation/sdk/testing';
import * as webhooks from '@trading-automation/sdk/webhooks';
import { listen, runScenario } from '../scenario.mjs';

const settings = JSON.parse(process.env.SETTINGS);
const results = await runScenario({ sdk, signer, testing, webhooks }, settings);
console.log(JSON.stringify({ ...results, received: await listen({ sdk, realtime, signer }, settings) }));
