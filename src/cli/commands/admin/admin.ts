// millrace admin: the accounts of a server, for the person at its machine. Works on its database, beside
// a running server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addAdminCreate } from './create.ts';
import { addAdminResetPassword } from './reset-password.ts';
import { addAdminSignInLink } from './sign-in-link.ts';
import { addAdminResume, addAdminSuspend } from './suspend.ts';
import { addAdminTeams } from './teams.ts';
import { addAdminTier } from './tier.ts';
import { addAdminUsers } from './users.ts';

export function addAdmin(program: Command, act: Act): void {
  const admin = describe(program.command('admin'), 'manage the accounts and teams of this server', [
    'admin create --email you@example.com',
    'admin reset-password --email jane@example.com',
    'admin sign-in-link',
    'admin users --search example.com',
    'admin tier platform team',
    'admin suspend jane@example.com',
  ]).helpCommand(false);
  addAdminCreate(admin, act);
  addAdminResetPassword(admin, act);
  addAdminSignInLink(admin, act);
  addAdminUsers(admin, act);
  addAdminTeams(admin, act);
  addAdminTier(admin, act);
  addAdminSuspend(admin, act);
  addAdminResume(admin, act);
}
