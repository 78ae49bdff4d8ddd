// Files that an agent has changed in its copy; nothing of it is in the project yet.
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { ChevronRight } from '../../../ui/icons.tsx';
import { plural } from '../../../ui/format.ts';
import { KindIcon, LineCounts } from '../changes/file-marks.tsx';

export function ChangedSoFar({ changing }: { changing: NonNullable<StreamRow['changing']> }) {
  const { files, additions, deletions, outside, list } = changing;
  return (
    <details className="group rounded-lg border border-line text-xs" open>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 px-3 py-2">
        <ChevronRight className="size-3.5 shrink-0 text-faint group-open:rotate-90" />
        <span className="font-medium">{plural(files, 'file')} changed so far</span>
        <LineCounts added={additions} removed={deletions} />
        {outside > 0 ? (
          <span className="text-warn">{plural(outside, 'file')} outside of what it owns</span>
        ) : null}
      </summary>
      <ul
        aria-label="Changed so far"
        className="max-h-48 overflow-y-auto border-t border-line py-1"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {list.map(({ path, kind, ...counts }) => (
          <li key={path} className="flex items-center gap-2 px-3 py-1">
            <KindIcon kind={kind} />
            <span className="min-w-0 truncate font-mono" title={path}>
              {path}
            </span>
            <span className="ml-auto">
              <LineCounts added={counts.additions} removed={counts.deletions} />
            </span>
          </li>
        ))}
        {files > list.length ? (
          <li className="px-3 py-1 text-soft">and {plural(files - list.length, 'more file')}</li>
        ) : null}
      </ul>
    </details>
  );
}
