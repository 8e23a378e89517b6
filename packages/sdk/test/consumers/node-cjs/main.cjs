const sdk = require('@trading-automation/sdk');
const realtime = require('@trading-automation/sdk/realtime');
const signer = require('@trading-automation/sdk/signer');
const testing = require('@trading-automation/sdk/testing');
const webhooks = require('@trading-automation/sdk/webhooks');

async function main() {
  const { listen, runScenario } = await import('../scenario.mjs');
  const settings = JSON.parse(process.env.SETTINGS);
  const results = await runScenario({ sdk, signer, testing, webhooks }, settings);
  console.log(JSON.stringify({ ...results, received: await listen({ sdk, realtime, signer }, settings) }));
}

main();
