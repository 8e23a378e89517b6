/**
 * Uses the entries of the SDK as a consumer does: lists trades with an API key, creates a trade in a signed request,
 * catches an error, verifies a webhook and calls the in-memory API. Returns all results in one object.
 */
export async function runScenario({ sdk, signer, testing, webhooks }, { baseURL, apiKey, privateKey }) {
  const clientWithKey = new sdk.Client({ baseURL, apiKey });
  const trades = await clientWithKey.trades.list({ limit: 2 }).toArray({ limit: 10 });

  const clientWithSigner = new sdk.Client({
    baseURL,
    signer: signer.createSigner(privateKey),
    decimals: 'string',
  });
  const placed = await clientWithSigner.trades.create({
    exchange_account_id: 'exa_00000000000000000000000001',
    trade_pair_id: 'pair_00000000000000000000000001',
    type: 'MARKET',
    side: 'BUY',
    amount: '0.010',
  });
  const error = await clientWithSigner.trades.get('trd_none').catch((reason) => reason);

  const secret = `whsec_${btoa('a secret that only this test knows')}`;
  const payload = JSON.stringify({ event_id: 'evt_1', type: 'trade.filled', data: { id: placed.id } });
  const headers = await webhooks.generateTestHeaders({ payload, secret });
  const event = await webhooks.constructEvent(payload, headers, secret);

  const inMemory = testing.createTestClient();
  inMemory.api.answer('trades.get', { status: 'FAILED' });
  const fake = await inMemory.client.trades.get('trd_1');

  return {
    listed: trades.map(({ id }) => Number(id.slice(4))),
    amounts: [trades[0].amount, placed.amount],
    errorCode: error instanceof sdk.NotFoundError && error.code,
    event: event.type,
    fake: inMemory.client instanceof sdk.Client && fake.status,
  };
}

/** Receives two results of a subscription. Needs a runtime with WebSockets, or the package `ws`. */
export async function listen({ sdk, realtime, signer }, { baseURL, privateKey }) {
  const client = new sdk.Client({ baseURL, signer: signer.createSigner(privateKey) });
  const live = new realtime.Realtime(client);
  const received = [];
  for await (const { tick } of live.subscribe('subscription { tick }')) {
    received.push(tick);
    if (received.length === 2) break;
  }
  await live.close();
  return received;
}
