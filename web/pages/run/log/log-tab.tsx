// Everything that happened, as one list that can be searched.
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from '../../../ui/icons.tsx';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useRunVersion } from '../../../live/run-store.ts';
import { cx } from '../../../ui/class-names.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, Input, Select } from '../../../ui/field.tsx';
import { formatCount, formatDuration, plural } from '../../../ui/format.ts';
import { Card, EmptyState } from '../../../ui/surface.tsx';
import type { RunView } from '../run-context.ts';
import { useViewSearch } from '../view-search.ts';
import { logLineOf, matches } from './log-line.ts';
import type { Level, LogFilter, LogLine } from './log-line.ts';

const LOOKS: Readonly<Record<Level, string>> = {
  info: 'text-soft',
  warning: 'text-warn',
  error: 'text-bad',
};
const LEVELS: readonly string[] = ['warning', 'error'];

/** Lines are made once, when their event comes. */
function useLines({ store }: RunView): LogLine[] {
  const version = useRunVersion(store);
  const made = useRef<{ store: unknown; lines: LogLine[] }>({ store, lines: [] });
  return useMemo(() => {
    if (made.current.store !== store) made.current = { store, lines: [] };
    const { lines } = made.current;
    for (const event of store.events.slice(lines.length)) lines.push(logLineOf(event));
    return lines.slice();
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, version]);
}

function Line({ line, from, onOpen }: { line: LogLine; from: number; onOpen: RunView['onOpen'] }) {
  return (
    <div className="flex flex-wrap gap-x-3 border-b border-line px-3 py-1 text-xs sm:flex-nowrap">
      <span
        title={new Date(line.at).toISOString()}
        className="w-14 shrink-0 text-right text-faint tabular"
      >
        {formatDuration(line.at - from)}
      </span>
      {line.stream === undefined ? (
        <span className="w-32 shrink-0 truncate text-faint">run</span>
      ) : (
        <button
          type="button"
          onClick={() => onOpen(line.stream)}
          className="w-32 shrink-0 truncate text-left font-mono text-soft hover:text-text hover:underline"
        >
          {line.stream}
        </button>
      )}
      <span className={cx('w-28 shrink-0 font-medium', LOOKS[line.level])}>
        {line.level === 'info' ? null : <span className="sr-only">{line.level}: </span>}
        {line.word}
      </span>
      <span className="min-w-0 grow basis-full pl-[4.25rem] [overflow-wrap:anywhere] sm:basis-0 sm:pl-0">
        {line.text}
        {line.output ? (
          <pre
            tabIndex={0}
            aria-label={`Output of ${line.text}`}
            className="mt-1 max-h-60 overflow-auto rounded-md border border-line bg-sunken p-2 whitespace-pre-wrap"
          >
            {line.output}
          </pre>
        ) : null}
      </span>
    </div>
  );
}

export function LogTab(view: RunView) {
  const { store, onOpen } = view;
  const lines = useLines(view);
  const [search, setSearch] = useViewSearch();
  const { q = '', of = '', level = '' } = search;
  const filter = useMemo<LogFilter>(
    () => ({
      text: q,
      stream: of,
      level: LEVELS.includes(level) ? (level as LogFilter['level']) : '',
    }),
    [q, of, level],
  );
  const [cleared, setCleared] = useState(0);
  const [isFollowing, setFollowing] = useState(false);
  const isFiltered = filter.text !== '' || filter.stream !== '' || filter.level !== '';
  const shown = useMemo(
    () => (isFiltered ? lines.filter((line) => matches(line, filter)) : lines),
    [lines, filter, isFiltered],
  );
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => 29,
    getItemKey: (index) => shown[index]!.seq,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && shown.length > 0) virtual.scrollToIndex(shown.length - 1);
  }, [isFollowing, shown.length, virtual]);
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-3">
        <div className="relative min-w-48 flex-1 sm:max-w-80">
          <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
          <Input
            type="search"
            aria-label="Search the log"
            placeholder="Search events and output"
            className="pl-8"
            // Not bound to the address, which comes later than the next key.
            key={cleared}
            defaultValue={filter.text}
            onChange={(event) => setSearch({ q: event.target.value })}
          />
        </div>
        <Select
          aria-label="Stream"
          className="!w-40"
          value={filter.stream}
          onChange={(event) => setSearch({ of: event.target.value })}
        >
          <option value="">Every stream</option>
          {[...store.projection.streams.keys()].map((id) => (
            <option key={id}>{id}</option>
          ))}
        </Select>
        <Select
          aria-label="Level"
          className="!w-48"
          value={filter.level}
          onChange={(event) => setSearch({ level: event.target.value })}
        >
          <option value="">Every level</option>
          <option value="warning">Warnings and errors</option>
          <option value="error">Errors</option>
        </Select>
        <span role="status" className="text-xs text-soft tabular">
          {isFiltered
            ? `${formatCount(shown.length)} of ${plural(lines.length, 'event')}`
            : plural(lines.length, 'event')}
        </span>
        <span className="ml-auto">
          <Checkbox
            label="Follow"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.target.checked)}
          />
        </span>
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No event matches">
          <Button
            onClick={() => {
              setSearch({ q: '', of: '', level: '' });
              setCleared(cleared + 1);
            }}
          >
            Clear the filters
          </Button>
        </EmptyState>
      ) : (
        <div
          ref={box}
          tabIndex={0}
          role="log"
          aria-live="off"
          aria-label="Events of the run"
          className="h-[36rem] max-h-[75vh] overflow-y-auto"
        >
          <div className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ key, index, start }) => (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className="absolute inset-x-0"
                style={{ top: start }}
              >
                <Line line={shown[index]!} from={lines[0]!.at} onOpen={onOpen} />
              </div>
            ))}
          </div>
        </div>
      )}
    </Card>
  );
}
