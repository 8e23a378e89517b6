import { WebSocket as OfPackage } from 'ws';
import { findWebSocket } from './web-socket.js';

const runtime = globalThis as { WebSocket?: unknown };
const own = runtime.WebSocket;
afterEach(() => {
  if (own === undefined) delete runtime.WebSocket;
  else runtime.WebSocket = own;
});

class Given {}

it('the class that is given goes before the runtime’s own, and that before the package', async () => {
  runtime.WebSocket = class {};
  expect(await findWebSocket(Given)).toBe(Given);
  expect(await findWebSocket(undefined)).toBe(runtime.WebSocket);
  delete runtime.WebSocket;
  expect(await findWebSocket(undefined)).toBe(OfPackage);
});
