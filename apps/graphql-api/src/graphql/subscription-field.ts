/**
 * Converts the events of a subscription field to root values. All subscribers get the same root value for an event, so
 * that subscribers with equal requests can share the result of one execution.
 */
import type { z } from 'zod';
import { mapAsyncIterator } from './map-async-iterator.js';
import { type Converter, compileOutputConverter } from './value-converters.js';

export class SubscriptionField {
  private readonly convert: Converter;
  private readonly roots = new WeakMap<object, object>();

  constructor(
    private readonly field: string,
    payload: z.ZodType,
  ) {
    this.convert = compileOutputConverter(payload);
  }

  /** Opens the event source. If that fails, returns the error instead of throwing it, as operation fields do. */
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
      root = { [this.field]: this.convert(payload) };
      this.roots.set(payload, root);
    }
    return root;
  }
}
