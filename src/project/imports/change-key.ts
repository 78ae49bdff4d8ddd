// When a file comes or goes, names can stand for something else: for it, or no longer for it. Which
// names these can be follows from their last part, without its endings: `./a/b.js` can mean `b.ts` of
// any folder (by a link, an alias, a root of sources), and `b/index.ts`, but nothing without a `b`.
// A key too many costs a name that is resolved again; one too few would be a wrong graph.

/** Names of files that stand for their folder; too many files have them to tell anything. */
const FOR_FOLDER: ReadonlySet<string> = new Set(['index', '__init__', 'mod']);
/** Any file that stands for a folder. */
export const ANY_INDEX = '*/index';

/** Without endings, and without the signs that names of aliases begin with. */
function stemOf(part: string): string {
  const start = /^[#@~$.]*/.exec(part)![0].length;
  const end = part.slice(start).search(/[.?#]/);
  return (end < 0 ? part.slice(start) : part.slice(start, start + end)).toLowerCase();
}

function lastTwo(path: string): { stem: string; folder: string } {
  const slash = path.lastIndexOf('/');
  const before = path.lastIndexOf('/', slash - 1);
  return {
    stem: stemOf(path.slice(slash + 1)),
    folder: slash <= 0 ? '' : stemOf(path.slice(before + 1, slash)),
  };
}

/** The key under which a path is watched for, whether it exists or not. */
export function keyOfPath(path: string): string {
  const { stem, folder } = lastTwo(path);
  return FOR_FOLDER.has(stem) ? `${folder}/${stem}` : stem;
}

export function isForFolder(path: string): boolean {
  return FOR_FOLDER.has(lastTwo(path).stem);
}

/** The key under which the files directly in a folder are watched for. */
export const keyOfFolder = (folder: string): string => `in:${folder}`;
/** The key under which all files of this name are watched for. */
export const keyOfName = (name: string): string => `named:${name}`;

/** All keys of something that came or went. */
export function keysOfChange(path: string): string[] {
  const slash = path.lastIndexOf('/');
  const keys = [
    keyOfPath(path),
    keyOfFolder(slash < 0 ? '' : path.slice(0, slash)),
    keyOfName(path.slice(slash + 1)),
  ];
  return isForFolder(path) ? [...keys, lastTwo(path).folder, ANY_INDEX] : keys;
}
