import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isFunction, namesOf, sourceOf, walk } from './syntax.mjs';

/** @typedef {import('./syntax.mjs').Node} Node */
/** @typedef {{ node: Node, file: string, bound: ReadonlyMap<string, Type> }} Type a type, the file that contains it, and the
 *   values of its type parameters */
/**
 * The row type that the code declares for a statement: the kinds of value by column. `isComplete`: the type lists
 * every column.
 * @typedef {{ columns: Map<string, Set<string>>, isComplete: boolean }} Claim
 */

const ROOT = new URL('../../', import.meta.url).pathname;
/** Marks a column that a statement may omit. */
export const OPTIONAL = 'optional';
const ANY = () => new Set(['any']);

/**
 * Returns the row type that a call declares; undefined if it declares none.
 * @param {import('./find-statements.mjs').Statement} statement
 * @returns {Claim | undefined}
 */
export function claimOf({ call, ancestors, file, isTypeOrm }) {
  /** @type {(node: Node) => Type} */
  const here = (node) => ({ node, file, bound: new Map() });
  const [argument] = call.typeArguments?.params ?? [];
  if (argument !== undefined) return shapeOf(here(argument));
  const outer = [...ancestors];
  while (['AwaitExpression', 'ParenthesizedExpression'].includes(outer[0]?.type ?? '')) outer.shift();
  const [parent] = outer;
  if (parent === undefined) return undefined;
  if (parent.type === 'TSAsExpression') return rowsOf(here(parent.typeAnnotation), isTypeOrm);
  if (parent.type === 'VariableDeclarator') {
    const annotation = parent.id.typeAnnotation?.typeAnnotation;
    if (annotation !== undefined) return rowsOf(here(annotation), isTypeOrm);
    return destructured(parent.id) ?? accessed(here(parent.id), outer.find(isFunction));
  }
  const fn =
    parent.type === 'ReturnStatement' ? outer.find(isFunction) : isFunction(parent) ? parent : undefined;
  const returned = fn?.returnType?.typeAnnotation;
  return returned === undefined ? undefined : rowsOf(here(returned), isTypeOrm);
}

/**
 * Returns the entities that the function of a statement hydrates.
 * @param {import('./find-statements.mjs').Statement} statement
 * @returns {string[]}
 */
export function entitiesOf({ ancestors }) {
  const fn = ancestors.filter(isFunction).at(-1);
  /** @type {string[]} */
  const entities = [];
  if (fn !== undefined)
    walk(fn, ({ type, callee, arguments: given }) => {
      if (type === 'CallExpression' && callee.name === 'hydrate') entities.push(given[1]?.name);
    });
  return entities;
}

/** Returns the names that `const [{ a, b }] =` or `const [[{ a }]] =` reads. @returns {Claim | undefined} */
function destructured(/** @type {Node} */ pattern) {
  let row = pattern;
  while (row?.type === 'ArrayPattern') row = row.elements[0];
  if (row === pattern || row?.type !== 'ObjectPattern') return undefined;
  const names = row.properties.flatMap((/** @type {Node} */ { key }) =>
    key === undefined ? [] : [key.name ?? key.value],
  );
  return { columns: new Map(names.map((/** @type {string} */ name) => [name, ANY()])), isComplete: false };
}

/**
 * Returns the properties that are read from the row of `const [row] =`, or the return type of a function that returns
 * the row.
 * @returns {Claim | undefined}
 */
function accessed(/** @type {Type} */ { node: pattern, file, bound }, /** @type {Node | undefined} */ fn) {
  let row = pattern;
  while (row?.type === 'ArrayPattern') row = row.elements[0];
  if (row === pattern || row?.type !== 'Identifier' || fn === undefined) return undefined;
  const columns = new Map();
  let isReturned = false;
  walk(fn, ({ type, object, property, computed, argument }) => {
    if (type === 'ReturnStatement') isReturned ||= (argument?.left ?? argument)?.name === row.name;
    if (type === 'MemberExpression' && !computed && object.name === row.name && property.name !== 'length')
      columns.set(property.name, ANY());
  });
  if (isReturned && fn.returnType) {
    const returned = unwrapped({ node: fn.returnType.typeAnnotation, file, bound });
    const members = returned?.node.type === 'TSUnionType' ? returned.node.types : [returned?.node];
    const object = members.find((/** @type {Node} */ { type }) => !/^TS(Null|Undefined)Keyword$/.test(type));
    return returned === undefined || object === undefined
      ? undefined
      : shapeOf({ ...returned, node: object });
  }
  const isArray = ['map', 'filter', 'flatMap', 'length'].some((name) => columns.has(name));
  return isArray || columns.size === 0 ? undefined : { columns, isComplete: false };
}

