// The same work with another model, or with a manifest that somebody changes first.
import { useNavigate } from '@tanstack/react-router';
import { PencilLine } from '../../../ui/frame-icons.tsx';
import { useState } from 'react';
import { rerunWords } from '../../../../src/domain/run/resume-words.ts';
import { command } from '../../../ui/command.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyBlock } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { ModelField } from '../../../ui/model-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Loaded } from '../../../ui/surface.tsx';
import { bringToEdit } from '../../manifests/to-edit.ts';
import { AskRunner } from '../../requests/ask-runner.tsx';
import { requestCommand } from '../../requests/request-command.ts';
import { useMaker } from '../../requests/use-maker.ts';
import { useRunManifest } from '../manifest/use-run-manifest.ts';
import type { RunView } from '../run-context.ts';
import { EstimateLine } from './estimate-line.tsx';
import { forkedName } from './forked-name.ts';
import { branchOf, planRerun } from './rerun-plan.ts';
import { StreamNames } from './stream-names.tsx';

/** So that the model meets the files as they were before this run. */
function RevertFirst({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <Checkbox
      label="Revert what this run changed first, to start from the same files"
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function OtherModel({ view, revert }: { view: RunView; revert: string }) {
  const [typed, setModel] = useState('');
  const model = typed.trim();
  const plan = planRerun(view.store, { kind: 'all', model });
  const maker = useMaker(view.runId);
  const isInPlace = branchOf(view.store) === undefined;
  return (
    <>
      <div className="max-w-80">
        <ModelField
          value={typed}
          onChange={setModel}
          hint={`This run: ${view.store.projection.model || 'unknown'}`}
        />
      </div>
      <StreamNames title="Run again" rows={plan.again} />
      <EstimateLine streams={plan.again.length} estimate={plan.estimate} model={model} />
      {model === '' ? (
        <p className="text-sm text-soft">Choose a model first.</p>
      ) : (
        <>
          {maker === undefined || isInPlace ? null : (
            <p className="text-sm text-soft">
              It begins on a new branch, so the branch of this run stays as it is.
            </p>
          )}
          {maker !== undefined && revert ? (
            <CopyBlock
              text={[{ run: { id: view.runId, action: 'revert' as const } }, plan.work]
                .map((work) => requestCommand(maker.request.project, work))
                .join(' &&\n  ')}
            />
          ) : (
            <AskRunner work={plan.work} command={revert + plan.command}>
              Run it with this model
            </AskRunner>
          )}
        </>
      )}
    </>
  );
}

function ChangedManifest({ view, revert }: { view: RunView; revert: string }) {
  const { runId, store } = view;
  const navigate = useNavigate();
  const file = forkedName(store.projection.file);
  const found = useRunManifest(runId);
  const maker = useMaker(runId);
  const edit = async (text: string) => {
    const { withoutState } = await import('../../../../src/manifest/edit/without-state.ts');
    const from = maker && { from: maker.request.id };
    bringToEdit({ text: withoutState(text), file, ...from });
    void navigate({ to: '/manifests' });
  };
  return (
    <Loaded query={found} rows={3}>
      {({ manifest }) =>
        manifest === null || manifest.isCut ? (
          <p className="text-sm text-soft">
            {manifest === null
              ? 'The command line that made this run did not report its manifest.'
              : 'The manifest is too large for the editor.'}{' '}
            Copy {store.projection.file || 'it'} in the project, change the copy, and run it.
          </p>
        ) : (
          <>
            <p className="text-sm text-soft">
              The editor opens with the manifest of this run, every stream pending again. Change it,
              {maker === undefined ? (
                <>
                  {' '}
                  save it in the project as <span className="font-mono text-xs">{file}</span>, and
                  run it.
                </>
              ) : (
                ` and run it from there: a runner of ${maker.request.project} makes the run.`
              )}
            </p>
            {maker === undefined ? (
              <CopyBlock
                text={revert + command(...rerunWords({ file, args: store.projection.args }))}
              />
            ) : null}
            <div className="flex justify-end">
              <Button look="primary" icon={<PencilLine />} onClick={() => void edit(manifest.text)}>
                Open in the editor
              </Button>
            </div>
          </>
        )
      }
    </Loaded>
  );
}

export function ForkDialog({
  view,
  hasChanges,
  open,
  onOpenChange,
}: {
  view: RunView;
  /** Something that this run wrote is in the project. */
  hasChanges: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const [way, setWay] = useState<'model' | 'manifest'>('model');
  const [reverts, setReverts] = useState(hasChanges);
  const maker = useMaker(view.runId);
  const isOnBranch = branchOf(view.store) !== undefined;
  // What a runner begins anew gets a branch of its own.
  const mayRevert = hasChanges && !(isOnBranch && maker !== undefined);
  const onBranch = isOnBranch ? ['--delete-branch'] : [];
  const revert = reverts && mayRevert ? `${command('revert', view.runId, ...onBranch)} &&\n  ` : '';
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={onOpenChange}
      title="Fork this run"
      lead="Do the same work once more, with another model or a changed manifest."
    >
      <div className="flex flex-col gap-4">
        <Segmented
          label="What is different"
          value={way}
          onChange={setWay}
          options={[
            ['model', 'Another model'],
            ['manifest', 'Changed manifest'],
          ]}
        />
        {mayRevert ? <RevertFirst isOn={reverts} onChange={setReverts} /> : null}
        {way === 'model' ? (
          <OtherModel view={view} revert={revert} />
        ) : (
          <ChangedManifest view={view} revert={revert} />
        )}
      </div>
    </Dialog>
  );
}
