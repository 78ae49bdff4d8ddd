// The types of the contract without the schemas that they are inferred from: whoever calls the server needs
// what an answer looks like, not the library that checks it.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
// The compiler in use has no interface for programs.
import ts from 'typescript5';

const WRITTEN_OUT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;

const PARTS = ts.TypeFlags.Object | ts.TypeFlags.Intersection;

/** By file, relative to the sources: the types that the files of the client import from elsewhere. */
function importedTypes(folder: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.d.ts'))) {
    const path = join(folder, name);
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      const { moduleSpecifier: from } = statement;
      if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('../')) continue;
      const names = ts.isImportDeclaration(statement)
        ? statement.importClause?.namedBindings
        : statement.exportClause;
      if (names === undefined || ts.isNamespaceImport(names) || ts.isNamespaceExport(names)) {
        throw new Error(`${name}: ${from.text} is not imported by names.`);
      }
      const target = relative(dirname(folder), resolve(folder, from.text));
      const wanted = found.get(target) ?? new Set();
      for (const { name: own, propertyName } of names.elements) {
        wanted.add((propertyName ?? own).text);
      }
      found.set(target, wanted);
    }
  }
  return found;
}

function writtenOut(checker: ts.TypeChecker, file: ts.SourceFile, name: string): string {
  const module = checker.getSymbolAtLocation(file);
  const exported = module && checker.getExportsOfModule(module).find((one) => one.name === name);
  const declared = exported?.declarations?.find(
    (one) => ts.isTypeAliasDeclaration(one) || ts.isInterfaceDeclaration(one),
  );
  if (!exported || !declared) throw new Error(`${file.fileName} exports no type ${name}.`);
  const type = checker.getDeclaredTypeOfSymbol(exported);
  const text = ts.isInterfaceDeclaration(declared)
    ? membersOf(checker, type, declared)
    : shown(checker, type);
  return `export type ${name} = ${text};\n`;
}

/** Names of types are written out at the top only: what is made of several is taken apart first. */
function shown(checker: ts.TypeChecker, type: ts.Type): string {
  const element = checker.isArrayType(type)
    ? checker.getTypeArguments(type as ts.TypeReference)[0]
    : undefined;
  if (element) return `(${shown(checker, element)})[]`;
  if (type.isUnionOrIntersection() && type.types.some(({ flags }) => flags & PARTS)) {
    const parts = type.types.map((part) => shown(checker, part));
    return type.isUnion() ? parts.join(' | ') : `(${parts.join(' & ')})`;
  }
  return checker.typeToString(type, undefined, WRITTEN_OUT);
}

function membersOf(checker: ts.TypeChecker, type: ts.Type, at: ts.Node): string {
  const members = type.getProperties().map((member) => {
    const mark = member.flags & ts.SymbolFlags.Optional ? '?' : '';
    const own = checker.getTypeOfSymbolAtLocation(member, at);
    return `${member.name}${mark}: ${shown(checker, own)};`;
  });
  return `{ ${members.join(' ')} }`;
}

/** Writes beside the declarations of the client what they import. `sources` is the folder of `client`. */
export function writeContractTypes(declarations: string, sources: string): void {
  const wanted = importedTypes(declarations);
  const paths = [...wanted.keys()].map((path) => join(sources, path));
  const program = ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    lib: ['lib.esnext.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  for (const [path, names] of wanted) {
    const file = program.getSourceFile(join(sources, path));
    if (file === undefined) throw new Error(`${path} is not there.`);
    const text = [...names]
      .sort()
      .map((name) => writtenOut(checker, file, name))
      .join('');
    const foreign = /\b(?:z\.|import\(|zod)/.exec(text);
    if (foreign) throw new Error(`A type of ${path} needs more than itself: ${foreign[0]}`);
    const to = join(dirname(declarations), dirname(path), `${basename(path, '.ts')}.d.ts`);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text.split(sep).join('/'));
  }
}
