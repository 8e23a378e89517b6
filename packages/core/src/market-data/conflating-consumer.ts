/**
 * Hands messages to one consumer, one at a time. While it is at work on one (its promise is not settled) nothing is
 * queued for it: it is behind, and gets the present state next. One that throws is told of, and gets nothing more.
 */
export class ConflatingConsumer<Message> {
  private isBusy = false;
  private isBehind = true;
  private isClosed = false;

  constructor(
    private readonly take: (message: Message) => void | Promise<void>,
    /** The present state as one message; undefined while there is none. */
    private readonly currentSnapshot: () => Message | undefined,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** `message` follows the one offered before; whoever is behind gets the present state in its place. */
  offer(message: Message): void {
    if (this.isClosed) return;
    if (this.isBusy) {
      this.isBehind = true;
      return;
    }
    const next = this.isBehind ? this.currentSnapshot() : message;
    if (next !== undefined) this.deliver(next);
  }

  close(): void {
    this.isClosed = true;
  }

  private deliver(message: Message): void {
    this.isBehind = false;
    try {
      const working = this.take(message);
      if (working === undefined) return;
      this.isBusy = true;
      working.then(() => this.goOn(), this.fail);
    } catch (error) {
      this.fail(error);
    }
  }

  private goOn(): void {
    this.isBusy = false;
    if (this.isClosed || !this.isBehind) return;
    const present = this.currentSnapshot();
    if (present !== undefined) this.deliver(present);
  }

  private readonly fail = (error: unknown): void => {
    this.close();
    this.onFailure(error);
  };
}
