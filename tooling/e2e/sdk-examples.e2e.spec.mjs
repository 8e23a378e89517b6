import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OPERATIONS } from '@trading-automation/contracts';
import { compileExamples, namesUsed, publicMembers } from './sdk-examples.mjs';
import { startWorld } from './sdk-examples-world.mjs';

const members = publicMembers();
const examples = members.filter(({ example }) => example !== undefined);
const packed = /** @type {string} */ (process.env.TEST_PACKED_SDK);

const routes = OPERATIONS.map(({ id, method, path }) => ({
  id,
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  parameters: path.split(':').length,
})).sort((one, other) => one.parameters - other.parameters);

/** The operation of a request, by its method and path. */
function operationOf(/** @type {string} */ asked) {
  const [method, path = ''] = asked.split(' ');
  return routes.find((route) => route.method === method && route.pattern.test(path))?.id;
}

/** Live examples wait for something to happen: trades are made until they have seen it. */
async function whileTrading(/** @type {import('./sdk-examples-world.mjs').World} */ world, work) {
  let isOver = false;
  const trading = (async () => {
    while (!isOver) await world.filledTrade();
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await trading;
  }
}

/** A receiver that keeps the first webhook as it came. */
async function startListening() {
  /** @type {(received: { payload: Buffer, headers: import('node:http').IncomingHttpHeaders }) => void} */
  let keep = () => {};
  const received = new Promise((resolve) => {
    keep = resolve;
  });
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    keep({ payload: Buffer.concat(chunks), headers: request.headers });
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/hook`, received, stop: () => server.close() };
}

describe('the SDK, against the product', () => {
  /** @type {import('./sdk-examples-world.mjs').World} */
  let world;
  /** @type {Awaited<ReturnType<typeof compileExamples>>} */
  let compiled;
  /** @type {string} */
  let folder;
  /** @type {(() => unknown)[]} */
  const undo = [];

  beforeAll(async () => {
    expect(packed).not.toBe('');
    folder = mkdtempSync(join(packed, 'examples-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    compiled = await compileExamples(folder, examples);
    // One after the other: the test runner trips over a module that two imports need at once.
    const sdk = {};
    for (const file of ['sdk.mjs', 'sdk-signer.mjs', 'sdk-testing.mjs', 'sdk-realtime.mjs'])
      Object.assign(sdk, await import(pathToFileURL(join(packed, file)).href));
    const started = await startWorld(sdk);
    undo.push(started.stop);
    world = started.world;
    Object.assign(process.env, {
      EXAMPLE_REST_URL: world.product.restUrl,
      EXAMPLE_RECEIVER_URL: world.receiverUrl,
      SVC_API_KEY: world.apiKey,
      SVC_PRIVATE_KEY: Buffer.from(/** @type {Uint8Array} */ (world.privateKey)).toString('hex'),
      SVC_WEBHOOK_SECRET: world.secret,
    });
  }, 180_000);

  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  }, 60_000);

  it('has an example of every public method and function', () => {
    const without = members.filter(({ isClass, example }) => !isClass && example === undefined);
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('has an example of every operation', () => {
    const shown = new Set(examples.map(({ operation }) => operation));
    expect(OPERATIONS.filter(({ id }) => !shown.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('has examples that are right by the published types, compiled strictly', () => {
    expect(compiled.said).toBe('');
  });

  it.each(examples.map((member) => [member.name, member]))('runs its example of %s', async (name, member) => {
    const example = /** @type {string} */ (member.example);
    const given = {};
    for (const used of namesUsed(example)) given[used] = await world.give(used, name);
    await world.prepare(example);
    const { default: run } = await import(pathToFileURL(compiled.pathOf(member)).href);
    const isLive = /\bstream\(|\blive\./.test(example);
    const returned = await (isLive ? whileTrading(world, () => run(given)) : run(given));
    // What an example exports is a receiver of webhooks.
    if (returned !== undefined) expect((await returned(await world.give('request', name))).status).toBe(204);
    if (member.operation !== undefined) expect(world.asked.map(operationOf)).toContain(member.operation);
  });

  it('believes the webhooks that the product sends, as they came, at once and by a client', async () => {
    const receiver = await startListening();
    try {
      const { id, secret } = await world.client.webhooks.create({ url: receiver.url, events: ['*'] });
      const delivery = await world.client.webhooks.test(id);
      const { payload, headers } = await receiver.received;
      const { constructEvent } = await import(pathToFileURL(join(packed, 'sdk-webhooks.mjs')).href);
      const event = constructEvent(payload, headers, secret);
      expect(event).toMatchObject({ type: 'webhook.test', event_id: delivery.event_id, data: { id } });
      expect(await world.client.webhooks.constructEvent(payload, headers, secret)).toEqual(event);
      expect(() => constructEvent(payload, headers, world.secret)).toThrow('No signature matches');
    } finally {
      receiver.stop();
    }
  });
});
