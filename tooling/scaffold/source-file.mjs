import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** @typedef {Record<string, any> & { type: string, start: number, end: number }} Node */

/** A file of the workspace to which text is added. All positions refer to the original text. */
export class SourceFile {
  /** @type {{ at: number, text: string }[]} */
  insertions = [];

  /** @param {string} workspace @param {string} path relative to the workspace */
  constructor(workspace, path) {
    this.path = path;
    this.file = join(workspace, path);
    this.source = readFileSync(this.file, 'utf8');
    /** @type {Node} */
    this.program = parseSync(path, this.source).program;
  }

  /** @param {Node} node */
  textOf(node) {
    return this.source.slice(node.start, node.end);
  }

  /** Inserts text. Biome formats it and sorts the imports afterwards. @param {number} at @param {string} text */
  insert(at, text) {
    this.insertions.push({ at, text });
    return this;
  }

  /** Adds an import of the names that the file does not import yet. @param {string} from @param {readonly string[]} names such as `type Actor` */
  addImport(from, names) {
    const imports = this.program.body.filter((/** @type {Node} */ node) => node.type === 'ImportDeclaration');
    const known = imports.flatMap((/** @type {Node} */ { specifiers }) =>
      specifiers.map((/** @type {Node} */ { local }) => local.name),
    );
    const missing = names.filter((name) => !known.includes(name.replace(/^type /, '')));
    if (missing.length === 0) return this;
    const same = imports.find((/** @type {Node} */ { source }) => source.value === from);
    if (same !== undefined) {
      const specifiers = missing.map((name) =>
        same.importKind === 'type' ? name.replace(/^type /, '') : name,
      );
      return this.insert(same.specifiers[0].start, `${specifiers.join(', ')}, `);
    }
    return this.insert(imports.at(-1).end, `\nimport { ${missing.join(', ')} } from '${from}';`);
  }

  /** Returns the value of a constant of the file. @param {string} name @returns {Node} */
  constant(name) {
    const found = this.constants().find(({ id }) => id.name === name);
    if (found === undefined) throw new Error(`${this.path} has no constant ${name}.`);
    return unwrapped(found.init);
  }

  /** Returns the declarators of the constants of the file. @returns {Node[]} */
  constants() {
    return this.program.body
      .map(declared)
      .filter((/** @type {Node} */ node) => node.type === 'VariableDeclaration')
      .flatMap((/** @type {Node} */ node) => node.declarations);
  }

  /** Returns a class of the file. @param {(node: Node) => boolean} matches @returns {Node} */
  class(matches = () => true) {
    const found = this.program.body
      .map(declared)
      .find((/** @type {Node} */ node) => node.type === 'ClassDeclaration' && matches(node));
    if (found === undefined) throw new Error(`${this.path} has no such class.`);
    return found;
  }

  /** Adds an element to an array, or a property to an object. @param {Node} literal @param {string} text */
  append(literal, text) {
    const last = (literal.elements ?? literal.properties).at(-1);
    return this.insert(last.end, `,\n${text}`);
  }

  /** @param {Node} node the class @param {string} text */
  addMember(node, text) {
    return this.insert(node.body.end - 1, `\n${text}`);
  }

  save() {
    let text = this.source;
    for (const { at, text: added } of this.insertions.sort((a, b) => b.at - a.at))
      text = text.slice(0, at) + added + text.slice(at);
    writeFileSync(this.file, text);
    return this.path;
  }
}

/** A file that is created. */
export class NewFile {
  /** @param {string} workspace @param {string} path relative to the workspace @param {string} text */
  constructor(workspace, path, text) {
    this.path = path;
    this.file = join(workspace, path);
    this.text = text;
    if (existsSync(this.file)) throw new Error(`${path} exists. Choose another name.`);
  }

  save() {
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, this.text);
    return this.path;
  }
}

/** @param {Node} node @returns {Node} */
const declared = (node) => (node.type === 'ExportNamedDeclaration' && node.declaration) || node;

/** Removes `as const`. @param {Node} node @returns {Node} */
const unwrapped = (node) => (node.type === 'TSAsExpression' ? unwrapped(node.expression) : node);

/** Returns a property of an object literal. @param {Node} object @param {string} name @returns {Node | undefined} */
export const property = (object, name) =>
  object.properties.find((/** @type {Node} */ { key }) => (key?.name ?? key?.value) === name)?.value;
