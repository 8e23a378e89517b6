import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Counts the collaborators of constructors. A collaborator is an object with behaviour that a constructor takes. A
 * plain value (a string, a number, a date, an object of such values) is not one. A parameter that bundles several
 * objects counts as its members, wherever its type is declared.
 */

/** @typedef {{ file: string, className: string, collaborators: readonly string[] }} ConstructorCount */
/** @typedef {{ file: string, node: any }} Declaration a type or class, and the file that declares it */
/** @typedef {{ file: string, type: any }} TypeUse a type, and the file in which its names are resolved */

export const COLLABORATORS_MAX = 4;

/** Product code: no tests, no test support, no migrations. */
export const PRODUCT =
  /^(?:apps|packages)\/[^/]+\/src\/(?!(?:.*\/)?(?:testing|test|conformance|migrations|scripts)\/)(?!.*\.spec\.ts$).*\.ts$/;

/** Types of Node and of libraries whose objects only hold data. */
const VALUE_TYPES =
  /^(?:Date|URL|Buffer|Uint8Array|ArrayBuffer|RegExp|Error|ErrorOptions|Headers|Decimal|BigNumber)$/;
/** These types are plain if all their type arguments are plain. */
const CONTAINERS =
  /^(?:Array|ReadonlyArray|Record|Readonly|Partial|Required|Pick|Omit|Exclude|Extract|NonNullable|ReadonlySet|ReadonlyMap)$/;
/** These types have the members of their type argument. */
const SAME_MEMBERS = /^(?:Readonly|Partial|Required|NonNullable)$/;
const PLAIN_KEYWORDS =
  /^TS(?:String|Number|Boolean|BigInt|Symbol|Null|Undefined|Void|Never|Unknown|Object)Keyword$|^TS(?:Literal|TemplateLiteral)Type$|^TSTypePredicate$/;
/** The names of parameters that bundle several objects. */
const BUNDLE_NAMES = /^(?:parts|options|dependencies|deps)$/;

export class ConstructorCounter {
  /** @type {Map<string, any>} programs by file */
  #programs = new Map();
  /** @type {Map<string, string>} the source of each entry point of the workspace, by import specifier */
  #entries = new Map();
  #root;

  constructor(/** @type {string} */ root) {
    this.#root = root;
    const packages = join(root, 'packages');
    for (const folder of existsSync(packages) ? readdirSync(packages) : []) {
      const manifest = join(packages, folder, 'package.json');
      if (!existsSync(manifest)) continue;
      const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
      for (const [path, targets] of Object.entries(exports)) {
        const source = targets['@trading-automation/source'];
        if (source !== undefined)
          this.#entries.set(normalize(join(name, path)), normalize(join('packages', folder, source)));
      }
    }
  }

  /**
   * Counts the collaborators of every constructor of a file.
   * @param {string} file relative to the root
   * @returns {ConstructorCount[]}
   */
  count(file) {
    const found = [];
    for (const node of nodes(this.#program(file))) {
      if (node.type !== 'ClassDeclaration' && node.type !== 'ClassExpression') continue;
      const declared = node.body.body.find((/** @type {any} */ member) => member.kind === 'constructor');
      if (declared === undefined) continue;
      const collaborators = declared.value.params.flatMap((/** @type {any} */ parameter) =>
        this.#collaboratorsOf(file, parameter),
      );
      found.push({ file, className: node.id?.name ?? '(unnamed class)', collaborators });
    }
    return found;
  }

  /** @returns {string[]} */
  #collaboratorsOf(/** @type {string} */ file, /** @type {any} */ parameter) {
    const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
    const target = inner.type === 'AssignmentPattern' ? inner.left : inner;
    const isBundle = target.type === 'ObjectPattern' || BUNDLE_NAMES.test(target.name ?? '');
    const type = target.typeAnnotation?.typeAnnotation;
    if (type === undefined) return isPlainValue(inner.right) ? [] : [target.name ?? 'parameter'];
    return this.#collaborators({ file, type }, target.name ?? '', isBundle, []);
  }

