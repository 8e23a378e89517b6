/**
 * `@DeprecatedMutation(…)`: this resolver method is a mutation that goes with v2.0, and has the field's name.
 *
 * Each use is counted, by name and day and nothing else, so that the end can be planned; each takes from the bucket of
 * identity writes. A refusal is given back and not thrown, as operations do.
 */
import { Mutation } from '@nestjs/graphql';
import { DomainError, type Permission } from '@trading-automation/contracts';
import { type Actor, authorise } from '@trading-automation/core';

import type { RequestContext } from './context.js';

/** Deprecated mutations that may be called without credentials. */
export const PUBLIC_MUTATIONS = new Set<string>();

export interface DeprecatedCall<Arguments> {
  readonly args: Arguments;
  /** Null where there are no credentials, and none are needed. */
  readonly actor: Actor | null;
}

/** @param access what the caller's credential has to permit; `PUBLIC` where none is needed */
export function DeprecatedMutation(access: Permission | 'PUBLIC') {
  return (target: object, name: string, descriptor: PropertyDescriptor): void => {
    if (access === 'PUBLIC') PUBLIC_MUTATIONS.add(name);
    const method: (call: DeprecatedCall<unknown>) => unknown = descriptor.value;
    descriptor.value = async function (
      this: object,
      _root: unknown,
      args: unknown,
      context: RequestContext,
    ): Promise<unknown> {
      try {
        context.recordDeprecatedUse(name);
        await authorize(context, access);
        return await method.call(this, { args, actor: context.actor });
      } catch (error) {
        return error;
      }
    };
    Mutation()(target, name, descriptor);
  };
}

async function authorize({ actor, limitsOf }: RequestContext, access: Permission | 'PUBLIC'): Promise<void> {
  const limits = limitsOf('identity_writes');
  await (actor === null ? limits.takeByAddress() : limits.takeByCredential(actor.credential.id));
  if (access === 'PUBLIC') return;
  if (actor === null) throw new DomainError('authentication_required');
  authorise(actor, access);
}

/** The caller of a mutation that asks for one. */
export function requireActor({ actor }: DeprecatedCall<unknown>): Actor {
  if (actor === null) throw new DomainError('authentication_required');
  return actor;
}
