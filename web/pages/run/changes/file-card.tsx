import { ChevronDown, ChevronRight } from '../../../ui/icons.tsx';
import { useState } from 'react';
import { CopyId } from '../../../ui/copy.tsx';
import type { StreamFile } from './changed-files.ts';
import { DiffView } from './diff-view.tsx';
import type { DiffLayout } from './diff-view.tsx';
import { KindBadge, LineCounts } from './file-marks.tsx';
import type { Viewed } from './viewed.ts';

/** Longer ones are opened on purpose. */
const MOST_OPEN_LINES = 800;

export function FileCard({
  file,
  layout,
  viewed,
  streamName,
  onOpenStream,
}: {
  file: StreamFile;
  layout: DiffLayout;
  viewed: Viewed;
  streamName?: string | undefined;
  onOpenStream?: ((id: string) => void) | undefined;
}) {
  const isViewed = viewed.has(file);
  const isLong = file.additions + file.deletions > MOST_OPEN_LINES;
  // Undefined until somebody chooses: then what was viewed is closed, as is what is very long.
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? !(isViewed || isLong);
  return (
    <section
      id={file.id}
      aria-label={file.path}
      className="scroll-mt-16 overflow-hidden rounded-lg border border-line bg-surface"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line bg-canvas px-3 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${file.path}`}
          onClick={() => setChosen(!isOpen)}
          className="text-soft hover:text-text [&_svg]:size-4"
        >
          {isOpen ? <ChevronDown /> : <ChevronRight />}
        </button>
        <CopyId id={file.path} className="min-w-0 font-medium text-text" />
        <KindBadge kind={file.kind} />
        <LineCounts added={file.additions} removed={file.deletions} />
        {onOpenStream ? (
          <button
            type="button"
            onClick={() => onOpenStream(file.streamId)}
            className="truncate text-xs text-soft hover:text-text hover:underline"
          >
            {streamName ?? file.streamId}
          </button>
        ) : streamName ? (
          <span className="truncate text-xs text-soft">{streamName}</span>
        ) : null}
        <label className="ml-auto flex items-center gap-1.5 text-xs text-soft">
          <input
            type="checkbox"
            checked={isViewed}
            onChange={() => {
              setChosen(undefined);
              viewed.toggle(file);
            }}
            className="size-3.5 accent-(--accent)"
          />
          Viewed
        </label>
      </header>
      {isOpen ? <DiffView path={file.path} patch={file.patch} layout={layout} /> : null}
    </section>
  );
}
