import { rules } from './rules.ts';

export const ARTIFACT_RULES = [
  ...rules('interface 2.2', 'artifacts', {
    'artifact.fields':
      'An artifact has streamId, status, operations, filesChanged and a short summary.',
    'artifact.operation.kinds': 'An operation creates, edits or deletes one path.',
    'artifact.operation.create': 'A create carries the content of the new file.',
    'artifact.fence': 'The artifact is JSON in a fenced block with the artifact label.',
  }),
  ...rules('decisions 1', 'artifacts', {
    'artifact.fence.label':
      'The label is millrace-artifact, and the reader takes service-artifact as well.',
  }),
  ...rules('decisions 4', 'artifacts', {
    'artifact.status.values': 'An artifact is complete, partial or failed.',
  }),
  ...rules('decisions 5', 'artifacts', {
    'artifact.edit.pairs': 'An edit carries edits of oldText, newText and optional replaceAll.',
    'artifact.edit.whole': 'An edit may carry content instead, the whole new text.',
    'artifact.base-sha': 'Edits and deletes may carry baseSha256.',
    'artifact.edit.tolerant-type': 'The reader takes replace as another word for edit.',
    'artifact.edit.tolerant-names':
      'The reader takes search/replace and old_string/new_string for the pair.',
    'artifact.path.shape':
      'A path is relative with forward slashes and has no .., NUL or drive letter.',
    'artifact.path.git': 'A path never leads into .git.',
    'artifact.path.rejects-whole': 'One bad path rejects the whole artifact.',
  }),
  ...rules('decisions 5', 'orchestrator', {
    'artifact.match.once': 'Each oldText must match exactly one place.',
    'artifact.match.order':
      'Matching is exact first, then without trailing white space, then without indentation.',
    'artifact.apply.atomic': 'All operations of an artifact are applied or none is.',
    'artifact.apply.create-conflict': 'A create over a different existing file is a conflict.',
    'artifact.apply.no-op': 'An operation whose result is already there changes nothing.',
    'artifact.path.symlink': 'A path never follows a symlink out of the project.',
    'artifact.path.owns': 'When a stream has owns, its paths lie inside them.',
  }),
];
