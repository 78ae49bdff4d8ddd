// The plan leaves the browser: as a copy, as a file, and as commands for the project.
import { DEFAULT_MANIFEST } from '../../../src/manifest/default-file.ts';
import { Button } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock, useCopy } from '../../ui/copy.tsx';
import { Check, Copy, Download } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { saveCommand } from '../../ui/shell-text.ts';
import { Card, CardHead } from '../../ui/surface.tsx';
import { RunOnRunner } from '../requests/run-on-runner.tsx';

export function HandOver({
  text,
  isValid,
  project,
  model,
}: {
  text: string;
  isValid: boolean;
  /** Of which it is a plan; empty where it is not known. */
  project: string;
  /** For streams that the manifest names none for: empty where it is left to the project; undefined for no such streams. */
  model: string | undefined;
}) {
  const [copied, copy] = useCopy();
  const [copiedSave, copySave] = useCopy();
  const flags = model ? ['--model', model] : [];
  return (
    <Card>
      <CardHead title="Take it to your project">
        <Button size="small" icon={copied ? <Check /> : <Copy />} onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          size="small"
          look="primary"
          icon={<Download />}
          onClick={() => saveFile(DEFAULT_MANIFEST, text, 'text/yaml')}
        >
          Download {DEFAULT_MANIFEST}
        </Button>
      </CardHead>
      <div className="flex flex-col gap-3 p-4 text-sm text-soft">
        {isValid ? null : (
          <p className="text-warn">The text has errors. Fix them first: it would not run.</p>
        )}
        {isValid ? (
          <RunOnRunner
            manifest={{ text, ...(model === undefined ? {} : { model }) }}
            project={project}
          />
        ) : null}
        <p>
          Runs happen in your project, not here. Save the plan there, see what it may cost with your
          files, and run it.
        </p>
        <div className="flex flex-wrap items-center gap-3">
          <Button
            size="small"
            icon={copiedSave ? <Check /> : <Copy />}
            onClick={() => copySave(saveCommand(DEFAULT_MANIFEST, text))}
          >
            {copiedSave ? 'Copied' : 'Copy the command that saves it'}
          </Button>
          <span className="min-w-0 flex-1 basis-52 text-xs">
            For a shell in the folder of the project. It replaces no file that is there.
          </span>
        </div>
        {model === '' ? (
          <p className="text-xs">
            The manifest names no model: add <code>--model</code> to the commands, unless your
            settings name one.
          </p>
        ) : null}
        <CopyBlock
          label="Command that plans it"
          text={command('plan', DEFAULT_MANIFEST, ...flags)}
        />
        <CopyBlock label="Command that runs it" text={command('run', DEFAULT_MANIFEST, ...flags)} />
      </div>
    </Card>
  );
}
