// How a request ended, as its runner said.
import type { RequestFailure, RunRequestOutcome } from '../../../src/contract/run-request-api.ts';
import { CopyBlock, CopyId } from '../../ui/copy.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { isPage } from './is-page.ts';
import { RunOnRunner } from './run-on-runner.tsx';

const FAILURES: Readonly<Record<RequestFailure, string>> = {
  failed: 'The run failed',
  paused: 'The run stopped where it was and can be resumed',
  refused: 'The runner may not do it',
  not_found: 'The runner does not have what was asked for',
  unusable: 'What was asked for cannot be run as it is',
  lost: 'Its runner stopped too often in the middle of it',
};

function PlannedManifest({ text, from }: { text: string; from: string }) {
  return (
    <>
      <RunOnRunner manifest={{ text }} from={from} />
      <CopyBlock label="Manifest" text={text} />
    </>
  );
}

export function RequestOutcome({
  outcome,
  from,
}: {
  outcome: RunRequestOutcome;
  /** The request that it is of. */
  from: string;
}) {
  const { failure, message, remedy, branch, commit, requestUrl, manifest } = outcome;
  return (
    <Card>
      <CardHead title={failure === undefined ? 'Outcome' : FAILURES[failure]} />
      <div className="flex flex-col gap-3 p-4 text-sm">
        {branch === undefined ? null : (
          <p className="flex flex-wrap items-center gap-2">
            Branch <CopyId id={branch} />
            {commit === undefined ? null : (
              <span className="font-mono text-xs text-soft">{commit.slice(0, 10)}</span>
            )}
          </p>
        )}
        {requestUrl === undefined ? null : (
          <p className="[overflow-wrap:anywhere]">
            Pull request{' '}
            {isPage(requestUrl) ? (
              <a
                href={requestUrl}
                rel="noreferrer"
                className="font-medium text-accent hover:underline"
              >
                {requestUrl}
              </a>
            ) : (
              <PlainText text={requestUrl} />
            )}
          </p>
        )}
        {message === '' ? null : (
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            aria-label="What the runner said"
            className="max-h-80 overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            <PlainText text={message} />
          </pre>
        )}
        {remedy === undefined ? null : (
          <div>
            <p className="mb-1 text-soft">For the owner of the runner, on its machine:</p>
            <CopyBlock label="Command for the owner of the runner" text={remedy} />
          </div>
        )}
        {manifest === undefined ? null : <PlannedManifest text={manifest} from={from} />}
        {[message, branch, requestUrl, manifest].every((said) => !said) ? (
          <p className="text-soft">The runner had nothing to add.</p>
        ) : null}
      </div>
    </Card>
  );
}
