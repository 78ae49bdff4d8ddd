// millrace admin: the accounts of a server, for whoever sits at its machine. Works on its database, beside
// a running server.
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act } from '../../command.ts';
import { addAdminCreate } from './create.ts';
import { addAdminResetPassword } from './reset-password.ts';

export function addAdmin(program: Command, act: Act): void {
  const admin = describe(program.command('admin'), 'manage the accounts of this server', [
    'admin create --email you@example.com',
    'admin reset-password --email jane@example.com',
  ]).helpCommand(false);
  addAdminCreate(admin, act);
  addAdminResetPassword(admin, act);
}
