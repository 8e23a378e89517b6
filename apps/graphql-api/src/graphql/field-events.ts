/**
 * The events of a subscription's field, as the root that they are executed on. One payload has one root, however many
 * subscribers it goes to: what is executed on it is then the same for all of them.
 */
import type { z } from 'zod';
import { mapped } from './event-source.js';
import { compileShape, type Shape } from './records.js';

export class FieldEvents {
  private readonly shape: Shape;
  private readonly roots = new WeakMap<object, object>();

  constructor(
    private readonly field: string,
    payload: z.ZodType,
  ) {
    this.shape = compileShape(payload);
  }

  /** A refusal to open the source is given back, as fields do. */
  async from(open: () => Promise<AsyncIterator<object>>): Promise<AsyncIterableIterator<object> | Error> {
    try {
      return mapped(await open(), (payload) => this.rootOf(payload));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private rootOf(payload: object): object {
    let root = this.roots.get(payload);
    if (root === undefined) {
      root = { [this.field]: this.shape(payload) };
      this.roots.set(payload, root);
    }
    return root;
  }
}
