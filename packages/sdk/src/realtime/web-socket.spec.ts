import { WebSocket as PackageWebSocket } from 'ws';
import { findWebSocket } from './web-socket.js';

const runtime = globalThis as { WebSocket?: unknown };
const runtimeWebSocket = runtime.WebSocket;
afterEach(() => {
  if (runtimeWebSocket === undefined) delete runtime.WebSocket;
  else runtime.WebSocket = runtimeWebSocket;
});

class ConfiguredWebSocket {}

it('findWebSocket returns the configured class, or else that of the runtime, or else that of the package ws', async () => {
  runtime.WebSocket = class {};
  expect(await findWebSocket(ConfiguredWebSocket)).toBe(ConfiguredWebSocket);
  expect(await findWebSocket(undefined)).toBe(runtime.WebSocket);
  delete runtime.WebSocket;
  expect(await findWebSocket(undefined)).toBe(PackageWebSocket);
});
