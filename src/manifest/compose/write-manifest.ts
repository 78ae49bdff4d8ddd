// A composed plan as the text of a manifest that a person reads, edits and runs. What the rules repaired is
// said in comments, at the stream it happened to.
import { writeBlockStream } from '../edit/new-stream.ts';
import type { NewStream } from '../edit/new-stream.ts';
import { writeText } from '../edit/scalar.ts';
import type { ComposedPlan, ComposedStream } from './compose.ts';
import { remark } from './draft.ts';
import type { Remark, RuleName } from './draft.ts';

/** A person reads a few of what was added or put in order; the rest is counted. */
const MAX_COMMENTS = 12;
/** What these leave out is gone: every file and dep is named. */
const LEAVE_OUT: ReadonlySet<RuleName> = new Set(['ids', 'paths', 'cycles', 'reads', 'verify']);

const LAYOUT = { text: '', lineBreak: '\n', quoting: 'when-needed' } as const;

/** Cleaned again: a comment must stay a comment, whatever a caller puts into a remark. */
function comments(remarks: readonly Remark[], padding: string): string[] {
  const texts = new Map(remarks.map(({ rule, text }) => [`${rule}: ${text}`, rule]));
  let room = MAX_COMMENTS;
  const shown = [...texts].flatMap(([text, rule]) => {
    room -= 1;
    return LEAVE_OUT.has(rule) || room >= 0 ? [text] : [];
  });
  const rest = texts.size - shown.length;
  if (rest > 0) shown.push(`and ${rest} more`);
  return shown.map((text) => `${padding}# ${remark('ids', text).text}`);
}

/** Empty lists say nothing, and a manifest is shorter without them. */
function fieldsOf({ id, name, plan, ...lists }: ComposedStream): NewStream {
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { id, name, ...(plan !== '' && { plan }), ...Object.fromEntries(filled) };
}

export function writeManifest({ feature, streams, remarks }: ComposedPlan): string {
  const ids = new Set(streams.map(({ id }) => id));
  const isOfPlan = ({ stream }: Remark) => stream === undefined || !ids.has(stream);
  const blocks = streams.flatMap((stream) => [
    '',
    ...comments(
      remarks.filter((each) => each.stream === stream.id),
      '  ',
    ),
    writeBlockStream(fieldsOf(stream), LAYOUT, { padding: '  ', step: '  ' }),
  ]);
  return [
    ...comments(remarks.filter(isOfPlan), ''),
    `feature: ${writeText(feature, 'when-needed')}`,
    'streams:',
    ...blocks.slice(1),
    '',
  ].join('\n');
}
