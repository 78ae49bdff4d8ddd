// The orchestrator's face names parts that have nothing to do with each other. A bundler keeps a file
// as a whole, so that whoever needs one of them at the start would load them all: here each name is
// imported from where it is made.
import { dirname, join } from 'node:path';

export interface Face {
  file: string;
  /** Where each name is made. */
  places: ReadonlyMap<string, string>;
}

const EXPORTS = /^export \{([^}]*)\} from '([^']+)';/gm;
const IMPORTS = /^import \{([^}]*)\} from '([^']+)';/gm;

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export function readFace(file: string, source: string): Face {
  const places = [...source.matchAll(EXPORTS)].flatMap(([, list = '', path = '']) =>
    namesIn(list).map((name): [string, string] => [name, join(dirname(file), path)]),
  );
  return { file, places: new Map(places) };
}

/** The source of a file, without its detours over the face. */
export function pastFace({ file: face, places }: Face, file: string, source: string): string {
  return source.replace(IMPORTS, (statement, list: string, path: string) => {
    if (join(dirname(file), path) !== face) return statement;
    return namesIn(list)
      .map((name) => `import { ${name} } from ${JSON.stringify(places.get(name) ?? face)};`)
      .join(' ');
  });
}
