const sdk = require('@trading-automation/sdk');
const realtime = require('@trading-automation/sdk/realtime');
const signer = require('@trading-automation/sdk/signer');
const testing = require('@trading-automation/sdk/testing');
const webhooks = require('@trading-automation/sdk/webhooks');

async function main() {
  const { listen, play } = await import('../play.mjs');
  const settings = JSON.parse(process.env.SETTINGS);
  const told = await play({ sdk, signer, testing, webhooks }, settings);
  console.log(JSON.stringify({ ...told, heard: await listen({ sdk, realtime, signer }, settings) }));
}

main();
