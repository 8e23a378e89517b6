import type { Client } from '@trading-automation/sdk';
import { Realtime, type WebSocketClass } from '@trading-automation/sdk/realtime';
import { WebSocket } from 'ws';
import type { Context } from '../context.js';
import { AuthRequired } from '../failures.js';

/** Returns a client for GraphQL, which accepts only signed requests. @throws {AuthRequired} without a key pair */
export async function signedClient(context: Context): Promise<Client<'string'>> {
  const client = await context.client();
  if ((await context.signer()) === undefined)
    throw new AuthRequired(
      'This command uses GraphQL, which needs a key pair and does not accept API keys.',
      'Link a key pair to the same account: svc auth login',
    );
  return client;
}

/** Opens a connection for live data, runs the work with it, and closes it. */
export async function withRealtime<T>(
  context: Context,
  work: (realtime: Realtime<'string'>, client: Client<'string'>) => Promise<T>,
): Promise<T> {
  const client = await signedClient(context);
  const realtime = new Realtime(client, { webSocketImpl: WebSocket as unknown as WebSocketClass });
  try {
    return await work(realtime, client);
  } finally {
    await realtime.close();
  }
}
