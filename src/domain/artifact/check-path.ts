import { utf8Length } from './utf8-length.ts';

// What a path may look like before any disk is touched. Names that only one platform reads in its
// own way (drives, streams, short names, trailing dots) are refused everywhere: an artifact is made
// on one machine and applied on another, and a refused file is a smaller loss than one written
// outside the project.

const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
const MAX_DEPTH = 64;

// Control, format (bidi, zero width) and other invisible characters: two paths that look the same
// must be the same.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
// `GIT~1` is `.git` on a volume with short names.
const SHORT_NAME = /^[^.]{1,6}~\d/;

/** The problem with this path, in words, or undefined when it is fine. */
export function checkPath(path: string): string | undefined {
  if (path === '') return 'the path is empty';
  if (path.length > MAX_PATH_BYTES || utf8Length(path) > MAX_PATH_BYTES) {
    return `the path is longer than ${MAX_PATH_BYTES} bytes`;
  }
  if (!path.isWellFormed()) return 'the path is not valid Unicode';
  if (INVISIBLE.test(path)) return 'the path has a control or invisible character';
  if (path.normalize('NFC') !== path) return 'the path is not in Unicode normal form NFC';
  if (path.includes('\\')) return 'the path has a backslash; separate folders with /';
  if (/^[/~]/.test(path)) {
    const how = path[0] === '/' ? 'is absolute' : 'starts with ~';
    return `the path ${how}; give it relative to the project`;
  }
  if (path.includes(':')) return 'the path has a colon (a drive or a stream)';
  const segments = path.split('/');
  if (segments.length > MAX_DEPTH) return `the path is more than ${MAX_DEPTH} folders deep`;
  for (const segment of segments) {
    const problem = checkSegment(segment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkSegment(segment: string): string | undefined {
  if (segment === '') return 'the path has an empty segment';
  if (segment === '..' || segment === '.') return `the path has a "${segment}" segment`;
  if (segment.startsWith(' ')) return 'a part of the path starts with a space';
  if (segment.endsWith(' ') || segment.endsWith('.')) {
    return 'a part of the path ends with a space or a dot';
  }
  if (segment.toLowerCase() === '.git') return 'the path leads into .git';
  if (DEVICE_NAME.test(segment)) return 'a part of the path is a reserved device name';
  if (segment.length <= 12 && SHORT_NAME.test(segment)) {
    return 'a part of the path looks like a short (8.3) file name';
  }
  if (utf8Length(segment) > MAX_SEGMENT_BYTES) {
    return `a part of the path is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}
