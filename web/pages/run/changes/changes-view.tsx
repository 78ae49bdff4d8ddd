// Files with their diffs: of a whole run, of one stream, or of a run that was shared.
import { Download, FileDiff, Search } from '../../../ui/icons.tsx';
import { useState } from 'react';
import type { StreamChanges } from '../../../../src/contract/run-report-api.ts';
import { Button } from '../../../ui/button.tsx';
import { Input } from '../../../ui/field.tsx';
import { plural } from '../../../ui/format.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { EmptyState } from '../../../ui/surface.tsx';
import { countLines, filesOf, grouped, patchOf } from './changed-files.ts';
import type { DiffLayout } from './diff-view.tsx';
import { FileCard } from './file-card.tsx';
import { FileList } from './file-list.tsx';
import { LineCounts } from './file-marks.tsx';
import { useViewed } from './viewed.ts';

const LAYOUT_KEY = 'millrace.diff';

function useLayout(): [DiffLayout, (layout: DiffLayout) => void] {
  const [layout, setLayout] = useState<DiffLayout>(() =>
    localStorage.getItem(LAYOUT_KEY) === 'split' ? 'split' : 'unified',
  );
  return [
    layout,
    (next) => {
      localStorage.setItem(LAYOUT_KEY, next);
      setLayout(next);
    },
  ];
}

export type ChangesFilter = Partial<Record<'by' | 'files' | 'only' | 'diff', string>>;

export interface ChangesViewProps {
  runId: string;
  streams: readonly StreamChanges[];
  nameOf: (streamId: string) => string;
  onOpenStream?: (id: string) => void;
  /** For the panel: no list of files beside it. */
  isNarrow?: boolean;
  /** Kept in the address of the page; otherwise here. */
  filter?: readonly [ChangesFilter, (change: ChangesFilter) => void];
}

export function ChangesView({
  runId,
  streams,
  nameOf,
  onOpenStream,
  isNarrow = false,
  filter,
}: ChangesViewProps) {
  const [usual, setUsual] = useLayout();
  const own = useState<ChangesFilter>({});
  const [{ by: group, files: search = '', only: which, diff }, set] = filter ?? [
    own[0],
    (change: ChangesFilter) => own[1]({ ...own[0], ...change }),
  ];
  const by = group === 'stream' ? 'stream' : 'file';
  const only = which === 'open' ? 'open' : 'all';
  // The address wins: who is sent a link sees what its sender saw.
  const layout = diff === 'split' || diff === 'unified' ? diff : usual;
  const setLayout = (next: DiffLayout) => {
    setUsual(next);
    set({ diff: next });
  };
  const viewed = useViewed(runId);
  const all = filesOf(streams);
  if (all.length === 0) {
    return (
      <EmptyState icon={<FileDiff />} title="No files changed">
        Files show up here as soon as a stream has written them.
      </EmptyState>
    );
  }
  const wanted = search.toLowerCase();
  const files = all.filter(
    (file) =>
      (wanted === '' || file.path.toLowerCase().includes(wanted)) &&
      (only === 'all' || !viewed.has(file)),
  );
  const groups = grouped(files, by);
  const done = all.filter((file) => viewed.has(file)).length;
  const choose = (id: string) => document.getElementById(id)?.scrollIntoView({ block: 'start' });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="flex items-center gap-2 text-sm font-medium">
          {plural(new Set(all.map(({ path }) => path)).size, 'file')}
          <LineCounts {...countLines(all)} />
        </span>
        <span role="status" className="text-xs text-soft tabular">
          {done} of {all.length} viewed
        </span>
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <Segmented
            label="Which files"
            value={only}
            options={[
              ['all', 'All'],
              ['open', 'Not viewed'],
            ]}
            onChange={(next) => set({ only: next === 'all' ? '' : next })}
          />
          {isNarrow ? null : (
            <Segmented
              label="Group by"
              value={by}
              options={[
                ['file', 'By file'],
                ['stream', 'By stream'],
              ]}
              onChange={(next) => set({ by: next === 'file' ? '' : next })}
            />
          )}
          <Segmented
            label="Layout of diffs"
            value={layout}
            options={[
              ['unified', 'Unified'],
              ['split', 'Split'],
            ]}
            onChange={setLayout}
          />
          <Button
            icon={<Download />}
            onClick={() => saveFile(`${runId}.patch`, patchOf(files), 'text/x-diff')}
          >
            .patch
          </Button>
        </div>
      </div>
      <div className="flex items-start gap-4">
        {isNarrow ? null : (
          <div className="sticky top-0 hidden max-h-[80vh] w-64 shrink-0 overflow-y-auto pb-4 md:block">
            <div className="relative mb-2 p-0.5">
              <Search aria-hidden className="absolute top-2.5 left-3 size-4 text-faint" />
              <Input
                type="search"
                aria-label="Filter files"
                placeholder="Filter files"
                className="pl-8"
                // Not bound to the address, which comes later than the next key.
                defaultValue={search}
                onChange={(event) => set({ files: event.target.value })}
              />
            </div>
            <FileList files={files} viewed={viewed} onChoose={({ id }) => choose(id)} />
          </div>
        )}
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          {groups.length === 0 ? (
            <EmptyState title={wanted === '' ? 'All files are viewed' : 'No file matches'} />
          ) : null}
          {groups.map(({ name, files: some }) => (
            <div key={name} className="flex flex-col gap-3">
              {by === 'stream' ? (
                <h2 className="mt-1 text-sm font-semibold">
                  {nameOf(name)}{' '}
                  <span className="font-normal text-faint">{plural(some.length, 'file')}</span>
                </h2>
              ) : null}
              {some.map((file) => (
                <FileCard
                  key={file.id}
                  file={file}
                  layout={layout}
                  viewed={viewed}
                  streamName={isNarrow ? undefined : nameOf(file.streamId)}
                  onOpenStream={onOpenStream}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
