import type { RawData, WebSocket } from 'ws';

/** Beyond this much unsent, in bytes, the reader is too slow and is cut: it must connect again and read anew. */
export const MAX_UNSENT_BYTES = 1_048_576;

/** One connected client. */
export class Peer {
  private missedPongs = 0;

  constructor(
    private readonly socket: WebSocket,
    /** The client's address, whose request weight it spends. */
    readonly address: string,
  ) {
    socket.on('pong', () => {
      this.missedPongs = 0;
    });
    // A frame that breaks the protocol ends the connection; there is nobody else to tell.
    socket.on('error', () => socket.terminate());
  }

  /** Sends, or cuts a reader that is too slow. Text is sent as it is. */
  send(message: object | string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    if (this.socket.bufferedAmount > MAX_UNSENT_BYTES) this.socket.terminate();
  }

  onMessage(listener: (message: unknown) => void): void {
    this.socket.on('message', (data) => listener(parse(data)));
  }

  onClose(listener: () => void): void {
    this.socket.once('close', listener);
  }

  /** Pings; a client that has answered none of the last `allowed` is cut. */
  ping(allowed: number): void {
    if (this.missedPongs >= allowed) this.socket.terminate();
    else {
      this.missedPongs += 1;
      this.socket.ping();
    }
  }

  cut(): void {
    this.socket.terminate();
  }
}

/** What isn't JSON is undefined: the receiver refuses it as any other malformed request. */
function parse(data: RawData): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
