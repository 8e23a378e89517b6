/**
 * Writes docs/, the reference of the SDK, from the source: a page for each entry, each resource of the client and the
 * records. Run `npm run gen`.
 *
 * 1. The output is deterministic: no dates, addresses or line numbers.
 * 2. It omits constructors of objects that only the client creates, and the methods of promises.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, Converter, ReflectionKind } from 'typedoc';

const folder = fileURLToPath(new URL('../', import.meta.url));
const PACKAGE = '@trading-automation/sdk';
const PAGE_NAMES = { index: 'client', 'generated/records': 'records' };
/** Classes with a public constructor; the client creates all others. */
const PUBLIC_CONSTRUCTORS = ['Client', 'Realtime'];
const PROMISE_METHODS = ['then', 'catch', 'finally', '[toStringTag]'];

process.chdir(folder);
const application = await Application.bootstrapWithPlugins({ options: folder });
application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const reflection of Object.values(project.reflections)) {
    const isHiddenConstructor =
      reflection.kindOf(ReflectionKind.Constructor) && !PUBLIC_CONSTRUCTORS.includes(reflection.parent?.name);
    if (
      isHiddenConstructor ||
      (reflection.parent?.kindOf(ReflectionKind.Class) && PROMISE_METHODS.includes(reflection.name))
    )
      project.removeReflection(reflection);
  }
  for (const reflection of Object.values(project.reflections)) {
    // A destructured parameter has no name.
    if (reflection.name === '__namedParameters') reflection.name = 'options';
    for (const tag of reflection.comment?.blockTags ?? []) {
      if (tag.tag !== '@throws' || tag.typeAnnotation === undefined) continue;
      tag.content.unshift(
        { kind: 'code', text: `\`${tag.typeAnnotation.slice(1, -1)}\`` },
        { kind: 'text', text: ' ' },
      );
    }
  }
  for (const module of project.getReflectionsByKind(ReflectionKind.Module))
    module.name = PAGE_NAMES[module.name] ?? module.name;
});

const project = await application.convert();
if (project === undefined) throw new Error('The source does not compile. See the errors above.');
const resources = resourcesOf(project);
await application.generateOutputs(project);
if (application.logger.hasErrors()) process.exit(1);

const out = application.options.getValue('out');
for (const name of readdirSync(out, { recursive: true }).filter((each) => each.endsWith('.md'))) {
  const path = join(out, name);
  writeFileSync(path, formatPage(readFileSync(path, 'utf8'), titleOf(name.replace(/\.md$/, ''))));
}
writeFileSync(join(out, 'README.md'), contentsPage());

/** Returns each class of `resources/` with its path from a client and its methods. */
function resourcesOf({ children = [] }) {
  const classes = new Map(
    children
      .filter(({ name }) => name.startsWith('resources/'))
      .flatMap((module) => module.children.map((each) => [each.name, { page: module.name, each }])),
  );
  const resources = [];
  const visit = (owner, ownerPath) => {
    for (const property of owner.getChildrenByKind(ReflectionKind.Property | ReflectionKind.Accessor)) {
      const resource = classes.get((property.type ?? property.getSignature?.type)?.name);
      if (resource === undefined) continue;
      const methods = resource.each.getChildrenByKind(ReflectionKind.Method).map(({ name }) => name);
      resources.push({ page: resource.page, path: `${ownerPath}.${property.name}`, methods });
      visit(resource.each, `${ownerPath}.${property.name}`);
    }
  };
  const client = children.find(({ name }) => name === 'client').getChildByName('Client');
  visit(client, 'client');
  return resources.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function titleOf(page) {
  const resource = resources.find((each) => each.page === page);
  if (resource !== undefined) return resource.path;
  return page === 'client' ? PACKAGE : page === 'records' ? 'Records' : `${PACKAGE}/${page}`;
}

/** Formats a page: sets its title, lists known values first and puts signatures on one line. */
function formatPage(text, title) {
  return (
    text
      .replace(/^# .*$/m, `# ${title}`)
      .replace(/### Extends\n\n- `Resource`.*\n\n/g, '')
      .replace(/\| \\\| /g, '| ')
      .replace(
        /(\\\| )?`string` & \\\{ \\\}((?: \\\| `"[^`]+"`)+)/g,
        (_, bar = '', rest) =>
          `${bar === '' ? rest.replace(/^ \\\| /, '') : rest.trimStart()} \\| \`string\``,
      )
      .replace(/string & \{\n?\s*\}((?: \| "[^"]+")+)/g, (_, rest) => `${rest.replace(/^ \| /, '')} | string`)
      .replace(
        /^((?:[a-z]+ )*\w+(?:<[^>\n]*>)?\()\n([\s\S]*?)(\): )/gm,
        (_, head, parameters, tail) => `${head}${parameters.trim().replace(/\s*\n\s*/g, ' ')}${tail}`,
      )
      // The union of all operations is replaced by its name.
      .replace(/(?:\\\| )?(?:`"\w+\.\w+"` \\\| )+`"\w+\.\w+"`/g, (choices) =>
        choices.includes('"health.get"') ? '[`OperationId`](testing.md#operationid)' : choices,
      )
      .replace(/(?:\s*\|\s+)?(?:"\w+\.\w+"\s+\|\s+)+"\w+\.\w+"/g, (choices) =>
        choices.includes('"health.get"') ? ' OperationId' : choices,
      )
      .replace(/[ \t]+$/gm, '')
  );
}

function contentsPage() {
  const entry = (name, page, about) => `| [\`${name}\`](${page}.md) | ${about} |`;
  const rows = resources.map(
    ({ page, path, methods }) =>
      `| [\`${path}\`](${page}.md) | ${methods.map((name) => `\`${name}\``).join(' ')} |`,
  );
  return `# The SDK's reference

Generated from the source by \`npm run gen\`. To get started, see [the quick start](../../../docs/guides/quick-start.md).

| Entry | Contents |
| ----- | -------- |
${[
  entry(PACKAGE, 'client', 'the client, pages, responses, errors'),
  entry(`${PACKAGE}/realtime`, 'realtime', 'live signals and order books'),
  entry(`${PACKAGE}/signer`, 'signer', 'signing requests with a key pair'),
  entry(`${PACKAGE}/webhooks`, 'webhooks', 'verifying webhooks'),
  entry(`${PACKAGE}/testing`, 'testing', 'tests of your own code, without a server'),
  entry('records', 'records', `types of requests and responses, exported by ${PACKAGE}`),
].join('\n')}

| Resource | Methods |
| -------- | ------- |
${rows.join('\n')}
`;
}
