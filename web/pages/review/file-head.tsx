// The head of a file: what happens to it, whose work it is, and what holds for all of it. It stays in view with its lines.
import { memo } from 'react';
import type { ReviewFileSummary } from '../../../src/contract/review-api.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { CopyId } from '../../ui/copy.tsx';
import { CHECKBOX } from '../../ui/field.tsx';
import { formatBytes, plural } from '../../ui/format.ts';
import { PencilLine, TriangleAlert } from '../../ui/frame-icons.tsx';
import { Check, ChevronDown, ChevronRight, Maximize, X } from '../../ui/icons.tsx';
import { KindBadge, LineCounts } from '../run/changes/file-marks.tsx';
import type { Decision } from './model/units.ts';
import { useActions, useRights } from './review-context.ts';

export interface FileHeadProps {
  file: ReviewFileSummary;
  decision: Decision | 'mixed' | 'undecided';
  comments: number;
  isOpen: boolean;
  isWhole: boolean;
  isViewed: boolean;
  isCurrent: boolean;
}

function Marks({ file, comments }: Pick<FileHeadProps, 'file' | 'comments'>) {
  const { kind, renamedFrom, isSteering, isBinary, size, additions, deletions, streams } = file;
  return (
    <>
      {renamedFrom === null ? (
        <KindBadge kind={kind} />
      ) : (
        <span className="text-xs [overflow-wrap:anywhere] text-soft">was {renamedFrom}</span>
      )}
      {isSteering ? (
        <span
          title="Assistants or tools follow what is in this file"
          className="inline-flex items-center gap-1 rounded-full bg-warn-soft px-2 py-0.5 text-2xs font-medium text-warn [&_svg]:size-3"
        >
          <TriangleAlert aria-hidden />
          Steers tools
        </span>
      ) : null}
      {isBinary ? (
        <span className="text-xs text-soft">{formatBytes(size)}</span>
      ) : (
        <LineCounts added={additions} removed={deletions} />
      )}
      {streams.length === 0 ? null : (
        <span className="max-w-48 truncate text-xs text-soft" title={streams.join(', ')}>
          {streams.join(', ')}
        </span>
      )}
      {comments === 0 ? null : (
        <span className="text-xs text-soft">{plural(comments, 'comment')}</span>
      )}
    </>
  );
}

export const FileHead = memo(function FileHead(props: FileHeadProps) {
  const { file, decision, isOpen, isWhole, isViewed, isCurrent } = props;
  const { path } = file;
  const actions = useActions();
  const { mayDecide } = useRights();
  return (
    <header
      className={cx(
        'flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-t-lg border border-line bg-canvas px-2 py-1.5',
        !isOpen && 'rounded-b-lg',
        isCurrent && 'border-accent',
      )}
    >
      <IconButton
        name={`${isOpen ? 'Close' : 'Open'} ${path}`}
        aria-expanded={isOpen}
        className="!size-6"
        onClick={() => actions.toggleOpen(path)}
      >
        {isOpen ? <ChevronDown /> : <ChevronRight />}
      </IconButton>
      <h2 className="min-w-0 font-medium">
        <CopyId id={path} className="text-text" />
      </h2>
      <Marks {...props} />
      <span className="ml-auto flex flex-wrap items-center gap-1">
        {isOpen && file.kind === 'edit' && !file.isBinary ? (
          <IconButton
            name={`${isWhole ? 'Show the changes' : 'Show all lines'} of ${path}`}
            aria-pressed={isWhole}
            className="!size-7 aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => actions.toggleWhole(path)}
          >
            <Maximize />
          </IconButton>
        ) : null}
        {mayDecide ? (
          <>
            <IconButton
              name={`Comment on ${path} as a whole`}
              className="!size-7"
              onClick={() =>
                actions.comment({ path, side: 'new', from: 0, to: 0, hunk: undefined })
              }
            >
              <PencilLine />
            </IconButton>
            <Button
              size="small"
              icon={<Check />}
              aria-label={`Accept all of ${path}`}
              aria-pressed={decision === 'accepted'}
              className="aria-pressed:border-good aria-pressed:bg-good-soft aria-pressed:text-good"
              onClick={() => actions.decideFile(path, 'accepted')}
            >
              All
            </Button>
            <Button
              size="small"
              icon={<X />}
              aria-label={`Reject all of ${path}`}
              aria-pressed={decision === 'rejected'}
              className="aria-pressed:border-bad aria-pressed:bg-bad-soft aria-pressed:text-bad"
              onClick={() => actions.decideFile(path, 'rejected')}
            >
              All
            </Button>
            <label className="ml-1 flex items-center gap-1.5 text-xs text-soft">
              <input
                type="checkbox"
                aria-label={`Viewed ${path}`}
                checked={isViewed}
                onChange={() => actions.toggleViewed(path)}
                className={CHECKBOX}
              />
              Viewed
            </label>
          </>
        ) : null}
      </span>
    </header>
  );
});