/** Returns the element of `T[]`, `[T]` or `[T[], number]`, also inside a promise. @returns {Claim | undefined} */
function rowsOf(/** @type {Type} */ type, /** @type {boolean} */ isTypeOrm) {
  const target = unwrapped(type);
  if (target === undefined) return undefined;
  const { node, file, bound } = target;
  const inner = (/** @type {Node} */ each) => ({ node: each, file, bound });
  switch (node.type) {
    case 'TSArrayType':
      return shapeOf(inner(node.elementType));
    case 'TSTupleType': {
      const [first] = node.elementTypes;
      const element = inner(first.type === 'TSNamedTupleMember' ? first.elementType : first);
      return isTypeOrm && unwrapped(element)?.node.type === 'TSArrayType'
        ? rowsOf(element, isTypeOrm)
        : shapeOf(element);
    }
    case 'TSTypeReference':
      return ['Array', 'ReadonlyArray'].includes(nameOf(node))
        ? shapeOf(inner(node.typeArguments.params[0]))
        : undefined;
    default:
      return undefined;
  }
}

/** Follows aliases, `readonly`, parentheses and promises. @returns {Type | undefined} */
function unwrapped(/** @type {Type} */ type) {
  let current = /** @type {Type | undefined} */ (type);
  for (let steps = 0; current !== undefined && steps < 20; steps++) {
    const { node, file, bound } = /** @type {Type} */ (current);
    if (node.type === 'TSParenthesizedType' || node.type === 'TSTypeOperator')
      current = { node: node.typeAnnotation, file, bound };
    else if (node.type === 'TSTypeReference' && ['Promise', 'Readonly'].includes(nameOf(node)))
      current = { node: node.typeArguments.params[0], file, bound };
    else if (node.type === 'TSTypeReference') {
      const found = resolved(/** @type {Type} */ (current));
      if (found === undefined || found.node.type !== 'TSTypeAliasDeclaration') return current;
      current = { ...found, node: found.node.typeAnnotation };
    } else return current;
  }
  return current;
}

const nameOf = (/** @type {Node} */ { typeName }) => typeName?.name ?? '';

/** Returns the declaration of a type reference, with its arguments bound. @returns {Type | undefined} */
function resolved(/** @type {Type} */ { node, file, bound }) {
  const name = node.expression?.name ?? nameOf(node);
  const argument = bound.get(name);
  if (argument !== undefined) return { ...argument, node: aliasOf(argument.node) };
  const found = declared(name, file);
  if (found === undefined) return undefined;
  const parameters = found.node.typeParameters?.params ?? [];
  const given = node.typeArguments?.params ?? [];
  const inner = new Map();
  for (const [index, parameter] of parameters.entries())
    if (given[index] !== undefined)
      inner.set(parameter.name.name ?? parameter.name, { node: given[index], file, bound });
  return { ...found, bound: inner };
}

const aliasOf = (/** @type {Node} */ typeAnnotation) =>
  /** @type {Node} */ (/** @type {unknown} */ ({ type: 'TSTypeAliasDeclaration', typeAnnotation }));

