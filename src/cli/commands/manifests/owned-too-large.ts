// Streams whose files are larger than one answer can be.
import { openLengthOf } from '../../../domain/model/model-limits.ts';
import type { FeatureStream, ModelChoice, WorkflowStream } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';
import type { ProjectFiles } from './plan-files.ts';

const BYTES_PER_TOKEN = 3.6;

const thousands = (tokens: number) => `${Math.round(tokens / 1000)}k`;

/** They can only be edited: an answer that writes them anew would be cut off. */
export function tooLarge(
  files: ProjectFiles,
  stream: FeatureStream | WorkflowStream,
  { model, maxTokens }: ModelChoice,
): Problem[] {
  const owns = 'owns' in stream ? stream.owns : [];
  if (owns.length === 0) return [];
  const most = maxTokens ?? openLengthOf(model ?? '');
  const tokens = files.rewrittenBytes(owns) / BYTES_PER_TOKEN;
  if (tokens <= most) return [];
  return [
    {
      severity: 'warning',
      code: 'OWNED_TOO_LARGE',
      message: `${stream.id} owns about ${thousands(tokens)} tokens, but one answer holds ${thousands(most)}: its files can be edited, not rewritten.`,
      hint: 'Split the stream, raise its maxTokens, or use a model with longer answers.',
      path: `streams.${stream.id}.owns`,
      line: 1,
      column: 1,
    },
  ];
}
