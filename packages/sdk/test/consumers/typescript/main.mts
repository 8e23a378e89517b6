import { ApiError, Client, type Trade } from '@trading-automation/sdk';
import * as realtime from '@trading-automation/sdk/realtime';
import { createSigner, generatePrivateKey, type Signer } from '@trading-automation/sdk/signer';
import * as testing from '@trading-automation/sdk/testing';
import { constructEvent } from '@trading-automation/sdk/webhooks';

/** The annotation checks that the type Signer is exported. */
const signer: Signer = createSigner(generatePrivateKey());
const client = new Client({ baseURL: 'http://127.0.0.1:4000', signer, decimals: 'string' });

export async function amounts(): Promise<string[]> {
  const texts: string[] = [];
  for await (const trade of client.trades.list({ status: 'FILLED', limit: 10 })) texts.push(trade.amount);
  return texts;
}

export async function statusOrErrorCode(id: string): Promise<string | undefined> {
  try {
    const trade: Trade<'string'> = await client.trades.get(id);
    return trade.status;
  } catch (error) {
    return error instanceof ApiError ? error.code : undefined;
  }
}

export async function received(request: Request, secret: string): Promise<string> {
  const event = await constructEvent(await request.text(), request.headers, secret);
  return event.type === 'trade.filled' ? event.data.id : event.type;
}

export const entries = { realtime, testing };
