// What a run changed, file by file; a file that several streams changed is there once for each.
import type { ChangedFile, StreamChanges } from '../../../../src/contract/run-report-api.ts';
import { command } from '../../../ui/command.ts';

export interface StreamFile extends ChangedFile {
  streamId: string;
  /** Names it on the page and in the list of what was viewed. */
  id: string;
}

export interface FileGroup {
  /** A path, or the id of a stream. */
  name: string;
  files: StreamFile[];
}

export function filesOf(streams: readonly StreamChanges[]): StreamFile[] {
  return streams.flatMap(({ streamId, files }) =>
    files.map((file) => ({ ...file, streamId, id: `${streamId}:${file.path}` })),
  );
}

export function grouped(files: readonly StreamFile[], by: 'file' | 'stream'): FileGroup[] {
  const groups = Map.groupBy(files, ({ path, streamId }) => (by === 'file' ? path : streamId));
  return [...groups]
    .map(([name, own]) => ({ name, files: own.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function countLines(files: readonly ChangedFile[]): { added: number; removed: number } {
  return {
    added: files.reduce((sum, { additions }) => sum + additions, 0),
    removed: files.reduce((sum, { deletions }) => sum + deletions, 0),
  };
}

/** For `git apply`; what was too large to be reported is missing and said so. */
export function patchOf(files: readonly StreamFile[]): string {
  return files
    .map(({ patch, path }) => patch ?? `# ${path}: too large, see it with ${command('diff')}\n`)
    .join('');
}
