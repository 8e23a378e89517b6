import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertName, camelCase, kebabCase, pascalCase, singularOf, withArticle, wordsOf } from './names.mjs';
import { NewFile, property, SourceFile } from './source-file.mjs';

/** @typedef {import('./source-file.mjs').Node} Node */

const USE_CASES = 'packages/core/src/api/use-cases.ts';

/**
 * Writes the skeleton of a GET operation: contract, use-case, failing spec, SDK method and changeset.
 *
 * @param {string} workspace
 * @param {string} feature a file of packages/contracts/src without `.ts`, such as `trades`
 * @param {string} name the operation's key in the contract, such as `fills`
 * @returns {readonly string[]} the written files
 */
export function addOperation(workspace, feature, name) {
  assertName(name, /^[a-z][A-Za-z0-9]*$/);
  const contract = new SourceFile(workspace, `packages/contracts/src/${feature}.ts`);
  const group = groupIn(contract);
  const operation = deriveOperation(contract, group, name);
  const service = serviceOf(workspace, group.name, operation);
  const files = [
    extendContract(contract, group, operation),
    extendService(workspace, service, operation, group.name),
    newSpec(workspace, service, operation),
    extendSdk(workspace, operation),
    newChangeset(workspace, operation),
  ];
  return files.map((file) => file.save());
}

/** Returns the constant of a contract file that lists its operations. @param {SourceFile} contract */
function groupIn(contract) {
  const declarator = contract.constants().find(({ id }) => /Operations$/.test(id.name ?? ''));
  if (declarator === undefined) throw new Error(`${contract.path} declares no operations.`);
  return { name: declarator.id.name, literal: contract.constant(declarator.id.name) };
}

/**
 * Derives the names, the route and the summary of an operation from the operations of the same resource.
 *
 * @param {SourceFile} contract
 * @param {{ name: string, literal: Node }} group
 * @param {string} name
 */
function deriveOperation(contract, { name: groupName, literal }, name) {
  if (property(literal, name) !== undefined) throw new Error(`${groupName} already has ${name}.`);
  const siblings = literal.properties.map((/** @type {Node} */ { value }) => value.arguments[0]);
  const textOf = (/** @type {Node} */ sibling, /** @type {string} */ key) => property(sibling, key)?.value;
  const record = siblings.find((/** @type {Node} */ sibling) =>
    /^\/v1\/[\w-]+\/:\w+$/.test(textOf(sibling, 'path')),
  );
  const sibling = record ?? siblings[0];
  const [resource] = textOf(sibling, 'id').split('.');
  const params = record === undefined ? undefined : contract.textOf(property(record, 'params'));
  const base =
    record === undefined ? textOf(sibling, 'path').split('/').slice(0, 3).join('/') : textOf(record, 'path');
  const singular = singularOf(resource);
  const ofRecord = params === undefined ? '' : ` of ${withArticle(wordsOf(singular))}`;
  return {
    name,
    id: `${resource}.${name}`,
    resource,
    params,
    parameter: /:(\w+)$/.exec(base)?.[1],
    path: `${base}/${kebabCase(name)}`,
    summary: `Returns the ${wordsOf(name)}${ofRecord}.`,
    schema: camelCase(`${singular}-${kebabCase(name)}`),
    type: pascalCase(`${singular}-${kebabCase(name)}`),
  };
}

/** @typedef {ReturnType<typeof deriveOperation>} Operation */

/** @param {SourceFile} contract @param {{ literal: Node, name: string }} group @param {Operation} operation */
function extendContract(contract, { literal, name: groupName }, operation) {
  const { id, name, path, params, schema, summary, type } = operation;
  const statement = contract.program.body.find(
    (/** @type {Node} */ node) => node.declaration?.declarations?.[0]?.id.name === groupName,
  );
  return contract
    .insert(
      statement.start,
      `export const ${schema} = z
  .object({ result: z.string().describe('The result of the operation.') })
  .meta({ id: '${type}' });
export type ${type} = z.output<typeof ${schema}>;

`,
    )
    .append(
      literal,
      `${name}: defineOperation({
    id: '${id}',
    method: 'GET',
    path: '${path}',
    summary: '${summary}',
    access: 'READ',
    ${params === undefined ? '' : `params: ${params},`}
    response: ${schema},
    status: 200,
    errors: [${params === undefined ? '' : "'not_found'"}],
  })`,
    );
}

/**
 * Returns the class that has the use-cases of a group, and its file.
 *
 * @param {string} workspace @param {string} group @param {Operation} operation
 */
