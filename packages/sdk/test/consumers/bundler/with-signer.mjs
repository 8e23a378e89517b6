import * as sdk from '@trading-automation/sdk';
import * as signer from '@trading-automation/sdk/signer';
import * as testing from '@trading-automation/sdk/testing';
import * as webhooks from '@trading-automation/sdk/webhooks';
import { runScenario } from '../scenario.mjs';

console.log(
  JSON.stringify(await runScenario({ sdk, signer, testing, webhooks }, JSON.parse(process.env.SETTINGS))),
);
