import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import type { Operation } from '@trading-automation/contracts';
import type { UseCase } from '@trading-automation/core';
import { BoundOperation } from './operation.js';

/** The operations to serve, and their use cases. A controller method can replace a use case. */
export class ServedOperations {
  constructor(
    readonly operations: readonly Operation[],
    readonly useCases: readonly UseCase[],
  ) {}
}

/** Finds the handler of each operation: its use case, or the controller method that replaces the use case. */
@Injectable()
export class BoundOperations {
  constructor(
    private readonly served: ServedOperations,
    private readonly discovery: DiscoveryService,
    private readonly container: ModuleRef,
  ) {}

  /** @throws {Error} if an operation has no handler or several, or if a handler belongs to no operation of this API */
  all(): readonly BoundOperation[] {
    const methods = this.controllerMethods();
    const replaced = new Set(methods.map(({ operation }) => operation.id));
    const bound = [...methods, ...this.useCases().filter(({ operation }) => !replaced.has(operation.id))];
    assertComplete(
      this.served.operations.map(({ id }) => id),
      bound.map(({ operation }) => operation.id),
    );
    return bound;
  }

  private useCases(): BoundOperation[] {
    return this.served.useCases.map((useCase) =>
      BoundOperation.ofUseCase(useCase, this.container.get<object>(useCase.service, { strict: false })),
    );
  }

  private controllerMethods(): BoundOperation[] {
    const scanner = new MetadataScanner();
    return this.discovery
      .getControllers()
      .flatMap(({ instance }) =>
        scanner
          .getAllMethodNames(Object.getPrototypeOf(instance))
          .flatMap((name) => BoundOperation.of(instance, name) ?? []),
      );
  }
}

/** Throws unless every operation has exactly one handler and every handler belongs to an operation. */
function assertComplete(ids: readonly string[], handledIds: readonly string[]): void {
  const problems = [
    ...ids
      .filter((id) => !handledIds.includes(id))
      .map((id) => `${id} has no controller method and no use case`),
    ...[...new Set(handledIds)]
      .filter((id) => handledIds.indexOf(id) !== handledIds.lastIndexOf(id))
      .map((id) => `${id} has several use cases or controller methods`),
    ...handledIds.filter((id) => !ids.includes(id)).map((id) => `${id} is not an operation of this API`),
  ];
  if (problems.length > 0) throw new Error(`The handlers do not match the contract: ${problems.join('; ')}`);
}
