// What stays in view above the files: how far the reader has come, which files are shown, and the way to the end.
import type { Ref } from 'react';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { ChoiceFilter, SearchFilter } from '../../ui/filters.tsx';
import type { Filters } from '../../ui/filters.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { ListTree, Send } from '../../ui/icons.tsx';
import type { SyncState } from './model/draft-store.ts';
import { FILTERS } from './model/filter.ts';
import type { Counts } from './model/units.ts';

const SYNC: Readonly<Record<SyncState, string>> = {
  saved: 'Saved',
  saving: 'Saving',
  waiting: 'Not saved yet: trying again',
  refused: 'Not saved',
};

export interface FileFiltersProps {
  filters: Filters;
  streams: readonly string[];
  hasEarlier: boolean;
  hasFailed: boolean;
}

export function FileFilters({ filters, streams, hasEarlier, hasFailed }: FileFiltersProps) {
  const { changed, failed, ...always } = FILTERS;
  return (
    <>
      <SearchFilter filters={filters} name="q" label="Filter files" placeholder="Filter files" />
      <ChoiceFilter
        filters={filters}
        name="show"
        label="Which files"
        all="All files"
        options={{ ...always, ...(hasEarlier && { changed }), ...(hasFailed && { failed }) }}
      />
      {streams.length > 1 ? (
        <ChoiceFilter
          filters={filters}
          name="stream"
          label="Stream"
          all="Every stream"
          options={Object.fromEntries(streams.map((id) => [id, id]))}
        />
      ) : null}
    </>
  );
}

const SYNC_LOOKS: Readonly<Record<SyncState, string>> = {
  saved: 'text-faint',
  saving: 'text-soft',
  waiting: 'text-warn',
  refused: 'text-bad',
};

export interface ToolbarProps extends FileFiltersProps {
  counts: Counts;
  viewed: number;
  files: number;
  comments: number;
  sync: SyncState;
  mayDecide: boolean;
  onFiles: () => void;
  onFinish: () => void;
  ref: Ref<HTMLDivElement>;
}

/** On a narrow screen the filters are with the list of files, behind a button. */
export function ReviewToolbar(props: ToolbarProps) {
  const { counts, viewed, files, comments, sync, mayDecide } = props;
  const { accepted, rejected, undecided } = counts;
  return (
    <div
      ref={props.ref}
      className="sticky top-0 z-20 -mx-1 flex flex-wrap items-center gap-x-3 gap-y-1.5 bg-canvas px-1 py-2"
    >
      <Button className="md:hidden" icon={<ListTree />} onClick={props.onFiles}>
        Files
      </Button>
      <div className="hidden min-w-0 flex-1 flex-wrap items-center gap-2 md:flex lg:flex-none">
        <FileFilters {...props} />
      </div>
      <span role="status" className="text-xs text-soft tabular max-md:order-last">
        {formatCount(accepted)} accepted, {formatCount(rejected)} rejected, {formatCount(undecided)}{' '}
        undecided. {formatCount(viewed)} of {formatCount(files)} viewed
        {comments === 0 ? '' : `, ${plural(comments, 'comment')}`}
      </span>
      {mayDecide ? (
        <span className="ml-auto flex items-center gap-3">
          <span role="status" className={cx('text-xs', SYNC_LOOKS[sync])}>
            {SYNC[sync]}
          </span>
          <Button look="primary" icon={<Send />} onClick={props.onFinish}>
            Finish
          </Button>
        </span>
      ) : null}
    </div>
  );
}
