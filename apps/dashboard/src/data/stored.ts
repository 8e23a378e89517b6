/** A value that views follow with `useSyncExternalStore`, without a context that changes. */
export class Stored<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get = (): T => this.value;

  change = (change: (now: T) => T): void => {
    this.value = change(this.value);
    for (const listener of this.listeners) listener();
  };

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };
}
