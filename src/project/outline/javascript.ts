// The outline of a script: what it exports, or what it declares when it is no module.
import { parseSync } from 'oxc-parser';
import { shortened } from './declaration.ts';

/** Up to the body: the declaration, its parameters and its type. */
function headOf(declaration: string): string {
  const lines = declaration.split('\n');
  const end = lines.findIndex((line) => /\{\s*$|=>\s*$/.test(line));
  const head = lines.slice(0, end < 0 ? 3 : end + 1).join('\n');
  const text = shortened(head);
  return head.length < declaration.length ? `${text} ...` : text;
}

const DECLARES: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'VariableDeclaration',
]);

/** `module.exports = ...` and `exports.name = ...` */
function isExport(statement: string): boolean {
  return /^(?:module\.)?exports\b/.test(statement);
}

/** Loading others is not what a file offers. */
function isRequire(statement: string): boolean {
  return /= ?require\(/.test(statement);
}

export function outlineOfScript(path: string, text: string): string[] {
  const { module, program } = parseSync(path, text);
  const { staticExports } = module;
  if (staticExports.length > 0) {
    return staticExports.map(({ start, end }) => headOf(text.slice(start, end)));
  }
  return program.body.flatMap(({ type, start, end }) => {
    const statement = text.slice(start, end);
    const isShown = DECLARES.has(type) ? !isRequire(statement) : isExport(statement);
    return isShown ? [headOf(statement)] : [];
  });
}
