import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { actorOf, type OwnerApi, openOwnerApi } from './owner-api.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

const OLDEST_FIRST = { limit: 100, sort: 'created_at', order: 'asc', include: [] } as const;

let environment: TestEnvironment;
let receiver: Receiver;
let owner: OwnerApi;
let dispatcher: RunningProcess;
beforeEach(async () => {
  environment = await openTestEnvironment();
  let calls = 0;
  receiver = await openReceiver(
    (_received, response) => void response.writeHead(calls++ === 0 ? 500 : 200).end(),
  );
  owner = await openOwnerApi(environment);
  const settings = { ...environment.settings, RETRY_DELAYS_MS: '20,20,20,20' };
  dispatcher = await startDispatcher(
    readConfig(configSchema, settings),
    createLogger('webhook-dispatcher', 'fatal'),
  );
});
afterEach(async () => {
  await dispatcher.stop();
  await owner.close();
  await receiver.close();
  await environment.close();
});

it('each attempt shows the headers with which it was sent, except the value of the signature', async () => {
  const hook = await environment.addWebhook(receiver.url, { events: ['trade.*'] });
  receiver.verifyWith(hook);
  await environment.emit(hook.userId, 'trade.created');
  const shown = await eventually(async () => {
    const { items } = await owner.webhooks.deliveries(actorOf(hook), hook.publicId, OLDEST_FIRST);
    return items.length === 2 && items.map(({ request_headers }) => request_headers);
  });
  const connectionHeaders = ['host', 'connection', 'content-length'];
  expect(shown).toEqual(
    receiver.received.map(({ headers }) =>
      Object.entries(headers)
        .filter(([name]) => !connectionHeaders.includes(name))
        .map(([name, value]) => ({ name, value: name === 'webhook-signature' ? 'v1,…' : value })),
    ),
  );
  expect(shown[1]).toContainEqual({ name: 'x-svc-attempt', value: '2' });
});
