import { rules } from './rules.ts';

export const SERVER_ADMIN_RULES = rules('decisions 9', 'operator-cli', {
  'admin.suspend.account':
    'A suspended account gets ACCOUNT_SUSPENDED with every credential until it is lifted.',
  'admin.suspend.work':
    'Pending jobs of a suspended account fail and give their quota back; running ones end normally.',
  'admin.suspend.team': 'Nothing acts in a suspended team; its members act elsewhere.',
  'admin.last-administrator': 'The last server administrator is neither demoted nor suspended.',
  'admin.lists': 'Accounts and teams are listed by pages, to server administrators only.',
  'admin.system':
    'Server administrators, and nobody else, see nodes, queue, waits, webhooks and database.',
  'admin.commands': 'millrace admin lists, changes tiers, suspends and resumes at the machine.',
});
