/** A WebSocket class: that of a browser, of Node 22 and above, or of the package `ws`. */
export type WebSocketClass = new (url: string, protocols?: string | string[]) => object;

/** The members of a socket that this package uses in addition to `graphql-ws`. */
interface ObservedSocket {
  addEventListener(type: 'error', listen: () => void): void;
  /** `ws` only: drops the connection without a close handshake, which a dead connection never completes. */
  terminate?(): void;
}

/** Joined at run time, so that bundlers do not look for the package: it is optional. */
const OPTIONAL_PACKAGE = ['w', 's'].join('');

/** Returns the configured class, the runtime's, or that of `ws`. @throws {TypeError} if all are missing */
export async function findWebSocket(configured: WebSocketClass | undefined): Promise<WebSocketClass> {
  const available = configured ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (available !== undefined) return available;
  try {
    const { WebSocket } = await import(/* webpackIgnore: true */ /* @vite-ignore */ OPTIONAL_PACKAGE);
    return WebSocket as WebSocketClass;
  } catch (cause) {
    throw new TypeError('This runtime has no WebSocket. Install the package ws, or set webSocketImpl.', {
      cause,
    });
  }
}

/**
 * Returns a subclass that calls `onCreated` with each new socket. The subclass has its own error listener, because
 * `graphql-ws` no longer handles the error of a socket that is terminated before it has opened.
 */
export function withSocketObserver(
  Impl: WebSocketClass,
  onCreated: (socket: ObservedSocket) => void,
): WebSocketClass {
  return class extends (Impl as new (url: string, protocols?: string | string[]) => ObservedSocket) {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('error', () => undefined);
      onCreated(this);
    }
  };
}
