// What is asked about: changes file by file, everything else as text.
import type { Approval } from '../../../src/contract/approval-api.ts';
import { DiffView } from '../run/changes/diff-view.tsx';

interface FilePatch {
  path: string;
  patch: string;
}

/** Lines of a file begin with a sign, so this is the head of one. */
function filesIn(diff: string): FilePatch[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((patch) => patch.trim() !== '')
    .map((patch) => {
      const [head = ''] = patch.split('\n', 1);
      return { path: head.slice(head.lastIndexOf(' b/') + 3), patch };
    });
}

export function Detail({ approval: { detail, format } }: { approval: Approval }) {
  if (detail === '') return null;
  if (format === 'text') {
    return (
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label="What is asked"
        className="max-h-[60vh] overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {detail}
      </pre>
    );
  }
  return filesIn(detail).map(({ path, patch }) => (
    <section key={path} className="overflow-hidden rounded-lg border border-line">
      <h2 className="border-b border-line bg-sunken px-3 py-2 font-mono text-xs [overflow-wrap:anywhere]">
        {path}
      </h2>
      <DiffView path={path} patch={patch} layout="unified" />
    </section>
  ));
}
