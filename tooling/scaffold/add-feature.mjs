import { assertName, camelCase, pascalCase, singularOf, wordsOf } from './names.mjs';
import { NewFile, SourceFile } from './source-file.mjs';

/**
 * Writes the skeleton of a feature with one operation, `overview`: contract, folder of core with a failing spec, place in
 * FEATURE_ORDER with a fixture of its rule, description of its tag in the API reference, SDK resource and changeset.
 *
 * @param {string} workspace
 * @param {string} name the plural in kebab-case, such as `price-alerts`
 * @returns {readonly string[]} the written files
 */
export function addFeature(workspace, name) {
  assertName(name, /^[a-z]+(-[a-z]+)*$/);
  const feature = deriveNames(name);
  const texts = {
    ...contractFiles(feature),
    ...coreFiles(feature),
    ...clientFiles(feature),
    ...ruleFixture(feature),
  };
  const files = Object.entries(texts).map(([path, text]) => new NewFile(workspace, path, text));
  return [...files, ...listFeature(workspace, feature)].map((file) => file.save());
}

/** @param {string} name */
function deriveNames(name) {
  const resource = camelCase(name);
  return {
    name,
    resource,
    words: wordsOf(name),
    schema: `${resource}Overview`,
    type: `${pascalCase(name)}Overview`,
    tag: tagOf(name),
    operations: `${singularOf(resource)}Operations`,
    className: pascalCase(name),
  };
}

/**
 * Returns the tag of the feature in the API reference, as `apps/rest-api/src/reference/tags.ts` derives it: `Price alerts`.
 *
 * @param {string} name
 */
function tagOf(name) {
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @typedef {ReturnType<typeof deriveNames>} Feature */

/** @param {Feature} feature @returns {Record<string, string>} */
function contractFiles({ name, operations, resource, schema, type, words }) {
  return {
    [`packages/contracts/src/${name}.ts`]: `import { z } from 'zod';
import { defineOperation } from './operation.js';

export const ${schema} = z
  .object({ result: z.string().describe('The result of the operation.') })
  .meta({ id: '${type}' });
export type ${type} = z.output<typeof ${schema}>;

export const ${operations} = {
  overview: defineOperation({
    id: '${resource}.overview',
    method: 'GET',
    path: '/v1/${name}/overview',
    summary: 'Returns an overview of your ${words}.',
    access: 'READ',
    response: ${schema},
    status: 200,
    errors: [],
  }),
} as const;
`,
  };
}

/** @param {Feature} feature @returns {Record<string, string>} */
function coreFiles({ name, className, operations, type, words }) {
  const folder = `packages/core/src/${name}`;
  return {
    [`${folder}/index.ts`]: `export { ${className}Module } from './${name}.module.js';
export { ${className}Service } from './${name}.service.js';
`,
    [`${folder}/${name}.module.ts`]: `import { Module } from '@nestjs/common';
import { ${className}Service } from './${name}.service.js';

@Module({
  providers: [{ provide: ${className}Service, useFactory: () => new ${className}Service() }],
  exports: [${className}Service],
})
export class ${className}Module {}
`,
    [`${folder}/${name}.service.ts`]: `import { ${operations}, type ${type} } from '@trading-automation/contracts';
import { type Actor, authorise } from '../operations/index.js';

export class ${className}Service {
  /** Returns an overview of the caller's ${words}. */
  async overview(actor: Actor): Promise<${type}> {
    authorise(actor, ${operations}.overview.access);
    return { result: '' };
  }
}
`,
    [`${folder}/${name}.service.spec.ts`]: `import { PERMISSIONS } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import { ${className}Service } from './${name}.service.js';

const actor: Actor = {
  userId: '019a0000-0000-7000-8000-000000000001',
  credential: { kind: 'session', id: '019a0000-0000-7000-8000-000000000002', permissions: PERMISSIONS },
};

it("returns an overview of the caller's ${words}", async () => {
  // Replace the expectation with the guarantee of the operation.
  expect(await new ${className}Service().overview(actor)).toEqual({ result: '${words}' });
});
`,
  };
}

/** @param {Feature} feature @returns {Record<string, string>} */
function clientFiles({ name, className, resource, type, words }) {
  return {
    [`packages/sdk/src/resources/${name}.ts`]: `import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { ${type} } from '../generated/records.js';

/** Your ${words}. */
export class ${className}<D extends DecimalForm> extends Resource<D> {
  /**
   * Returns an overview of your ${words}.
   *
   * @example
   * const { result } = await client.${resource}.overview();
   */
  overview(options?: RequestOptions): ApiPromise<${type}> {
    return this.operations.call('${resource}.overview', {}, options);
  }
}
`,
    [`.changeset/${name}.md`]: `---
"@trading-automation/sdk": minor
"@trading-automation/cli": minor
---

\`client.${resource}\` and \`svc ${name} overview\`: an overview of your ${words}.
`,
  };
}

/**
 * Returns the fixture that violates the feature's rule in FEATURE_ORDER: without it, a test of the boundaries fails.
 *
 * @param {Feature} feature
 * @returns {Record<string, string>}
 */
function ruleFixture({ name }) {
  const folder = `tooling/boundaries/fixtures/feature-order-of-${name}/packages/core/src`;
  return {
    [`${folder}/${name}/file.ts`]: "import '../settings/index.js';\n",
    [`${folder}/settings/index.ts`]: 'export const here = true;\n',
  };
}

/** Adds the feature to the lists of features. @param {string} workspace @param {Feature} feature */
function listFeature(workspace, { name, className, operations, resource, tag, words }) {
  const open = (/** @type {string} */ path) => new SourceFile(workspace, path);
  const index = open('packages/contracts/src/index.ts');
  index.insert(index.source.length, `export * from './${name}.js';\n`);

  const contracts = open('packages/contracts/src/operations.ts');
  const groups = contracts.constant('OPERATIONS').callee.object;
  contracts.addImport(`./${name}.js`, [operations]).append(groups, operations);

  const order = open('.dependency-cruiser.cjs');
  order.append(order.constant('FEATURE_ORDER'), `  '${name}': [...BASIS, 'access']`);

  const modules = open('packages/core/src/api/api-features.ts');
  const list = modules.program.body
    .map(({ declaration }) => declaration?.body?.body?.at(-1)?.argument)
    .find(
      (/** @type {import('./source-file.mjs').Node | undefined} */ node) => node?.type === 'ArrayExpression',
    );
  modules.addImport(`../${name}/index.js`, [`${className}Module`]).append(list, `${className}Module`);

  const useCases = open('packages/core/src/api/use-cases.ts');
  useCases
    .addImport('@trading-automation/contracts', [operations])
    .addImport(`../${name}/index.js`, [`${className}Service`])
    .append(useCases.constant('USE_CASES'), `...useCasesOf(${operations}, ${className}Service)`);

  const tags = open('apps/rest-api/src/reference/tags.ts');
  tags.append(tags.constant('DESCRIPTIONS'), `'${tag}': 'Your ${words}.'`);

  const client = open('packages/sdk/src/client.ts');
  const members = client.class(({ id }) => id.name === 'Client').body.body;
  const body = members.find(
    (/** @type {import('./source-file.mjs').Node} */ { kind }) => kind === 'constructor',
  );
  client
    .addImport(`./resources/${name}.js`, [className])
    .insert(members[0].start, `readonly ${resource}: ${className}<D>;\n  `)
    .insert(body.value.body.end - 1, `  this.${resource} = new ${className}(operations);\n  `);
  return [index, contracts, order, modules, useCases, tags, client];
}
