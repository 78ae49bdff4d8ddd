// Teams and their members.
import type { AddedMember, Member, Team, TeamSettings } from '../contract/teams-api.ts';
import { part } from './calls.ts';
import type { CallOptions, Calls } from './calls.ts';

export interface TeamsApi {
  list(options?: CallOptions): Promise<{ items: Team[]; total: number }>;
  create(body: { name: string }, options?: CallOptions): Promise<Team>;
  get(id: string, options?: CallOptions): Promise<Team>;
  /** A setting that is null is as on the server again. */
  update(
    id: string,
    body: { name?: string; settings?: TeamSettings },
    options?: CallOptions,
  ): Promise<Team>;
  remove(id: string, options?: CallOptions): Promise<{ deleted: true; id: string }>;
  /** An archive: read its body as a stream. */
  export(id: string, options?: CallOptions): Promise<Response>;
  members(id: string, options?: CallOptions): Promise<{ items: Member[]; total: number }>;
  /** Invites an address, or adds a user at once. */
  addMember(
    id: string,
    body: { email?: string; userId?: string; role: string },
    options?: CallOptions,
  ): Promise<AddedMember>;
  changeRole(id: string, userId: string, role: string, options?: CallOptions): Promise<Member>;
  /** Also withdraws an invitation, or leaves. */
  removeMember(
    id: string,
    userId: string,
    options?: CallOptions,
  ): Promise<{ removed: true; userId: string }>;
}

const TEAMS = '/v1/teams';

export function teamsApi({ get, open, send }: Calls): TeamsApi {
  const one = (id: string) => `${TEAMS}/${part(id)}`;
  const members = (id: string) => one(id) + '/members';
  const member = (id: string, userId: string) => `${members(id)}/${part(userId)}`;
  return {
    list: (options) => get(TEAMS, options),
    create: (body, options) => send('POST', TEAMS, options, body),
    get: (id, options) => get(one(id), options),
    update: (id, body, options) => send('PATCH', one(id), options, body),
    remove: (id, options) => send('DELETE', one(id), options),
    export: (id, options) => open('GET', `${one(id)}/export`, options),
    members: (id, options) => get(members(id), options),
    addMember: (id, body, options) => send('POST', members(id), options, body),
    changeRole: (id, userId, role, options) => send('PATCH', member(id, userId), options, { role }),
    removeMember: (id, userId, options) => send('DELETE', member(id, userId), options),
  };
}
