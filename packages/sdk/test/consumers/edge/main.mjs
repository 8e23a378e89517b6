import * as sdk from '@trading-automation/sdk';
import * as signer from '@trading-automation/sdk/signer';
import * as testing from '@trading-automation/sdk/testing';
import * as webhooks from '@trading-automation/sdk/webhooks';
import { runScenario } from '../scenario.mjs';

addEventListener('fetch', (event) => {
  event.respondWith(
    event.request
      .json()
      .then((settings) => runScenario({ sdk, signer, testing, webhooks }, settings))
      .then((results) => Response.json(results)),
  );
});
