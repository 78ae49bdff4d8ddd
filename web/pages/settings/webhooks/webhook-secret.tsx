import { SecretOnce } from '../../../ui/secret-once.tsx';

export function WebhookSecret({
  secret,
  onClose,
}: {
  secret: string | undefined;
  onClose: () => void;
}) {
  return (
    <SecretOnce
      title="Signing secret"
      label="secret"
      lead="Your server needs it to verify that events come from Millrace."
      secret={secret}
      onClose={onClose}
    />
  );
}
