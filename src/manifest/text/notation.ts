// Which of the two notations a text is written in.
import type { Finding } from './problem-list.ts';
import { isMapping } from './values.ts';
import type { Mapping } from './values.ts';

export type Notation = { kind: 'A' } | { kind: 'B' } | { kind: 'unclear'; finding: Finding };

const WORKFLOW_KEYS = ['name', 'version', 'description'];
const WORKFLOW_STREAM_KEYS = ['description', 'context', 'commands', 'constraints'];
const FEATURE_STREAM_KEYS = ['name', 'deps', 'owns', 'reads', 'setup', 'verify', 'parentStreamId'];

const HOW =
  'Notation A starts with name, version and description; notation B starts with feature. Run millrace init for an example.';

function unclear(code: string, message: string): Notation {
  return { kind: 'unclear', finding: { code, message, hint: HOW, path: [] } };
}

/** Whether any stream has one of these keys; the first hundred say enough. */
function streamsHave(top: Mapping, keys: readonly string[]): boolean {
  const streams = top.get('streams');
  if (!isMapping(streams)) return false;
  let looked = 0;
  for (const stream of streams.values()) {
    if (isMapping(stream) && keys.some((key) => stream.has(key))) return true;
    if (++looked === 100) return false;
  }
  return false;
}

export function detectNotation(top: Mapping): Notation {
  const workflowKeys = WORKFLOW_KEYS.filter((key) => top.has(key)).length;
  if (top.has('feature')) {
    if (workflowKeys < 2) return { kind: 'B' };
    return unclear(
      'BOTH_NOTATIONS',
      'The manifest mixes notations: it has feature, and also two or more of name, version and description.',
    );
  }
  if (workflowKeys >= 2) return { kind: 'A' };
  const isWorkflow = streamsHave(top, WORKFLOW_STREAM_KEYS);
  const isFeature = streamsHave(top, FEATURE_STREAM_KEYS);
  if (isFeature && !isWorkflow) return { kind: 'B' };
  if (isWorkflow && !isFeature) return { kind: 'A' };
  if (isWorkflow && workflowKeys === 0) {
    return unclear(
      'BOTH_NOTATIONS',
      'The manifest mixes notations: some streams use fields of A, some of B.',
    );
  }
  if (workflowKeys > 0) return { kind: 'A' };
  return unclear('NO_NOTATION', 'This is not a manifest in notation A or B.');
}
