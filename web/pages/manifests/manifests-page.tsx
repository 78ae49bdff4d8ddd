// An editor for manifests of both notations, with problems and the plan as one types.
import { PencilLine } from '../../ui/frame-icons.tsx';
import { Download, CircleX } from '../../ui/icons.tsx';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../../api/download.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { command } from '../../ui/command.ts';
import { Card, CardHead, EmptyState, PageHead } from '../../ui/surface.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { checkText } from './check-text.ts';
import { Editor } from './editor.tsx';
import type { EditorHandle } from './editor.tsx';
import { LivePlan } from './live-plan.tsx';
import { PlanEstimate } from './plan-estimate.tsx';
import { RunOnRunner } from '../requests/run-on-runner.tsx';
import { ProblemList, headOf } from './problem-list.tsx';
import { TEMPLATES } from './templates.ts';
import { takeToEdit } from './to-edit.ts';
import type { ToEdit } from './to-edit.ts';

const KEPT = 'millrace.manifest';
const KEPT_NAME = 'millrace.manifest.file';
const USUAL_NAME = 'millrace.yaml';
const PAUSE_MS = 150;

export function ManifestsPage() {
  const [text, setText] = useState(() => localStorage.getItem(KEPT) ?? TEMPLATES[0]!.text);
  const [file, setFile] = useState(() => localStorage.getItem(KEPT_NAME) ?? USUAL_NAME);
  const [from, setFrom] = useState<string>();
  /** What is to replace the text, if the person agrees. */
  const [offered, setOffered] = useState<ToEdit>();
  const editor = useRef<EditorHandle>(undefined);
  const settled = useSettled(text, PAUSE_MS);
  const [checked, setChecked] = useState(() => checkText(text));
  useEffect(() => {
    setChecked(checkText(settled));
    localStorage.setItem(KEPT, settled);
    localStorage.setItem(KEPT_NAME, file);
  }, [settled, file]);
  const { problems, plan } = checked;
  const isTemplate = text.trim() === '' || TEMPLATES.some((each) => each.text === text);
  const replace = (next: ToEdit) => {
    setText(next.text);
    setFile(next.file);
    setFrom(next.from);
    setOffered(undefined);
  };
  const offer = (next: ToEdit) => {
    if (isTemplate || next.text === text) replace(next);
    else setOffered(next);
  };
  useEffect(() => {
    const brought = takeToEdit();
    if (brought !== undefined) offer(brought);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <>
      <PageHead
        title="Manifests"
        lead="Write one here, and run it in your project. The text stays in this browser."
      >
        <Link to="/new" className={buttonClass('plain')}>
          <PencilLine />
          Start from words
        </Link>
        <Select
          aria-label="Template"
          value=""
          onChange={({ target }) => {
            const { text: next } = TEMPLATES.find(({ id }) => id === target.value)!;
            offer({ text: next, file: USUAL_NAME });
          }}
        >
          <option value="" disabled>
            Start from a template
          </option>
          {TEMPLATES.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
        <Button
          look="primary"
          icon={<Download />}
          onClick={() => saveFile(file.split('/').at(-1)!, new Blob([text], { type: 'text/yaml' }))}
        >
          Download
        </Button>
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card className="overflow-hidden">
            <Editor
              text={text}
              problems={problems}
              onChange={setText}
              onReady={(handle) => (editor.current = handle)}
            />
          </Card>
          <Card>
            <CardHead title={<span role="status">{headOf(problems)}</span>} />
            <ProblemList
              problems={problems}
              onOpen={({ line, column }) => editor.current?.goTo(line, column)}
            />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card>
            <CardHead title={plan ? `Plan: ${plan.name}` : 'Plan'} />
            {plan ? (
              <>
                <PlanEstimate
                  manifest={plan.manifest}
                  waves={plan.waves.map((streams) => streams.map(({ id }) => id))}
                />
                <LivePlan plan={plan} />
              </>
            ) : (
              <EmptyState icon={<CircleX />} title="There is no plan yet">
                Fix the errors under the text. The plan shows up as soon as there are none.
              </EmptyState>
            )}
          </Card>
          <Card>
            <CardHead title="Run it" />
            <div className="flex flex-col gap-3 p-4 text-sm text-soft">
              {plan ? <RunOnRunner manifest={{ text }} from={from} /> : null}
              <p>
                Save it in your project as <span className="font-mono text-xs">{file}</span>. The
                plan there shows what it may cost with your files.
              </p>
              <CopyBlock label="Plan" text={command('plan', file)} />
              <CopyBlock label="Run" text={command('run', file)} />
            </div>
          </Card>
        </div>
      </div>
      <ConfirmDialog
        open={offered !== undefined}
        onOpenChange={() => setOffered(undefined)}
        title="Replace your text?"
        action="Replace the text"
        onConfirm={() => replace(offered!)}
      >
        What you wrote is kept in this browser only. Undo in the editor brings it back.
      </ConfirmDialog>
    </>
  );
}
