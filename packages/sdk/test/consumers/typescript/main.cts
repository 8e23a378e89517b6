import sdk = require('@trading-automation/sdk');
import realtime = require('@trading-automation/sdk/realtime');
import signers = require('@trading-automation/sdk/signer');
import testing = require('@trading-automation/sdk/testing');
import webhooks = require('@trading-automation/sdk/webhooks');

const client = new sdk.Client({
  baseURL: 'http://127.0.0.1:4000',
  signer: signers.createSigner(signers.generatePrivateKey()),
});

async function amounts(): Promise<number[]> {
  return (await client.trades.list().toArray({ limit: 10 })).map(({ amount }) => amount);
}

export = { amounts, entries: { realtime, testing, webhooks } };