function serviceOf(workspace, group, { id }) {
  const useCases = new SourceFile(workspace, USE_CASES);
  const rest = useCases
    .constants()
    .find(({ init }) => init.name === group)
    ?.id.properties?.at(-1);
  // If the group is destructured, USE_CASES lists the rest of it: `const { stream, ...events } = eventOperations`.
  const listed = rest?.type === 'RestElement' ? rest.argument.name : group;
  const call = useCases
    .constant('USE_CASES')
    .elements.map((/** @type {Node} */ element) => element.argument)
    .find((/** @type {Node | undefined} */ found) => found?.arguments[0].name === listed);
  if (call === undefined)
    throw new Error(
      `${USE_CASES} lists the operations of ${group} one by one. Add ${id} by hand: docs/guides/add-an-operation.md.`,
    );
  const className = call.arguments[1].name;
  const imported = useCases.program.body.find((/** @type {Node} */ node) =>
    node.specifiers?.some((/** @type {Node} */ { local }) => local.name === className),
  );
  const folder = `packages/core/src/${imported.source.value.split('/')[1]}`;
  const file = readdirSync(join(workspace, folder), { recursive: true })
    .map(String)
    .find(
      (path) =>
        path.endsWith('.service.ts') &&
        new SourceFile(workspace, join(folder, path)).source.includes(`export class ${className} `),
    );
  if (file === undefined) throw new Error(`${folder} has no file with the class ${className}.`);
  return { className, path: join(folder, file) };
}

/** @param {string} workspace @param {{ className: string, path: string }} service @param {Operation} operation @param {string} group */
function extendService(workspace, { className, path }, { name, parameter, summary }, group) {
  const file = new SourceFile(workspace, path);
  const operations = folderImport(path);
  const idParameter = parameter === undefined ? '' : `, _${parameter}: string`;
  return file
    .addImport('@trading-automation/contracts', [group, 'type DataOf'])
    .addImport(`${operations}operations/index.js`, ['type Actor', 'authorise'])
    .addMember(
      file.class(({ id }) => id.name === className),
      `  /** ${summary} */
  async ${name}(actor: Actor${idParameter}): Promise<DataOf<typeof ${group}.${name}>> {
    authorise(actor, ${group}.${name}.access);
    return { result: '' };
  }
`,
    );
}

/** Returns the relative path from a file of core to `src/`. @param {string} path */
const folderImport = (path) => '../'.repeat(path.split('/').length - 4);

/** @param {string} workspace @param {{ className: string, path: string }} service @param {Operation} operation */
function newSpec(workspace, { className, path }, { id, name, parameter, schema, summary }) {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const spec = `${folder}/${kebabCase(schema)}.spec.ts`;
  const title = summary.slice(0, -1).toLowerCase();
  return new NewFile(
    workspace,
    spec,
    `import { PERMISSIONS } from '@trading-automation/contracts';
import type { Actor } from '${folderImport(path)}operations/index.js';
import { ${className} } from './${path.slice(folder.length + 1).replace(/\.ts$/, '.js')}';

/**
 * This service has no collaborators. To test a method that reads the database, use \`CoreUnderTest\`, as other tests do.
 */
const service: ${className} = Object.create(${className}.prototype);
const actor: Actor = {
  userId: '019a0000-0000-7000-8000-000000000001',
  credential: { kind: 'session', id: '019a0000-0000-7000-8000-000000000002', permissions: PERMISSIONS },
};

it('${title}', async () => {
  // Replace the expectation with the guarantee of ${id}.
  expect(await service.${name}(actor${parameter === undefined ? '' : ", 'id'"})).toEqual({ result: '${name}' });
});
`,
  );
}

/** @param {string} workspace @param {Operation} operation */
function extendSdk(workspace, operation) {
  const { id, name, parameter, resource, summary, type } = operation;
  const folder = 'packages/sdk/src/resources';
  const path = readdirSync(join(workspace, folder))
    .map((file) => `${folder}/${file}`)
    .find(
      (file) =>
        !file.endsWith('.spec.ts') && new SourceFile(workspace, file).source.includes(`'${resource}.`),
    );
  if (path === undefined) throw new Error(`${folder} has no resource ${resource}.`);
  const file = new SourceFile(workspace, path);
  const known = new RegExp(`client\\.${resource}\\.get(?:<.*?>)?\\(([\\w']+)`).exec(file.source)?.[1];
  const example = parameter === undefined ? '' : (known ?? `${singularOf(resource)}Id`);
  const idParameter = parameter === undefined ? '' : `${parameter}: string, `;
  const request = parameter === undefined ? '{}' : `{ params: { ${parameter} } }`;
  return file.addImport('../generated/records.js', [`type ${type}`]).addMember(
    file.class(({ superClass }) => superClass?.name === 'Resource'),
    `  /**
   * ${summary}
   *
   * @example
   * const { result } = await client.${resource}.${name}(${example});
   */
  ${name}(${idParameter}options?: RequestOptions): ApiPromise<${type}> {
    return this.operations.call('${id}', ${request}, options);
  }
`,
  );
}

/** @param {string} workspace @param {Operation} operation */
function newChangeset(workspace, { id, schema, summary }) {
  return new NewFile(
    workspace,
    `.changeset/${kebabCase(schema)}.md`,
    `---\n"@trading-automation/sdk": minor\n"@trading-automation/cli": minor\n---\n\n\`${id}\`: ${summary}\n`,
  );
}
