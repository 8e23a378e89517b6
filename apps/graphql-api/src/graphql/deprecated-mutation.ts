/**
 * `@DeprecatedMutation(…)` declares a resolver method as a mutation that v2.0 removes. The method is named like the
 * field.
 *
 * Uses are counted per mutation and day, so that the removal can be planned. Each use counts toward the rate limit of
 * identity writes. Expected errors are returned instead of thrown, as for operations.
 */
import { Mutation } from '@nestjs/graphql';
import { DomainError, type Permission } from '@trading-automation/contracts';
import { type Actor, authorise } from '@trading-automation/core';

import type { RequestContext } from './context.js';

/** Deprecated mutations that may be called without credentials. */
export const PUBLIC_DEPRECATED_MUTATIONS = new Set<string>();

export interface DeprecatedCall<Arguments> {
  readonly args: Arguments;
  /** Null if the request has no credentials, which only public mutations accept. */
  readonly actor: Actor | null;
  /** The caller's IP address. */
  readonly address: string;
}

/** @param access permission that the caller's credential needs; `PUBLIC` if it needs no credential */
export function DeprecatedMutation(access: Permission | 'PUBLIC') {
  return (target: object, name: string, descriptor: PropertyDescriptor): void => {
    if (access === 'PUBLIC') PUBLIC_DEPRECATED_MUTATIONS.add(name);
    const method: (call: DeprecatedCall<unknown>) => unknown = descriptor.value;
    descriptor.value = async function (
      this: object,
      _root: unknown,
      args: unknown,
      context: RequestContext,
    ): Promise<unknown> {
      try {
        context.recordDeprecatedUse(name);
        await chargeAndAuthorise(context, access);
        return await method.call(this, {
          args,
          actor: context.actor,
          address: context.incoming.address,
        });
      } catch (error) {
        return error;
      }
    };
    Mutation()(target, name, descriptor);
  };
}

async function chargeAndAuthorise(
  { actor, limitsOf }: RequestContext,
  access: Permission | 'PUBLIC',
): Promise<void> {
  const limits = limitsOf('identity_writes');
  await (actor === null ? limits.takeTokensByAddress() : limits.takeTokensByCaller(actor));
  if (access === 'PUBLIC') return;
  if (actor === null) throw new DomainError('authentication_required');
  authorise(actor, access);
}

/**
 * Returns the caller of a mutation that requires one.
 *
 * @throws {DomainError} `authentication_required` if there is no caller
 */
export function requireActor({ actor }: DeprecatedCall<unknown>): Actor {
  if (actor === null) throw new DomainError('authentication_required');
  return actor;
}
