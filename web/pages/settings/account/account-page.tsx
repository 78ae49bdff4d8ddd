// The person: mail, password, sessions, their data.
import { Download } from '../../../ui/icons.tsx';
import { useMe } from '../../../session/me.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Card, CardHead, PageHead } from '../../../ui/surface.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { OwnMails } from './own-mails.tsx';
import { OwnName } from './own-name.tsx';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';

export function AccountPage() {
  const { data: me } = useMe();
  if (me === undefined) return null;
  const { email, name, isAdmin } = me.user;
  return (
    <>
      <PageHead
        title={name ?? email}
        lead={[name === null ? '' : email, isAdmin ? 'Server administrator' : '']
          .filter((text) => text !== '')
          .join(' · ')}
      >
        <OwnName name={name} />
      </PageHead>
      {me.approvalMails === null ? null : <OwnMails email={email} isWanted={me.approvalMails} />}
      <Sessions />
      <PasswordForm email={email} />
      <Card>
        <CardHead title="Your data" />
        <div className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm text-soft">
          <p className="min-w-0 flex-1 basis-60">
            Your account and your personal team as one ZIP archive of JSON files.
          </p>
          <a className={buttonClass()} href="/api/v1/auth/export" download>
            <Download aria-hidden />
            Export
          </a>
          <DeleteAccount email={email} />
        </div>
      </Card>
    </>
  );
}
