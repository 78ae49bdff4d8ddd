// The plan leaves the browser: as a copy, as a file, and as commands for the project.
import { DEFAULT_MANIFEST } from '../../../src/manifest/default-file.ts';
import { Link } from '@tanstack/react-router';
import { useMayWrite } from '../../session/rights.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { command } from '../../ui/command.ts';
import { CopyBlock, useCopy } from '../../ui/copy.tsx';
import { Check, Copy, Download } from '../../ui/icons.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { saveCommand } from '../../ui/shell-text.ts';
import { Card, CardHead } from '../../ui/surface.tsx';
import { bringToRun } from '../requests/to-run.ts';
import { useProjects } from '../runners/use-runners.ts';

export function HandOver({
  text,
  isValid,
  model,
}: {
  text: string;
  isValid: boolean;
  /** For streams that the manifest names none for: empty where it is left to the project; undefined for no such streams. */
  model: string | undefined;
}) {
  const [copied, copy] = useCopy();
  const [copiedSave, copySave] = useCopy();
  const mayWrite = useMayWrite();
  const projects = useProjects();
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
        {mayWrite && isValid && (projects.data?.items.length ?? 0) > 0 ? (
          <p className="flex flex-wrap items-center gap-3">
            <Link
              to="/requests/new"
              className={buttonClass('plain', 'small')}
              onClick={() => bringToRun(text)}
            >
              Run it on a runner
            </Link>
            <span className="min-w-0 flex-1 basis-52 text-xs">
              A runner of your team makes the run with the files of its project.
            </span>
          </p>
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
