/** A class of WebSockets: the browser's, that of Node 22 and above, or that of the `ws` package. */
export type WebSocketClass = new (url: string, protocols?: string | string[]) => object;

/** What of a socket is needed beside what the protocol's client does with it. */
interface Raw {
  addEventListener(type: 'error', listen: () => void): void;
  /** Of `ws`: ends it without a goodbye, to which a dead connection never answers. */
  terminate?(): void;
}

/** In this place the name can't be read by a bundler: the package is optional. */
const OPTIONAL_PACKAGE = ['w', 's'].join('');

/** The class that was given, or else the runtime's own, or else that of `ws`. @throws {TypeError} where there is none */
export async function findWebSocket(given: WebSocketClass | undefined): Promise<WebSocketClass> {
  const own = given ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (own !== undefined) return own;
  try {
    const { WebSocket } = await import(/* webpackIgnore: true */ /* @vite-ignore */ OPTIONAL_PACKAGE);
    return WebSocket as WebSocketClass;
  } catch (cause) {
    throw new TypeError('This runtime has no WebSocket: install the package ws, or give webSocketImpl.', {
      cause,
    });
  }
}

/**
 * The same class, each socket of which is told of when it is made. A socket that is given up before it was open fails
 * once more, when nobody listens any more: here somebody does.
 */
export function withSocketObserver(Impl: WebSocketClass, made: (socket: Raw) => void): WebSocketClass {
  return class extends (Impl as new (url: string, protocols?: string | string[]) => Raw) {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('error', () => undefined);
      made(this);
    }
  };
}
