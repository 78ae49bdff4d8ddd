// millrace approvals approve, deny, answer
import type { CommandOptions } from '../../command.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { showOutcome } from '../../show-outcome.ts';
import { plain } from '../../terminal/plain-text.ts';
import { outcomeOf } from './approval-text.ts';
import { findApprovalId } from './find-approval.ts';

export const answerWith =
  (decision: 'approve' | 'deny') =>
  async (options: CommandOptions, [asked = '', answer]: string[]): Promise<number> => {
    const client = await openClient(options);
    const id = await findApprovalId(client, asked);
    const hash = textOf(options, 'hash') ?? (await client.approvals.get(id)).hash;
    const comment = textOf(options, 'comment');
    const approval = await client.approvals.resolve(id, {
      decision,
      hash,
      ...(comment !== undefined && { comment }),
      ...(answer !== undefined && { answer }),
    });
    return showOutcome(options, {
      document: approval,
      text: `${plain(approval.title)}: ${outcomeOf(approval)}`,
    });
  };
