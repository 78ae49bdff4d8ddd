// The secret of a trigger, after it was made or rotated: the server shows it this once.
import type { TriggerKind } from '../../../src/contract/trigger-api.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { KIND_WORDS } from './event-words.ts';

export interface ShownSecret {
  kind: TriggerKind;
  url: string;
  secret: string;
}

const callOf = ({ url, secret }: ShownSecret) =>
  `curl -X POST -H 'authorization: Bearer ${secret}' ${url}`;

export function TriggerSecret({
  shown,
  onClose,
}: {
  shown: ShownSecret | undefined;
  onClose: () => void;
}) {
  if (shown === undefined) return null;
  const isUrl = shown.kind === 'url';
  return (
    <SecretOnce
      title={isUrl ? 'Token of the trigger' : 'Secret of the trigger'}
      label={isUrl ? 'token' : 'secret'}
      lead={
        isUrl
          ? 'Callers show it in a header, or as the last part of the URL.'
          : `${KIND_WORDS[shown.kind]} needs it to sign what it sends.`
      }
      secret={shown.secret}
      onClose={onClose}
    >
      {isUrl ? (
        <div className="mt-4 flex flex-col gap-2 text-sm text-soft">
          <p>A call with it:</p>
          <CopyBlock text={callOf(shown)} label="call" />
          <p>For callers that can send no header:</p>
          <CopyBlock text={`${shown.url}/${shown.secret}`} label="URL with the token" />
        </div>
      ) : null}
    </SecretOnce>
  );
}