  /**
   * @param {TypeUse} use
   * @param {string} name of the parameter or member
   * @param {boolean} isBundle whether each member that is a function counts as a collaborator
   * @param {readonly any[]} path the declarations that are being resolved, to detect recursion
   * @returns {string[]}
   */
  #collaborators(use, name, isBundle, path) {
    if (this.#isPlain(use, path)) return [];
    const members = this.#membersOf(use, path);
    if (members === undefined) return [name];
    const within = [...path, use.type, ...this.#declarationsOf(use)];
    const held = members.filter((member) => !this.#isPlain(member, within));
    if (held.length === 0) return [];
    // An object whose members are all functions is a port: it counts as one collaborator, unless the parameter is
    // a bundle.
    if (
      !isBundle &&
      (members.some((member) => member.isMethod) || held.every((member) => isFunction(member.type)))
    )
      return [name];
    return held.flatMap((member) =>
      this.#collaborators(member, `${name}.${member.name}`.replace(/^\./, ''), false, within),
    );
  }

  /** Returns the declaration of a named type, for `path`: the members of the type may use its type parameters. */
  #declarationsOf(/** @type {TypeUse} */ { file, type }) {
    const found = type.type === 'TSTypeReference' ? this.#find(file, type.typeName.name) : undefined;
    return found === undefined ? [] : [found.node];
  }

  /**
   * Returns the members of an object type. Returns undefined for a function, a class with methods, and a type that is
   * not declared in the repository.
   * @returns {(TypeUse & { name: string, isMethod: boolean })[] | undefined}
   */
  #membersOf(/** @type {TypeUse} */ { file, type }, /** @type {readonly any[]} */ path) {
    if (path.includes(type)) return undefined;
    const next = [...path, type];
    if (type.type === 'TSTypeLiteral') return membersIn(file, type.members);
    if (type.type === 'TSParenthesizedType')
      return this.#membersOf({ file, type: type.typeAnnotation }, next);
    if (type.type === 'TSUnionType') {
      const objects = type.types.filter(
        (/** @type {any} */ each) => !this.#isPlain({ file, type: each }, next),
      );
      return objects.length === 1 ? this.#membersOf({ file, type: objects[0] }, next) : undefined;
    }
    if (type.type === 'TSIntersectionType') {
      const parts = type.types.map((/** @type {any} */ each) => this.#membersOf({ file, type: each }, next));
      return parts.includes(undefined) ? undefined : parts.flat();
    }
    if (type.type !== 'TSTypeReference') return undefined;
    const { name } = type.typeName;
    const [argument, keys] = type.typeArguments?.params ?? [];
    if (SAME_MEMBERS.test(name)) return this.#membersOf({ file, type: argument }, next);
    if (name === 'Pick' || name === 'Omit') {
      const names = (keys.type === 'TSUnionType' ? keys.types : [keys]).map(
        (/** @type {any} */ key) => key.literal?.value,
      );
      return this.#membersOf({ file, type: argument }, next)?.filter(
        (member) => names.includes(member.name) === (name === 'Pick'),
      );
    }
    const declaration = this.#find(file, name);
    if (declaration === undefined) return undefined;
    const { file: at, node } = declaration;
    if (node.type === 'TSTypeAliasDeclaration')
      return this.#membersOf({ file: at, type: node.typeAnnotation }, [...next, node]);
    if (path.includes(node)) return undefined;
    if (node.type === 'ClassDeclaration') return recordMembers(at, node);
    if (node.type !== 'TSInterfaceDeclaration') return undefined;
    const inherited = (node.extends ?? []).map((/** @type {any} */ each) =>
      this.#membersOf(
        {
          file: at,
          type: { type: 'TSTypeReference', typeName: each.expression, typeArguments: each.typeArguments },
        },
        [...next, node],
      ),
    );
    return inherited.includes(undefined)
      ? undefined
      : [...membersIn(at, node.body.body), ...inherited.flat()];
  }

  /** @returns {boolean} whether values of the type are plain data */
  #isPlain(/** @type {TypeUse} */ { file, type }, /** @type {readonly any[]} */ path) {
    // A recursive type: its other members decide whether it is plain.
    if (path.includes(type)) return true;
    const next = [...path, type];
    const plain = (/** @type {any} */ each) =>
      each === undefined || this.#isPlain({ file, type: each }, next);
    if (PLAIN_KEYWORDS.test(type.type)) return true;
    switch (type.type) {
      case 'TSUnionType':
      case 'TSIntersectionType':
        return type.types.every(plain);
      case 'TSConditionalType':
        return plain(type.trueType) && plain(type.falseType);
      case 'TSTypeOperator':
        return type.operator === 'keyof' || plain(type.typeAnnotation);
      case 'TSParenthesizedType':
      case 'TSOptionalType':
      case 'TSRestType':
        return plain(type.typeAnnotation);
      case 'TSNamedTupleMember':
      case 'TSArrayType':
        return plain(type.elementType);
      case 'TSTupleType':
        return type.elementTypes.every(plain);
      case 'TSTypeQuery':
        return false;
      case 'TSMappedType':
        return plain(type.typeAnnotation);
      case 'TSIndexedAccessType':
        return this.#isPlainIndex({ file, type }, next);
      case 'TSTypeLiteral':
        return membersIn(file, type.members).every((member) => !member.isMethod && plain(member.type));
      case 'TSTypeReference':
        return this.#isPlainReference({ file, type }, next);
      default:
        return false;
    }
  }

  /** `Options['timing']` is plain if that member is plain. An element of a list of literals is plain. */
  #isPlainIndex(/** @type {TypeUse} */ { file, type }, /** @type {readonly any[]} */ path) {
    const object = type.objectType;
    if (object.type === 'TSTypeQuery' || object.typeAnnotation?.type === 'TSTypeQuery') return true;
    const key = type.indexType.literal?.value;
    const member = this.#membersOf({ file, type: object }, path)?.find((each) => each.name === key);
    return member !== undefined && this.#isPlain(member, path);
  }

  #isPlainReference(/** @type {TypeUse} */ { file, type }, /** @type {readonly any[]} */ path) {
    const name = type.typeName.name ?? type.typeName.right?.name;
    // `z.infer<typeof schema>` is parsed data, and a schema describes data.
    if (type.typeName.type === 'TSQualifiedName')
      return (
        type.typeName.left.name === 'z' ||
        /^NodeJS\.(?:Platform|ProcessEnv)$/.test(`${type.typeName.left.name}.${name}`)
      );
    const inner = type.typeArguments?.params ?? [];
    const isTypeParameter = path.some((each) =>
      each.typeParameters?.params.some((/** @type {any} */ parameter) => parameter.name.name === name),
    );
    if (isTypeParameter) return true;
    const declaration = this.#find(file, name);
    if (declaration === undefined) {
      if (CONTAINERS.test(name))
        return inner.every((/** @type {any} */ each) => this.#isPlain({ file, type: each }, path));
      return VALUE_TYPES.test(name);
    }
    const { file: at, node } = declaration;
    if (path.includes(node)) return true;
    const next = [...path, node];
    switch (node.type) {
      case 'TSEnumDeclaration':
        return true;
      case 'TSTypeAliasDeclaration':
        return this.#isPlain({ file: at, type: node.typeAnnotation }, next);
      case 'TSInterfaceDeclaration':
        return (
          membersIn(at, node.body.body).every((member) => !member.isMethod && this.#isPlain(member, next)) &&
          (node.extends ?? []).every((/** @type {any} */ each) =>
            this.#isPlain(
              {
                file: at,
                type: {
                  type: 'TSTypeReference',
                  typeName: each.expression,
                  typeArguments: each.typeArguments,
                },
              },
              next,
            ),
          )
        );
      default:
        return false;
    }
  }

  /** @returns {Declaration | undefined} where a name of a file is declared, through imports and re-exports */
  #find(/** @type {string} */ file, /** @type {string} */ name, /** @type {string[]} */ visited = []) {
    if (visited.includes(`${file}#${name}`)) return undefined;
    const nextVisited = [...visited, `${file}#${name}`];
    const program = this.#program(file);
    for (const statement of program.body) {
      const node = statement.declaration ?? statement;
      if (DECLARATIONS.has(node.type) && node.id?.name === name) return { file, node };
    }
    for (const statement of program.body) {
      const source =
        statement.source === null || statement.source === undefined
          ? undefined
          : this.#sourceOf(file, statement.source.value);
      if (source === undefined) continue;
      if (statement.type === 'ExportAllDeclaration' && statement.exported === null) {
        const found = this.#find(source, name, nextVisited);
        if (found !== undefined) return found;
        continue;
      }
      const specifier = (statement.specifiers ?? []).find(
        (/** @type {any} */ each) =>
          (statement.type === 'ImportDeclaration' ? each.local : each.exported).name === name,
      );
      const original =
        statement.type === 'ImportDeclaration' ? specifier?.imported?.name : specifier?.local.name;
      if (original !== undefined) return this.#find(source, original, nextVisited);
    }
    return undefined;
  }

  #sourceOf(/** @type {string} */ from, /** @type {string} */ specifier) {
    if (!specifier.startsWith('.')) return this.#entries.get(specifier);
    const path = normalize(join(dirname(from), specifier)).replace(/\.js$/, '.ts');
    return existsSync(join(this.#root, path)) ? path : undefined;
  }

  #program(/** @type {string} */ file) {
    let program = this.#programs.get(file);
    if (program === undefined) {
      program = parseSync(file, readFileSync(join(this.#root, file), 'utf8')).program;
      this.#programs.set(file, program);
    }
    return program;
  }
}

const DECLARATIONS = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'ClassDeclaration',
]);

