// The manifest of a run, as it was when the run began.
import { useNavigate } from '@tanstack/react-router';
import { FileCode, PencilLine } from '../../../ui/frame-icons.tsx';
import { Download } from '../../../ui/icons.tsx';
import { memo, useMemo } from 'react';
import type { RunManifest } from '../../../../src/contract/run-report-api.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Card, CardHead, EmptyState, Loaded } from '../../../ui/surface.tsx';
import { bringToEdit } from '../../manifests/to-edit.ts';
import type { RunView } from '../run-context.ts';
import { useRunManifest } from './use-run-manifest.ts';
import { yamlParts } from './yaml-parts.ts';
import type { PartKind } from './yaml-parts.ts';

const LOOKS: Readonly<Record<PartKind, string>> = {
  key: 'text-accent-strong',
  value: '',
  literal: 'text-violet',
  comment: 'text-soft italic',
  mark: 'text-soft',
};

const Text = memo(function Text({ text }: { text: string }) {
  const lines = useMemo(() => text.split('\n').map(yamlParts), [text]);
  return (
    <pre
      tabIndex={0}
      aria-label="Text of the manifest"
      className="max-h-[44rem] overflow-auto p-4 text-xs leading-5"
    >
      {lines.map((parts, line) => (
        <div key={line}>
          {parts.length === 0 ? '\n' : null}
          {parts.map(({ kind, text: part }, index) => (
            <span key={index} className={LOOKS[kind]}>
              {part}
            </span>
          ))}
        </div>
      ))}
    </pre>
  );
});

function Manifest({ manifest: { text, isCut }, file }: { manifest: RunManifest; file: string }) {
  const navigate = useNavigate();
  const [copied, copy] = useCopy();
  return (
    <>
      <CardHead title={<span className="font-mono text-xs">{file}</span>}>
        <Button size="small" onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          size="small"
          icon={<Download />}
          onClick={() => saveFile(file.split('/').at(-1)!, text, 'text/yaml')}
        >
          Download
        </Button>
        {isCut ? null : (
          <Button
            size="small"
            icon={<PencilLine />}
            onClick={() => {
              bringToEdit({ text, file });
              void navigate({ to: '/manifests' });
            }}
          >
            Open in the editor
          </Button>
        )}
      </CardHead>
      {isCut ? (
        <p role="note" className="border-b border-line bg-warn-soft px-4 py-2 text-xs text-warn">
          Only the first 256 KiB were reported. The whole file is in the project.
        </p>
      ) : null}
      <Text text={text} />
    </>
  );
}

export function ManifestTab({ runId, store }: RunView) {
  const manifest = useRunManifest(runId);
  return (
    <Card>
      <Loaded query={manifest} rows={8}>
        {(found) =>
          found.manifest === null ? (
            <EmptyState icon={<FileCode />} title="The manifest was not reported">
              The command line that made this run did not send it. It is in the project, at{' '}
              {store.projection.file}.
            </EmptyState>
          ) : (
            <Manifest manifest={found.manifest} file={store.projection.file || 'millrace.yaml'} />
          )
        }
      </Loaded>
    </Card>
  );
}
