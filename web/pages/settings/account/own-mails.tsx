// What the person is mailed, where the server sends any.
import type { Me } from '../../../../src/contract/auth-api.ts';
import { call } from '../../../api/client.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { Card, CardHead } from '../../../ui/surface.tsx';
import { useChange } from '../use-change.ts';

export function OwnMails({ email, isWanted }: { email: string; isWanted: boolean }) {
  const change = useChange({
    change: (approvalMails: boolean) => call<Me>('PATCH', '/api/v1/auth/me', { approvalMails }),
    stale: ['me'],
    said: ({ approvalMails }) =>
      approvalMails ? `Questions are mailed to ${email}.` : 'Questions are not mailed to you.',
  });
  return (
    <Card className="mb-6">
      <CardHead title="Mail" />
      <div className="flex flex-col gap-1 px-4 py-3">
        <Checkbox
          label="Mail me what runs ask and I may answer"
          checked={isWanted}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.target.checked)}
        />
        <p className="ml-6 text-xs text-soft">
          At most one every 5 minutes for each team, with titles and a link to the question.
        </p>
      </div>
    </Card>
  );
}
