// The files of a run by folder, with what was looked through.
import { Check } from '../../../ui/icons.tsx';
import { cx } from '../../../ui/class-names.ts';
import type { StreamFile } from './changed-files.ts';
import { KindIcon, LineCounts } from './file-marks.tsx';
import type { Viewed } from './viewed.ts';

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

export function FileList({
  files,
  viewed,
  onChoose,
}: {
  files: readonly StreamFile[];
  viewed: Viewed;
  onChoose: (file: StreamFile) => void;
}) {
  const folders = [...Map.groupBy(files, ({ path }) => folderOf(path))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return (
    <nav aria-label="Changed files" className="flex flex-col gap-3">
      {folders.map(([folder, own]) => (
        <div key={folder}>
          <div className="mb-0.5 truncate px-2 font-mono text-2xs text-faint" title={folder}>
            {folder === '' ? 'Project root' : `${folder}/`}
          </div>
          {own.map((file) => (
            <button
              key={file.id}
              type="button"
              onClick={() => onChoose(file)}
              className="flex w-full items-center gap-1.5 rounded-md px-2 py-1 text-left text-xs hover:bg-hover"
            >
              <KindIcon kind={file.kind} />
              <span className={cx('truncate font-mono', viewed.has(file) && 'text-faint')}>
                {nameOf(file.path)}
              </span>
              <span className="ml-auto flex items-center gap-1.5">
                {viewed.has(file) ? (
                  <Check aria-label="Viewed" className="size-3 text-good" />
                ) : null}
                <LineCounts added={file.additions} removed={file.deletions} />
              </span>
            </button>
          ))}
        </div>
      ))}
    </nav>
  );
}
