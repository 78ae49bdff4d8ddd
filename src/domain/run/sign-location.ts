// In which file the trouble is that a line of output reports: the file named in that line, or in the
// nearest line that names one. Tools print it just before the error (Python, Rust) or just after it
// (Node's list of who required what, the nearest first).

/** A path, with what tools put behind it: a line number, a quotation mark. */
const PATH = /([\w@.~/+-]{1,300}\.[A-Za-z]\w{0,5})(", line \d|[:(]\d)?/g;
const BEFORE = 6;
const AFTER = 3;
const LONGEST = 2000;

/** Words with a dot in them are not paths: those have a folder, or a line number behind them. */
function pathsIn(line: string): string[] {
  if (line.length > LONGEST) return [];
  return [...line.matchAll(PATH)].flatMap(([, path = '', place]) =>
    path.includes('/') || place !== undefined ? [path] : [],
  );
}

function isOneOf(path: string, files: readonly string[]): boolean {
  const plain = path.replace(/^(?:file:\/\/|\.\/)/, '');
  return files.some((file) => plain === file || plain.endsWith(`/${file}`));
}

/** Whether it is in one of these files, as far as is known. */
export function isInFiles(lines: readonly string[], at: number, files: readonly string[]): boolean {
  const before = Array.from({ length: BEFORE }, (_, i) => at - 1 - i);
  const after = Array.from({ length: AFTER }, (_, i) => at + 1 + i);
  for (const index of [at, ...before, ...after]) {
    const paths = pathsIn(lines[index] ?? '');
    // An import of a file that is missing names that file, too.
    if (paths.length > 0) return paths.some((path) => isOneOf(path, files));
  }
  return false;
}
