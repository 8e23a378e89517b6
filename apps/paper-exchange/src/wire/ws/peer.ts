import type { RawData, WebSocket } from 'ws';

/** The maximum number of unsent bytes of a client. A client above it is disconnected and must resync. */
export const MAX_UNSENT_BYTES = 1_048_576;

/** One connected client. */
export class Peer {
  private missedPongs = 0;

  constructor(
    private readonly socket: WebSocket,
    /** The client's address, to which the request weight is charged. */
    readonly address: string,
  ) {
    socket.on('pong', () => {
      this.missedPongs = 0;
    });
    // A frame that violates the protocol ends the connection.
    socket.on('error', () => socket.terminate());
  }

  /** Sends a message, objects as JSON. Disconnects a client that has too many unsent bytes. */
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

  /** Sends a ping, or disconnects a client that has answered none of the last `missedPongsMax` pings. */
  ping(missedPongsMax: number): void {
    if (this.missedPongs >= missedPongsMax) this.socket.terminate();
    else {
      this.missedPongs += 1;
      this.socket.ping();
    }
  }

  /** Drops the connection without a close frame. */
  cut(): void {
    this.socket.terminate();
  }
}

/** Parses JSON. Returns undefined if it is invalid; the listener rejects undefined like any malformed request. */
function parse(data: RawData): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
