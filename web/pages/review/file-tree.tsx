// The files by folder, with what was said and seen of each. Of a long list only what is in view is drawn.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { ReviewDraft, ReviewFileSummary } from '../../../src/contract/review-api.ts';
import { cx } from '../../ui/class-names.ts';
import { plural } from '../../ui/format.ts';
import { TriangleAlert } from '../../ui/frame-icons.tsx';
import { Check, ChevronDown, ChevronRight, X } from '../../ui/icons.tsx';
import { KindIcon, LineCounts } from '../run/changes/file-marks.tsx';
import { isViewed } from './model/filter.ts';
import { treeRows } from './model/tree.ts';
import type { TreeRow } from './model/tree.ts';
import { decisionOfFile } from './model/units.ts';

const ROW_HEIGHT = 28;

export interface FileTreeProps {
  files: readonly ReviewFileSummary[];
  draft: Pick<ReviewDraft, 'decisions' | 'viewed'>;
  commentsOf: (path: string) => number;
  current: string | undefined;
  onChoose: (path: string) => void;
  className: string;
}

function DecisionMark({ file, draft }: { file: ReviewFileSummary } & Pick<FileTreeProps, 'draft'>) {
  const decision = decisionOfFile(file, draft.decisions);
  if (decision === 'undecided') return null;
  if (decision === 'accepted') {
    return <Check aria-label="Accepted" className="size-3.5 shrink-0 text-good" />;
  }
  if (decision === 'rejected') {
    return <X aria-label="Rejected" className="size-3.5 shrink-0 text-bad" />;
  }
  return <span className="text-2xs text-soft">part</span>;
}

function FileRow({
  row: { file, name },
  draft,
  comments,
}: {
  row: Extract<TreeRow, { kind: 'file' }>;
  draft: FileTreeProps['draft'];
  comments: number;
}) {
  const seen = isViewed(draft.viewed, file.path);
  return (
    <>
      <KindIcon kind={file.kind} />
      <span className={cx('truncate font-mono', seen && 'text-faint')} title={file.path}>
        {name}
      </span>
      {file.isSteering ? (
        <TriangleAlert aria-label="Steers tools" className="size-3 shrink-0 text-warn" />
      ) : null}
      <span className="ml-auto flex shrink-0 items-center gap-1.5">
        {comments === 0 ? null : (
          <span
            title={plural(comments, 'comment')}
            className="rounded-full bg-accent-soft px-1.5 text-2xs text-accent-strong"
          >
            <span className="sr-only">{plural(comments, 'comment')}</span>
            <span aria-hidden>{comments}</span>
          </span>
        )}
        {seen ? <span className="text-2xs text-faint">viewed</span> : null}
        <DecisionMark file={file} draft={draft} />
        {file.isBinary ? null : <LineCounts added={file.additions} removed={file.deletions} />}
      </span>
    </>
  );
}

/** Arrows go up and down between the rows that are drawn. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at + by]?.focus();
  event.preventDefault();
}

export function FileTree(props: FileTreeProps) {
  const { files, draft, commentsOf, current, onChoose, className } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => `${rows[index]!.kind} ${rows[index]!.path}`,
    overscan: 12,
  });
  const toggle = (path: string) => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  return (
    <nav ref={box} aria-label="Changed files" className={className} onKeyDown={moveFocus}>
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]!;
          const isFile = row.kind === 'file';
          return (
            <button
              key={key}
              type="button"
              aria-current={(isFile && row.path === current) || undefined}
              aria-expanded={isFile ? undefined : row.isOpen}
              onClick={() => (isFile ? onChoose(row.path) : toggle(row.path))}
              className="absolute inset-x-0 flex h-7 items-center gap-1.5 rounded-md pr-2 text-left text-xs -outline-offset-2 hover:bg-hover aria-[current]:bg-accent-soft"
              style={{ top: start, paddingLeft: 8 + 12 * row.depth }}
            >
              {isFile ? (
                <FileRow row={row} draft={draft} comments={commentsOf(row.path)} />
              ) : (
                <>
                  {row.isOpen ? (
                    <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
                  ) : (
                    <ChevronRight aria-hidden className="size-3.5 shrink-0 text-faint" />
                  )}
                  <span className="truncate font-mono text-soft" title={row.path}>
                    {row.name}
                  </span>
                  <span className="ml-auto shrink-0 text-2xs text-faint">{row.files}</span>
                </>
              )}
            </button>
          );
        })}
      </div>
    </nav>
  );
}
