import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OPERATIONS } from '@trading-automation/contracts';
import { compileExamples, namesUsed, publicMembers } from './sdk-examples.mjs';
import { startExampleEnvironment } from './sdk-examples-environment.mjs';

const members = publicMembers();
const examples = members.filter(({ example }) => example !== undefined);
const packed = /** @type {string} */ (process.env.TEST_PACKED_SDK);

const routes = OPERATIONS.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  parameters: path.split(':').length,
})).sort((one, other) => one.parameters - other.parameters);

/** Returns the id of the operation that a request calls, by its method and path. */
function operationOf(/** @type {string} */ request) {
  const [method, path = ''] = request.split(' ');
  return routes.find((route) => route.method === method && route.pattern.test(path))?.id;
}

/** Places trades until `work` ends, because examples of streams wait for an event. */
async function whileTrading(
  /** @type {import('./sdk-examples-environment.mjs').ExampleEnvironment} */ environment,
  work,
) {
  let isOver = false;
  const trading = (async () => {
    while (!isOver) await environment.filledTrade();
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await trading;
  }
}

/** Starts a receiver that stores the raw body and headers of the first webhook. */
async function startReceiver() {
  /** @type {(received: { payload: Buffer, headers: import('node:http').IncomingHttpHeaders }) => void} */
  let resolveReceived = () => {};
  const received = new Promise((resolve) => {
    resolveReceived = resolve;
  });
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    resolveReceived({ payload: Buffer.concat(chunks), headers: request.headers });
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/hook`, received, stop: () => server.close() };
}

describe('the SDK', () => {
  /** @type {import('./sdk-examples-environment.mjs').ExampleEnvironment} */
  let environment;
  /** @type {Awaited<ReturnType<typeof compileExamples>>} */
  let compiled;
  /** @type {string} */
  let folder;
  /** @type {(() => unknown)[]} */
  const cleanup = [];

  beforeAll(async () => {
    expect(packed).not.toBe('');
    folder = mkdtempSync(join(packed, 'examples-'));
    cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
    compiled = await compileExamples(folder, examples);
    // One after another, because Jest fails if two concurrent imports need the same module.
    const sdk = {};
    for (const file of ['sdk.mjs', 'sdk-signer.mjs', 'sdk-testing.mjs', 'sdk-realtime.mjs'])
      Object.assign(sdk, await import(pathToFileURL(join(packed, file)).href));
    const started = await startExampleEnvironment(sdk);
    cleanup.push(started.stop);
    environment = started.environment;
    Object.assign(process.env, {
      EXAMPLE_REST_URL: environment.product.restUrl,
      EXAMPLE_RECEIVER_URL: environment.receiverUrl,
      SVC_API_KEY: environment.apiKey,
      SVC_PRIVATE_KEY: Buffer.from(/** @type {Uint8Array} */ (environment.privateKey)).toString('hex'),
      SVC_WEBHOOK_SECRET: environment.secret,
    });
  }, 180_000);

  afterAll(async () => {
    for (const step of cleanup.reverse()) await step();
  }, 60_000);

  it('has an example of every public method and function', () => {
    const withoutExample = members.filter(({ isClass, example }) => !isClass && example === undefined);
    expect(withoutExample.map(({ name }) => name)).toEqual([]);
  });

  it('has an example of every operation', () => {
    const shown = new Set(examples.map(({ operation }) => operation));
    expect(OPERATIONS.filter(({ id }) => !shown.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('has examples that compile in strict mode against the published types', () => {
    expect(compiled.errors).toBe('');
  });

  it.each(examples.map((member) => [member.name, member]))(
    'has a working example of %s',
    async (name, member) => {
      const example = /** @type {string} */ (member.example);
      const values = {};
      for (const used of namesUsed(example)) values[used] = await environment.valueOf(used, name);
      await environment.prepare(example);
      const { default: run } = await import(pathToFileURL(compiled.pathOf(member)).href);
      const isLive = /\bstream\(|\blive\./.test(example);
      const returned = await (isLive ? whileTrading(environment, () => run(values)) : run(values));
      // A function that an example exports receives webhooks.
      if (returned !== undefined)
        expect((await returned(await environment.valueOf('request', name))).status).toBe(204);
      if (member.operation !== undefined)
        expect(environment.requests.map(operationOf)).toContain(member.operation);
    },
  );

  it('verifies the raw webhooks that the product sends, with constructEvent alone and through a client', async () => {
    const receiver = await startReceiver();
    try {
      // Every webhook receives the test event. The subscribed event type does not occur here, so nothing else arrives.
      const { id, secret } = await environment.client.webhooks.create({
        url: receiver.url,
        events: ['withdrawal.cancelled'],
      });
      const delivery = await environment.client.webhooks.test(id);
      const { payload, headers } = await receiver.received;
      const { constructEvent } = await import(pathToFileURL(join(packed, 'sdk-webhooks.mjs')).href);
      const event = constructEvent(payload, headers, secret);
      expect(event).toMatchObject({ type: 'webhook.test', event_id: delivery.event_id, data: { id } });
      expect(await environment.client.webhooks.constructEvent(payload, headers, secret)).toEqual(event);
      expect(() => constructEvent(payload, headers, environment.secret)).toThrow('No signature matches');
    } finally {
      receiver.stop();
    }
  });
});
