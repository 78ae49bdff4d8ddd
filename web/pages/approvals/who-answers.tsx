import type { Approval } from '../../../src/contract/approval-api.ts';

export function WhoAnswers({ approval: { role, byOther, mayAnswer } }: { approval: Approval }) {
  const text =
    byOther === 'required'
      ? 'The team wants another person than the author to approve this.'
      : byOther === 'advised'
        ? 'The team advises that another person than the author approves this.'
        : mayAnswer
          ? undefined
          : `This needs the answer of the role ${role}.`;
  return text === undefined ? null : <p className="text-sm text-warn">{text}</p>;
}
