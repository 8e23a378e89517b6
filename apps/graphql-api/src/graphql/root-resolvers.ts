/** Resolves the root fields of operations through their use-cases. A method of a resolver class overrides its field. */
import type { ModuleRef } from '@nestjs/core';
import type { UseCase } from '@trading-automation/core';
import { ROOT_FIELDS, type RootField } from '../schema/root-fields.js';
import type { RootResolver } from './operation.js';
import { OperationField } from './operation-field.js';

/** Resolvers by type and field. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Adds the root fields without a handwritten resolver.
 *
 * @throws {Error} if the operation of a root field has neither a use-case nor a handwritten resolver
 */
export function completeResolvers(
  handwritten: Resolvers,
  useCases: readonly UseCase[],
  container: Pick<ModuleRef, 'get'>,
  fields: readonly RootField[] = ROOT_FIELDS,
): Resolvers {
  const useCaseOf = new Map(useCases.map((useCase) => [useCase.operation.id, useCase]));
  const missing = fields.filter(({ type, name }) => handwritten[type]?.[name] === undefined);
  const strays = missing.filter(({ operation }) => !useCaseOf.has(operation.id));
  if (strays.length > 0)
    throw new Error(
      `${strays.map(({ operation }) => operation.id).join(', ')}: no use-case and no resolver. ` +
        'List the feature in packages/core/src/api/use-cases.ts, or write a resolver method.',
    );
  const resolversOf = (type: RootField['type']) => {
    const generated = missing
      .filter((field) => field.type === type)
      .map((field) => {
        const { service, invoke } = useCaseOf.get(field.operation.id)!;
        const instance = container.get<object>(service, { strict: false });
        return [field.name, resolverOf(field, (call) => invoke(instance, call))] as const;
      });
    return { ...Object.fromEntries(generated), ...handwritten[type] };
  };
  return { ...handwritten, Query: resolversOf('Query'), Mutation: resolversOf('Mutation') };
}

function resolverOf({ operation, params }: RootField, invoke: (call: unknown) => unknown): RootResolver {
  const field = new OperationField(operation, { params });
  return (_root, args, context, info) => field.resolve({ invoke, args, context, info });
}
