// The run as data: to copy, to keep, to feed to other programs.
import { Download } from '../../../ui/icons.tsx';
import { useMemo } from 'react';
import { useRunVersion } from '../../../live/run-store.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy.tsx';
import { plural } from '../../../ui/format.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { Card, CardHead } from '../../../ui/surface.tsx';
import type { RunView } from '../run-context.ts';

export function JsonTab({ runId, store, recorded }: RunView) {
  const version = useRunVersion(store);
  const text = useMemo(() => {
    const { streams, ...run } = store.projection;
    const rows = store.events.length > 0 ? [...streams.values()] : recorded?.streams;
    const known = store.events.length > 0 ? { ...recorded?.run, ...run } : recorded?.run;
    return JSON.stringify({ run: known, streams: rows }, null, 2);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, recorded, version]);
  const [copied, copy] = useCopy();
  const lines = () => store.events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return (
    <Card>
      <CardHead title="JSON">
        <Button size="small" onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          size="small"
          icon={<Download />}
          onClick={() => saveFile(`${runId}.json`, text, 'application/json')}
        >
          Download
        </Button>
        {store.events.length > 0 ? (
          <Button
            size="small"
            icon={<Download />}
            onClick={() => saveFile(`${runId}.events.jsonl`, lines(), 'application/x-ndjson')}
          >
            {plural(store.events.length, 'event')}
          </Button>
        ) : null}
      </CardHead>
      <pre
        tabIndex={0}
        aria-label="The run as JSON"
        className="max-h-[36rem] overflow-auto p-4 text-xs leading-5"
      >
        {text}
      </pre>
    </Card>
  );
}
