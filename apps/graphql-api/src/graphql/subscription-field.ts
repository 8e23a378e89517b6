/**
 * The events of a subscription's field, as the root that they are executed on. One payload has one root, however many
 * subscribers it goes to: what is executed on it is then the same for all of them.
 */
import type { z } from 'zod';
import { mapAsyncIterator } from './map-async-iterator.js';
import { type Converter, compileOutputConverter } from './value-converters.js';

export class SubscriptionField {
  private readonly shape: Converter;
  private readonly roots = new WeakMap<object, object>();

  constructor(
    private readonly field: string,
    payload: z.ZodType,
  ) {
    this.shape = compileOutputConverter(payload);
  }

  /** A refusal to open the source is given back, as fields do. */
  async subscribe(
    open: () => Promise<AsyncIterator<object>>,
  ): Promise<AsyncIterableIterator<object> | Error> {
    try {
      return mapAsyncIterator(await open(), (payload) => this.rootValueOf(payload));
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private rootValueOf(payload: object): object {
    let root = this.roots.get(payload);
    if (root === undefined) {
      root = { [this.field]: this.shape(payload) };
      this.roots.set(payload, root);
    }
    return root;
  }
}