/** Finds a type, class or constant by its name in a file or where the file imports it from. @returns {Type | undefined} */
function declared(/** @type {string} */ name, /** @type {string} */ file, seen = new Set()) {
  if (seen.has(`${file} ${name}`)) return undefined;
  seen.add(`${file} ${name}`);
  const { program } = sourceOf(file);
  for (const statement of program.body) {
    const declaration = statement.declaration ?? statement;
    if (
      declaration.id?.name === name &&
      /^(TS(Interface|TypeAlias)Declaration|ClassDeclaration)$/.test(declaration.type)
    )
      return { node: declaration, file, bound: new Map() };
    if (declaration.type === 'VariableDeclaration')
      for (const each of declaration.declarations)
        if (namesOf(each.id).includes(name)) return { node: each, file, bound: new Map() };
  }
  for (const statement of program.body) {
    if (statement.source === null || statement.source === undefined) continue;
    const target = fileOf(statement.source.value, file);
    if (target === undefined) continue;
    if (statement.type === 'ExportAllDeclaration') {
      const found = declared(name, target, seen);
      if (found !== undefined) return found;
    }
    for (const specifier of statement.specifiers ?? []) {
      const outside = statement.type === 'ImportDeclaration' ? specifier.local : specifier.exported;
      const inside = statement.type === 'ImportDeclaration' ? specifier.imported : specifier.local;
      if (outside?.name === name && inside !== undefined) return declared(inside.name, target, seen);
    }
  }
  return undefined;
}

/** @returns {string | undefined} */
function fileOf(/** @type {string} */ specifier, /** @type {string} */ from) {
  const [, workspace] = /^@trading-automation\/([a-z-]+)$/.exec(specifier) ?? [];
  const file =
    workspace === undefined
      ? resolve(dirname(from), specifier.replace(/\.js$/, '.ts'))
      : join(ROOT, 'packages', workspace, 'src/index.ts');
  return (specifier.startsWith('.') || workspace !== undefined) && existsSync(file) ? file : undefined;
}

/**
 * Returns the members of an object type with the kinds of their values; undefined for any other type, and for a type
 * that this code does not understand.
 * @param {Type} type
 * @returns {Claim | undefined}
 */
function shapeOf(type) {
  const { node, file, bound } = type;
  const inner = (/** @type {Node} */ each) => ({ node: each, file, bound });
  switch (node.type) {
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return shapeOf(inner(node.typeAnnotation));
    case 'TSTypeLiteral':
      return membersOf(node.members, type);
    case 'TSIntersectionType':
      return joined(node.types.map((/** @type {Node} */ each) => shapeOf(inner(each))));
    case 'TSTypeReference':
      return referencedShape(type);
    default:
      return undefined;
  }
}

/** @returns {Claim | undefined} */
function referencedShape(/** @type {Type} */ type) {
  const { node, file, bound } = type;
  const [first, second] = (node.typeArguments?.params ?? []).map((/** @type {Node} */ each) => ({
    node: each,
    file,
    bound,
  }));
  switch (nameOf(node)) {
    case 'Readonly':
    case 'Required':
      return shapeOf(first);
    case 'Partial': {
      const shape = shapeOf(first);
      for (const kinds of shape?.columns.values() ?? []) kinds.add(OPTIONAL);
      return shape;
    }
    case 'QueryResultRow':
      return { columns: new Map(), isComplete: true };
    // `& Record<string, unknown>` adds no column: it only satisfies a type constraint.
    case 'Record': {
      const names = literals(first);
      return { columns: new Map(names.map((name) => [name, kindsOf(second)])), isComplete: true };
    }
    case 'Pick':
    case 'Omit': {
      const shape = shapeOf(first);
      if (shape === undefined) return undefined;
      const names = new Set(literals(second));
      const isPick = nameOf(node) === 'Pick';
      const columns = [...shape.columns].filter(([name]) => names.has(name) === isPick);
      return { columns: new Map(columns), isComplete: shape.isComplete };
    }
  }
  const found = resolved(type);
  if (found === undefined) return undefined;
  if (found.node.type === 'TSTypeAliasDeclaration')
    return shapeOf({ ...found, node: found.node.typeAnnotation });
  if (found.node.type === 'TSInterfaceDeclaration') {
    const parents = (found.node.extends ?? []).map((/** @type {Node} */ { expression, typeArguments }) =>
      shapeOf({
        ...found,
        node: /** @type {Node} */ (
          /** @type {unknown} */ ({ type: 'TSTypeReference', typeName: expression, typeArguments })
        ),
      }),
    );
    return joined([...parents, membersOf(found.node.body.body, found)]);
  }
  if (found.node.type === 'ClassDeclaration') {
    const { superClass } = found.node;
    const parent =
      superClass === null
        ? []
        : [
            shapeOf({
              ...found,
              node: /** @type {Node} */ (
                /** @type {unknown} */ ({ type: 'TSTypeReference', typeName: superClass })
              ),
            }),
          ];
    return joined([...parent, membersOf(found.node.body.body, found)]);
  }
  return undefined;
}

