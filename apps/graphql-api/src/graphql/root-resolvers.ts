/**
 * Resolves the root fields of operations by their use cases. A method of a resolver class replaces the use case of
 * its field.
 */
import type { ModuleRef } from '@nestjs/core';
import type { UseCase } from '@trading-automation/core';
import { ROOT_FIELDS, type RootField } from '../schema/root-fields.js';
import type { RootResolver } from './operation.js';
import { OperationField } from './operation-field.js';

/** Resolvers by type and field. */
type Resolvers = Record<string, Record<string, RootResolver>>;

/**
 * Returns the resolvers of the root fields that have no handwritten resolver.
 *
 * @throws {Error} if the operation of a root field has neither a use case nor a handwritten resolver
 */
export function missingRootResolvers(
  handwritten: readonly object[],
  useCases: readonly UseCase[],
  container: Pick<ModuleRef, 'get'>,
  fields: readonly RootField[] = ROOT_FIELDS,
): Resolvers {
  const useCaseOf = new Map(useCases.map((useCase) => [useCase.operation.id, useCase]));
  const missing = fields.filter(
    ({ type, name }) => !handwritten.some((resolvers) => name in ((resolvers as Resolvers)[type] ?? {})),
  );
  const unresolved = missing.filter(({ operation }) => !useCaseOf.has(operation.id));
  if (unresolved.length > 0)
    throw new Error(
      `${unresolved.map(({ operation }) => operation.id).join(', ')}: no use-case and no resolver. ` +
        'List the feature in packages/core/src/api/use-cases.ts, or write a resolver method.',
    );
  const resolvers: Resolvers = {};
  for (const field of missing) {
    const { service, invoke } = useCaseOf.get(field.operation.id)!;
    const instance = container.get<object>(service, { strict: false });
    resolvers[field.type] ??= {};
    resolvers[field.type]![field.name] = resolverOf(field, (call) => invoke(instance, call));
  }
  return resolvers;
}

function resolverOf({ operation, params }: RootField, invoke: (call: unknown) => unknown): RootResolver {
  const field = new OperationField(operation, { params });
  return (_root, args, context, info) => field.resolve({ invoke, args, context, info });
}