/** Returns the fields of a class that consists only of a constructor (a record); undefined for any other class. */
function recordMembers(/** @type {string} */ file, /** @type {any} */ { body, superClass }) {
  const [declared, ...others] = body.body;
  if (superClass !== null || declared?.kind !== 'constructor' || others.length > 0) return undefined;
  const fields = declared.value.params.map((/** @type {any} */ { type, parameter }) =>
    type !== 'TSParameterProperty'
      ? undefined
      : parameter.type === 'AssignmentPattern'
        ? parameter.left
        : parameter,
  );
  if (fields.includes(undefined)) return undefined;
  return fields.map((/** @type {any} */ field) => ({
    file,
    name: field.name,
    isMethod: false,
    type: field.typeAnnotation?.typeAnnotation ?? { type: 'TSStringKeyword' },
  }));
}

/** Returns whether the default of a parameter without a type is plain: a literal or a named constant. */
const isPlainValue = (/** @type {any} */ value) =>
  /^(?:Literal|TemplateLiteral|UnaryExpression|BinaryExpression)$/.test(value?.type ?? '') ||
  (value?.type === 'Identifier' && /^[A-Z][A-Z0-9_]*$/.test(value.name));

const isFunction = (/** @type {any} */ type) =>
  type.type === 'TSFunctionType' ||
  type.type === 'TSTypeQuery' ||
  (type.type === 'TSParenthesizedType' && isFunction(type.typeAnnotation)) ||
  (type.type === 'TSUnionType' &&
    type.types.every((/** @type {any} */ each) => PLAIN_KEYWORDS.test(each.type) || isFunction(each)));

/** @returns {(TypeUse & { name: string, isMethod: boolean })[]} */
function membersIn(/** @type {string} */ file, /** @type {any[]} */ members) {
  return members.map((member) => ({
    file,
    name: member.key?.name ?? '',
    isMethod: !['TSPropertySignature', 'TSIndexSignature'].includes(member.type),
    type: member.typeAnnotation?.typeAnnotation ?? { type: 'TSFunctionType' },
  }));
}

/** @returns {Generator<any>} */
function* nodes(/** @type {any} */ node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) yield* nodes(child);
    return;
  }
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodes(child);
}