/** @returns {Claim | undefined} */
function joined(/** @type {(Claim | undefined)[]} */ shapes) {
  const known = shapes.filter((shape) => shape !== undefined);
  if (known.length === 0) return undefined;
  return {
    columns: new Map(known.flatMap(({ columns }) => [...columns])),
    isComplete: known.length === shapes.length && known.every(({ isComplete }) => isComplete),
  };
}

/** @returns {Claim} */
function membersOf(/** @type {Node[]} */ members, /** @type {Type} */ { file, bound }) {
  const columns = new Map();
  for (const { type, key, typeAnnotation, optional } of members)
    if (/^(TSPropertySignature|PropertyDefinition)$/.test(type) && typeAnnotation) {
      const kinds = kindsOf({ node: typeAnnotation.typeAnnotation, file, bound });
      columns.set(key.name ?? key.value, optional ? kinds.add(OPTIONAL) : kinds);
    }
  return { columns, isComplete: true };
}

/** The strings of a union of literals. @returns {string[]} */
function literals(/** @type {Type} */ { node, file, bound }) {
  if (node.type === 'TSLiteralType') return [String(node.literal.value)];
  if (node.type === 'TSUnionType')
    return node.types.flatMap((/** @type {Node} */ each) => literals({ node: each, file, bound }));
  if (node.type === 'TSTypeOperator' && node.operator === 'keyof')
    return [...(shapeOf({ node: node.typeAnnotation, file, bound })?.columns.keys() ?? [])];
  if (node.type !== 'TSTypeReference') return [];
  const found = resolved({ node, file, bound });
  return found?.node.type === 'TSTypeAliasDeclaration'
    ? literals({ ...found, node: found.node.typeAnnotation })
    : [];
}

const KEYWORDS = /** @type {Readonly<Record<string, string>>} */ ({
  TSStringKeyword: 'string',
  TSTemplateLiteralType: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSBigIntKeyword: 'bigint',
  TSNullKeyword: 'null',
  TSUndefinedKeyword: 'null',
  TSArrayType: 'object',
  TSTupleType: 'object',
  TSTypeLiteral: 'object',
  TSMappedType: 'object',
});

/** The kinds of values of a type. @returns {Set<string>} */
function kindsOf(/** @type {Type} */ { node, file, bound }) {
  const inner = (/** @type {Node} */ each) => kindsOf({ node: each, file, bound });
  if (node.type === 'TSTypeOperator' && node.operator === 'keyof') return new Set(['string']);
  const keyword = KEYWORDS[node.type];
  if (keyword !== undefined) return new Set([keyword]);
  if (node.type === 'TSUnionType')
    return new Set(node.types.flatMap((/** @type {Node} */ each) => [...inner(each)]));
  if (node.type === 'TSLiteralType') return new Set([typeof node.literal.value]);
  if (node.type === 'TSParenthesizedType' || node.type === 'TSTypeOperator')
    return inner(node.typeAnnotation);
  if (node.type === 'TSIndexedAccessType') {
    const shape = shapeOf({ node: node.objectType, file, bound });
    const kinds = literals({ node: node.indexType, file, bound }).map(
      (name) => shape?.columns.get(name) ?? ANY(),
    );
    return kinds.length === 0 ? ANY() : new Set(kinds.flatMap((each) => [...each]));
  }
  if (node.type !== 'TSTypeReference') return ANY();
  const name = nameOf(node);
  if (name === 'Date') return new Set(['Date']);
  if (name === 'Buffer' || name === 'Uint8Array') return new Set(['Buffer']);
  if (['Record', 'Pick', 'Omit', 'ReadonlyArray', 'Array', 'ReadonlyMap'].includes(name))
    return new Set(['object']);
  const found = resolved({ node, file, bound });
  if (found?.node.type === 'TSTypeAliasDeclaration')
    return kindsOf({ ...found, node: found.node.typeAnnotation });
  if (found?.node.type === 'TSInterfaceDeclaration') return new Set(['object']);
  return ANY();
}
